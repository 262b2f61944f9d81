"""Indices of the triangles of a matrix: `tril_indices`, `triu_indices` and the like."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.amounts import reading
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.core.layout_arguments import takes_chunks
from dask_tapestry.errors import ShapeError

__all__ = ["tril_indices", "tril_indices_from", "triu_indices", "triu_indices_from"]


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
