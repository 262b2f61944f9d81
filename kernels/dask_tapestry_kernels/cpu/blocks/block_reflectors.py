"""QR of one matrix by block reflectors, as `reflectors` has them: those of some columns at a time.

LAPACK's `geqrf` makes the reflections of columns one by one, reading all columns of a panel for
each, and `orgqr` applies them so again. Here nearly all is products of matrices, at whose rate BLAS
computes it, and which its threads share without waiting for one another each column. Seconds of the
processor, 8000 x 1000 of float64: .37 and .37 by LAPACK, .30 and .28 so; 16000 x 64: .020 and .020,
.008 and .005.

Source: E. Elmroth, F. Gustavson, "Applying recursion to serial and parallel QR factorization leads
to better performance", IBM J. Res. Dev. 44, 2000; LAPACK's `geqrt` is theirs.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cpu.blocks import lapack
from dask_tapestry_kernels.cpu.blocks.less_product import subtract_product

Matrix = np.ndarray[Any, Any]
WIDTH: Final = 128  # columns a block: 64 and 256 took as long or longer
LEAST_COLUMNS: Final = 32  # with fewer, or of fewer cells, LAPACK takes no longer
LEAST_CELLS: Final = 2**16
SLAB: Final = 1024  # rows of a block that are copied at a time: they stay in a cache


def are_worth(rows: int, columns: int) -> bool:
    """Whether a matrix of so many rows and columns is factored quicker so.

    Examples
    --------
    >>> are_worth(4096, 64), are_worth(64, 4096), are_worth(10**6, 8), are_worth(100, 100)
    (True, False, False, False)
    """
    return rows >= columns >= LEAST_COLUMNS and rows * columns >= LEAST_CELLS


def are_one_block(rows: int, columns: int) -> bool:
    """Whether its columns are turned by products with the reflections themselves."""
    return are_worth(rows, columns) and columns <= WIDTH


def factor_blocks(packed: Matrix) -> Matrix | None:
    """Put a triangle and reflections in the place of a matrix, whose columns lie in memory.

    It returns the triangles T of its blocks side by side, or None where NumPy must.
    """
    return lapack.factor_reflectors(packed, WIDTH)


def put_columns(packed: Matrix, t: Matrix) -> None:
    """Put the columns that reflections make of a unit matrix in their place.

    Parameters
    ----------
    packed, t
        As by `factor_blocks`, of a matrix with at least as many rows as columns.
    """
    columns = packed.shape[1]
    for start in reversed(range(0, columns, WIDTH)):
        stop = min(start + WIDTH, columns)
        v, behind = packed[start:, start:stop], packed[start:, stop:]
        width = stop - start
        turn = t[:width, start:stop]
        behind[:width] = 0
        _clear_corner(v)
        if behind.size:
            subtract_product(behind, v, turn @ (_adjoint(v[width:]) @ behind[width:]))
        _put_products(v, turn @ _adjoint(v[:width]), v)
        packed[:start, start:stop] = 0


def put_turned_columns(packed: Matrix, t: Matrix, turn: Matrix, made: Matrix) -> None:
    """Write the columns of `put_columns` times a square, for matrices of one block at most.

    Parameters
    ----------
    packed, t
        As by `factor_blocks`; its triangle is lost.
    turn
        The square.
    made
        Shape of `packed`, of any dtype.
    """
    width = packed.shape[1]
    _clear_corner(packed)
    _put_products(packed, t[:width] @ (_adjoint(packed[:width]) @ turn), made, turn)


def _clear_corner(v: Matrix) -> None:
    """Write the ones and zeros of V in the place of a triangle."""
    corner = v[: v.shape[1]]
    corner[...] = np.tril(corner, -1)
    np.fill_diagonal(corner, 1)


def _put_products(v: Matrix, square: Matrix, made: Matrix, first: Matrix | None = None) -> None:
    """Put ``[first; 0] - v @ square`` in a matrix, which may be `v`; the default is a unit matrix.

    Parameters
    ----------
    v
        A matrix whose columns lie in memory.
    square
        As many rows and columns as `v` has columns.
    made
        Where columns lie in memory it is, to NumPy, the transpose of one whose rows do.
    first
        A square.
    """
    rows, width = v.shape
    less = -square
    by_columns = lapack.rows_apart(made.T) is not None
    held = np.empty((width, min(rows, SLAB)), v.dtype)
    for start in range(0, rows, SLAB):
        part = slice(start, min(rows, start + SLAB))
        own = held[:, : part.stop - start]
        own[...] = v[part].T
        if by_columns:
            np.matmul(less.T, own, out=made[part].T)
        else:
            np.matmul(own.T, less, out=made[part], casting="same_kind")
    corner = made[:width]
    corner += np.eye(width) if first is None else first


def _adjoint(x: Matrix) -> Matrix:
    """Rows and columns exchanged, of conjugate cells, which are a copy."""
    return x.conj().T if x.dtype.kind == "c" else x.T
