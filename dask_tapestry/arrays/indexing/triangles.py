"""Indices of the triangles of a matrix: `tril_indices`, `triu_indices` and the like."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.amounts import integer, reading
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.core.layout_arguments import takes_chunks
from dask_tapestry.arrays.creation.filled import ones
from dask_tapestry.arrays.creation.ranges import arange
from dask_tapestry.errors import ShapeError
from dask_tapestry.imports import LateModule

if TYPE_CHECKING:
    from dask_tapestry.arrays.masks import boolean_mask
else:
    boolean_mask = LateModule("dask_tapestry.arrays.masks.boolean_mask")

__all__ = [
    "diag_indices",
    "diag_indices_from",
    "mask_indices",
    "tril_indices",
    "tril_indices_from",
    "triu_indices",
    "triu_indices_from",
]


def diag_indices(n: int, ndim: int = 2) -> tuple[Array, ...]:
    """Return the indices of the cells of a diagonal, as `numpy.diag_indices`.

    {Parameters}
        n: Length of the diagonal.
        ndim: Number of dimensions of the array.
    {Returns} tuple of Array: For each dimension a vector, int64.
    {See Also} fill_diagonal, diagonal
    {Examples}
    >>> [x.compute().tolist() for x in dt.diag_indices(2)]
    [[0, 1], [0, 1]]
    """
    return (arange(integer(n)),) * integer(ndim)


@implements(np.diag_indices_from)
def diag_indices_from(arr: ArrayLike) -> tuple[Array, ...]:
    """Return the indices of the cells of an array's diagonal, as `numpy.diag_indices_from`.

    {Parameters} arr: Of two dimensions at least, which are equal; only its shape matters.
    {Returns} tuple of Array: For each dimension a vector, int64.
    {Raises} ShapeError: If there are less dimensions, or they differ.
    {See Also} diag_indices
    {Examples}
    >>> [x.compute().tolist() for x in dt.diag_indices_from(dt.ones((2, 2)))]
    [[0, 1], [0, 1]]
    """
    shape = asarray(arr).shape
    if len(shape) < 2:
        raise ShapeError("input array must be at least 2-d")
    if len(set(shape)) > 1:
        raise ShapeError("All dimensions of input must be of equal length")
    return diag_indices(shape[0], len(shape))


def mask_indices(n: int, mask_func: Callable[..., ArrayLike], k: Any = 0) -> tuple[Array, ...]:
    """Return the indices of the cells that a function keeps, as `numpy.mask_indices`.

    {Parameters}
        n: The mask is n by n.
        mask_func: Called with ones of that shape and with `k`, as `triu` is.
        k: Its second argument.
    {Returns} tuple of Array: The rows and columns of cells that are not zero.
    {See Also} triu_indices, nonzero
    {Examples}
    >>> [x.compute().tolist() for x in dt.mask_indices(2, dt.triu)]
    [[0, 0, 1], [0, 1, 1]]
    """
    return boolean_mask.nonzero(asarray(mask_func(ones((n, n), int), k)) != 0)


@takes_chunks
def tril_indices(n: int, k: int = 0, m: int | None = None) -> tuple[Array, Array]:
    """Return the rows and columns of the cells on and below a diagonal, as `numpy.tril_indices`.

    {Parameters}
        n, m: Numbers of rows and of columns of the matrix; by default as many columns as rows.
        {k}
    {Returns} rows, columns : Array: Vectors of one length, int64, in C order.
    {See Also} tril, tril_indices_from
    {Examples}
    >>> [x.compute().tolist() for x in dt.tril_indices(2)]
    [[0, 1, 1], [0, 0, 1]]
    """
    with reading("tril_indices"):
        rows, columns = np.tril_indices(n, k, m)
    return asarray(rows), asarray(columns)


@takes_chunks
def triu_indices(n: int, k: int = 0, m: int | None = None) -> tuple[Array, Array]:
    """Return the rows and columns of the cells on and above a diagonal, as `numpy.triu_indices`.

    {Parameters}
        n, m: Numbers of rows and of columns of the matrix; by default as many columns as rows.
        {k}
    {Returns} rows, columns : Array: Vectors of one length, int64, in C order.
    {See Also} triu, triu_indices_from
    {Examples}
    >>> [x.compute().tolist() for x in dt.triu_indices(2)]
    [[0, 0, 1], [0, 1, 1]]
    """
    with reading("triu_indices"):
        rows, columns = np.triu_indices(n, k, m)
    return asarray(rows), asarray(columns)


@implements(np.tril_indices_from)
def tril_indices_from(arr: ArrayLike, k: int = 0) -> tuple[Array, Array]:
    """Return the rows and columns of a matrix's cells on and below a diagonal.

    {Parameters}
        arr: The matrix; only its shape matters.
        {k}
    {Returns} rows, columns : Array: Vectors of one length, int64, in C order.
    {Raises} ShapeError: For anything but a matrix.
    {See Also} tril, tril_indices
    {Examples}
    >>> dt.tril_indices_from(dt.ones((2, 2)))[0].shape
    (3,)
    """
    rows, columns = _matrix_shape(arr)
    return tril_indices(rows, k, columns)


@implements(np.triu_indices_from)
def triu_indices_from(arr: ArrayLike, k: int = 0) -> tuple[Array, Array]:
    """Return the rows and columns of a matrix's cells on and above a diagonal.

    {Parameters}
        arr: The matrix; only its shape matters.
        {k}
    {Returns} rows, columns : Array: Vectors of one length, int64, in C order.
    {Raises} ShapeError: For anything but a matrix.
    {See Also} triu, triu_indices
    {Examples}
    >>> dt.triu_indices_from(dt.ones((2, 2)), 1)[0].shape
    (1,)
    """
    rows, columns = _matrix_shape(arr)
    return triu_indices(rows, k, columns)


def _matrix_shape(arr: ArrayLike) -> tuple[int, int]:
    shape = asarray(arr).shape
    if len(shape) != 2:
        raise ShapeError("input array must be 2-d")
    return shape[0], shape[1]
