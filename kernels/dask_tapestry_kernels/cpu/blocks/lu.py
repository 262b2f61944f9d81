"""Triangles of a matrix whose rows are exchanged: LU with partial pivoting.

LAPACK makes them, or NumPy's functions, by halves of columns.

Source: Toledo, "Locality of reference in LU decomposition with partial pivoting", SIAM J. Matrix
Anal. Appl. 18, 1997.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cpu.blocks import lapack
from dask_tapestry_kernels.cpu.blocks.triangles import solve_triangle

Matrix = np.ndarray[Any, Any]
NARROW: Final = 16  # columns that are eliminated one by one


def factor_lu(matrix: Matrix) -> tuple[Matrix, np.ndarray[Any, np.dtype[np.int64]]]:
    """Return both triangles in one matrix, and which row has come to each place.

    Pivots are those of LAPACK: the cells of largest modulus below, of complex ones the sum of the
    moduli of both parts. Where all are zero nothing is eliminated.

    Parameters
    ----------
    matrix
        Any shape (m, n).

    Examples
    --------
    >>> packed, rows = factor_lu(np.array([[1.0, 2.0], [2.0, 2.0]]))
    >>> packed, rows
    (array([[2. , 2. ],
           [0.5, 1. ]]), array([1, 0]))
    """
    packed = np.array(matrix, order="F")
    exchanged = lapack.factor_lu(packed)
    if exchanged is None:
        packed = np.array(matrix, order="C")
        return packed, _factor(packed)
    return packed, _order_of(exchanged.tolist(), len(packed))


def _order_of(exchanged: list[int], rows: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Which row has come to each place when each was exchanged with another, one by one."""
    order = list(range(rows))
    for at, other in enumerate(exchanged):
        order[at], order[other] = order[other], order[at]
    return np.array(order, np.int64)


def _factor(a: Matrix) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Factor in place; return the rows in their new order."""
    rows, columns = a.shape
    if columns <= NARROW or rows <= 1:
        return _eliminated(a)
    half = min(columns, rows) // 2 or 1
    left, right = a[:, :half], a[:, half:]
    order = _factor(left)
    right[...] = right[order]
    right[:half] = solve_triangle(left[:half], right[:half], lower=True, unit=True)
    right[half:] -= left[half:] @ right[:half]
    again = _factor(right[half:])
    left[half:] = left[half:][again]
    order[half:] = order[half:][again]
    return order


def _eliminated(a: Matrix) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Factor a few columns in place, one after the other, in an order in which each is a run."""
    columns = np.array(a.T, order="C")
    order = np.arange(a.shape[0])
    with np.errstate(all="ignore"):
        for at in range(min(a.shape)):
            pivot = at + int(np.argmax(_sizes(columns[at, at:])))
            if pivot != at:
                columns[:, [at, pivot]] = columns[:, [pivot, at]]
                order[[at, pivot]] = order[[pivot, at]]
            if columns[at, at] != 0:
                columns[at, at + 1 :] /= columns[at, at]
            columns[at + 1 :, at + 1 :] -= columns[at + 1 :, at, None] * columns[at, at + 1 :]
    a[...] = columns.T
    return order


def _sizes(cells: Matrix) -> Matrix:
    return abs(cells.real) + abs(cells.imag) if cells.dtype.kind == "c" else abs(cells)


def parity(order: Matrix) -> int:
    """1 for a permutation of an even number of exchanges, else -1.

    Examples
    --------
    >>> parity(np.array([1, 0, 2])), parity(np.array([1, 2, 0]))
    (-1, 1)
    """
    positions = order.tolist()
    seen, cycles = bytearray(len(positions)), 0
    for start in range(len(positions)):
        cycles += not seen[start]
        at = start
        while not seen[at]:
            seen[at] = 1
            at = positions[at]
    return -1 if (len(positions) - cycles) % 2 else 1
