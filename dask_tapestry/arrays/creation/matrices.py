"""Matrices by their structure: ones on a diagonal, ones below it, powers as columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from dask_tapestry.amounts import integer
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.chunks import Chunks
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.declared_arguments import checked
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.core.dtypes import as_dtype, promoted
from dask_tapestry.arrays.core.layout_arguments import takes_chunks, with_chunks
from dask_tapestry.arrays.core.memory_arguments import check_order, new_on
from dask_tapestry.arrays.core.shape_arguments import shape_of
from dask_tapestry.arrays.creation.filled import full, ones
from dask_tapestry.errors import DTypeError, ShapeError
from dask_tapestry.operators.cells.elementwise import astype, cell_call, elementwise
from dask_tapestry.operators.joins.diagonal import is_below_diagonal, on_diagonal
from dask_tapestry.operators.joins.stack import stack
from dask_tapestry.teg import Tensor

__all__ = ["eye", "identity", "tri", "vander"]


@checked
def eye(
    N: int,
    M: int | None = None,
    k: int = 0,
    dtype: DTypeLike | None = float,
    order: str = "C",
    *,
    device: str | None = None,
    like: ArrayLike | None = None,  # noqa: ARG001
    chunks: Chunks = None,
) -> Array:
    """Return a matrix with ones on a diagonal and zeros elsewhere; it takes no memory.

    {Parameters}
        N, M: Numbers of rows and of columns; by default as many columns as rows.
        {k, dtype.float64, order.like, device, chunks}
    {Returns} Array: Shape (N, M).
    {Raises} ShapeError: For a negative length.
    {See Also} identity, tri, diag
    {Examples}
    >>> dt.eye(2, 3, 1).compute()
    array([[0., 1., 0.],
           [0., 0., 1.]])
    """
    check_order(order)
    rows, columns = shape_of((integer(N), integer(N if M is None else M)))
    diagonal = on_diagonal((rows, columns), integer(k))
    made = Array(_ones_where(diagonal, as_dtype(dtype)))
    return with_chunks(new_on(made, device), chunks)


def _ones_where(mask: Tensor, dtype: np.dtype[Any]) -> Tensor:
    """Ones of `dtype` where `mask` is true, else zeros, which is an empty text."""
    if dtype.kind not in "US":
        return astype(mask, dtype)
    cells = np.zeros(1, dtype)  # of one character, if no length is given
    zero = cells[0]
    cells[0] = 1
    loop = (np.dtype(bool), cells.dtype, cells.dtype)
    return cell_call("where", (mask, cells[0], zero), loop, cells.dtype)


@checked
def identity(n: int, dtype: DTypeLike | None = None, *, like: ArrayLike | None = None) -> Array:  # noqa: ARG001
    """Return the square matrix with ones on its main diagonal.

    {Parameters}
        n: Number of rows and of columns.
        {dtype.float64, like}
    {Returns} Array: Shape (n, n).
    {See Also} eye
    {Examples}
    >>> dt.identity(2, int).compute()
    array([[1, 0],
           [0, 1]])
    """
    return eye(n, dtype=float if dtype is None else dtype)


@checked
@takes_chunks
def tri(
    N: int,
    M: int | None = None,
    k: int = 0,
    dtype: DTypeLike | None = float,
    *,
    like: ArrayLike | None = None,  # noqa: ARG001
) -> Array:
    """Return a matrix of ones on and below a diagonal, zeros above it; it takes no memory.

    {Parameters}
        N, M: Numbers of rows and of columns; by default as many columns as rows.
        {k, dtype.float64, like}
    {Returns} Array: Shape (N, M).
    {See Also} tril : the lower triangle of a given matrix.
    {Examples}
    >>> dt.tri(2, 3, dtype=int).compute()
    array([[1, 0, 0],
           [1, 1, 0]])
    """
    shape = max(0, integer(N)), max(0, integer(N if M is None else M))
    return Array(astype(is_below_diagonal(shape, integer(k)), as_dtype(dtype)))


@implements(np.vander)
def vander(x: ArrayLike, N: int | None = None, increasing: bool = False) -> Array:
    """Return the powers of a vector as the columns of a matrix, as `numpy.vander`.

    {Parameters}
        x: The vector, of shape (n,).
        N: Number of columns, by default n.
        increasing: Whether the powers rise from left to right; by default they fall.
    {Returns} Array: Shape (n, N); integers and booleans give int64 at least.
    {Raises} ShapeError: For anything but a vector, or a negative number of columns.
    {Examples}
    >>> dt.vander([2, 3], 3).compute()
    array([[4, 2, 1],
           [9, 3, 1]])
    """
    array = asarray(x)
    if array.ndim != 1:
        raise ShapeError("x must be a one-dimensional array or sequence.")
    count = array.size if N is None else integer(N)
    kind = promoted(array.dtype, np.dtype(int))
    if kind.kind in "SU":
        raise DTypeError("texts have no powers")
    shape_of((count,))
    if not count:
        return full((array.size, 0), 0, kind)
    base = astype(array.node, kind)
    columns = [ones(array.size, kind).node, base][:count]
    while len(columns) < count:
        columns.append(elementwise("multiply", columns[-1], base))
    return Array(stack(columns if increasing else columns[::-1], 1))
