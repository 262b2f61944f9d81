"""Reflections that make a matrix triangular, together as one product: the compact WY form.

``Q = I - V @ T @ V.H`` for the rotation Q whose first columns span the matrix's.

Source: Schreiber, Van Loan, "A storage-efficient WY representation for products of Householder
transformations", SIAM J. Sci. Stat. Comput. 10, 1989.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dask_tapestry_kernels.cpu.blocks import lapack

Matrix = np.ndarray[Any, Any]


def reflectors(matrix: Matrix) -> tuple[Matrix, Matrix]:
    """Return the triangle R with V below it, of the shape of a matrix, and T, square.

    Parameters
    ----------
    matrix
        Of fewer rows than columns, there are as many reflections as rows.

    Examples
    --------
    >>> a = np.array([[3.0, 1.0], [4.0, 2.0], [0.0, 5.0]])
    >>> packed, t = reflectors(a)
    >>> v, r = reflections(packed), np.triu(packed[:2])
    >>> q = np.eye(3) - v @ t @ v.T
    >>> bool(abs(q[:, :2] @ r - a).max() < 1e-14), bool(abs(q.T @ q - np.eye(3)).max() < 1e-14)
    (True, True)
    """
    packed = np.array(matrix, np.result_type(matrix, np.float64), order="F")  # as NumPy's works in
    t = lapack.factor_reflectors(packed)
    if t is None:
        turned, factors = np.linalg.qr(matrix, mode="raw")
        packed = turned.T
        t = _joined(_products(packed), factors)
    return packed.astype(matrix.dtype, copy=False), t.astype(matrix.dtype, copy=False)


def reflections(packed: Matrix) -> Matrix:
    """Return V, whose diagonal of ones is not written, of what `reflectors` returns."""
    v = np.tril(packed, -1)
    np.fill_diagonal(v, 1)
    return v


def rows_of_reflections(packed: Matrix, numbers: Matrix) -> Matrix:
    """Some ascending rows of V, of what `reflectors` returns."""
    made = packed[numbers]
    count = int(np.searchsorted(numbers, packed.shape[1]))
    made[:count] = reflections(packed[: packed.shape[1]])[numbers[:count]]
    return made


def _products(packed: Matrix) -> Matrix:
    """The products of reflections with one another: of all rows of V at once it were a copy."""
    width = packed.shape[1]
    made = np.zeros((width, width), packed.dtype)
    for first in range(0, len(packed), max(1, width)):
        rows = packed[first : first + width]
        v = rows if first else reflections(rows)
        made += v.conj().T @ v
    return made


def _joined(products: Matrix, factors: Matrix) -> Matrix:
    """The triangle T of the products of reflections, column by column."""
    t = np.zeros_like(products)
    for at, factor in enumerate(factors):
        t[:at, at] = -factor * (t[:at, :at] @ products[:at, at])
        t[at, at] = factor
    return t
