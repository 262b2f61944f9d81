"""Diagonals and triangles of matrices: `diagonal`, `diag`, `tril`, `triu`."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.amounts import integer
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.shape.reshaping import ravel
from dask_tapestry.cells.references import zero_cell
from dask_tapestry.errors import ArgumentTypeError, ShapeError
from dask_tapestry.operators.cells.elementwise import elementwise
from dask_tapestry.operators.joins.diagonal import diagonal as diagonal_tensor
from dask_tapestry.operators.joins.diagonal import is_below_diagonal, on_diagonal, with_zeros
from dask_tapestry.operators.joins.pad import pad_constant
from dask_tapestry.operators.views.broadcast import broadcast
from dask_tapestry.operators.views.unsqueeze import unsqueeze

__all__ = [
    "diag",
    "diagflat",
    "diagonal",
    "tril",
    "triu",
]


@implements(np.diagonal)
def diagonal(a: ArrayLike, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array:
    """Return the diagonals of the matrices in two axes, as `numpy.diagonal`.

    Only the blocks that a diagonal meets are read.

    {Parameters}
        a: The array, of two dimensions at least.
        offset: How many places above the main diagonal; negative below.
        {axis1}
    {Returns} Array: The other dimensions of `a`, and last the diagonal.
    {Raises} ShapeError: For less than two dimensions, or one axis given twice.
    {See Also} diag, trace
    {Examples}
    >>> dt.diagonal(dt.arange(9).reshape(3, 3), 1).compute()
    array([1, 5])
    """
    return Array(diagonal_tensor(asarray(a).node, integer(offset), axis1, axis2))


@implements(np.diag)
def diag(v: ArrayLike, k: int = 0) -> Array:
    """Return a diagonal of a matrix, or a matrix with a vector as its diagonal, as `numpy.diag`.

    {Parameters}
        v: A matrix, or a vector.
        {k}
    {Returns} Array: The diagonal of a matrix; of a vector of n cells a matrix of n + abs(k) rows
        and columns.
    {Raises} ShapeError: For anything but a vector or a matrix.
    {See Also} diagonal, diagflat, eye
    {Examples}
    >>> dt.diag(dt.arange(1, 3)).compute()
    array([[1, 0],
           [0, 2]])
    """
    x = asarray(v)
    if x.ndim == 2:
        return diagonal(x, k)
    if x.ndim != 1:
        raise ShapeError("Input must be 1- or 2-d.")
    offset = integer(k)
    side = x.size + abs(offset)
    zero = zero_cell(x.dtype)
    cells = pad_constant(x.node, 0, (0, abs(offset)), (zero, zero))
    lines = broadcast(unsqueeze(cells, 1 if offset >= 0 else 0), (side, side))
    return Array(with_zeros(on_diagonal((side, side), offset), lines))


@implements(np.diagflat)
def diagflat(v: ArrayLike, k: int = 0) -> Array:
    """Return a matrix with the flattened cells as a diagonal, as `numpy.diagflat`.

    {Parameters}
        v: An array of n cells.
        {k}
    {Returns} Array: A matrix of n + abs(k) rows and columns.
    {See Also} diag
    {Examples}
    >>> dt.diagflat([[1, 2]], 1).compute()
    array([[0, 1, 0],
           [0, 0, 2],
           [0, 0, 0]])
    """
    return diag(ravel(asarray(v)), k)


@implements(np.tril)
def tril(m: ArrayLike, k: int = 0) -> Array:
    """Return matrices with zeros above a diagonal, as `numpy.tril`.

    {Parameters}
        m: Matrices, of shape (..., M, N); a vector is taken as every row of a matrix.
        {k}
    {Returns} Array: Shape (..., M, N), dtype of `m`.
    {Raises} TypeError: For an array without dimensions.
    {See Also} triu, tri
    {Examples}
    >>> dt.tril(dt.ones((2, 2), int)).compute()
    array([[1, 0],
           [1, 1]])
    """
    x = _as_matrices(m)
    return Array(with_zeros(is_below_diagonal(x.shape, integer(k)), x.node))


@implements(np.triu)
def triu(m: ArrayLike, k: int = 0) -> Array:
    """Return matrices with zeros below a diagonal, as `numpy.triu`.

    {Parameters}
        m: Matrices, of shape (..., M, N); a vector is taken as every row of a matrix.
        {k}
    {Returns} Array: Shape (..., M, N), dtype of `m`.
    {Raises} TypeError: For an array without dimensions.
    {See Also} tril, tri
    {Examples}
    >>> dt.triu(dt.ones((2, 2), int)).compute()
    array([[1, 1],
           [0, 1]])
    """
    x = _as_matrices(m)
    return Array(
        with_zeros(elementwise("logical_not", is_below_diagonal(x.shape, integer(k) - 1)), x.node)
    )


def _as_matrices(m: ArrayLike) -> Array:
    """`m`; a vector becomes a square matrix with that vector in every row, as in NumPy."""
    x = asarray(m)
    if not x.ndim:
        raise ArgumentTypeError("tril and triu need an array of at least one dimension")
    return x if x.ndim > 1 else Array(broadcast(x.node, (x.size, x.size)))
