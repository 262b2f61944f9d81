"""Arrays of one value with the shape and dtype of another array: `full_like`, `zeros_like`..."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.chunks import Chunks
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.core.dtypes import as_dtype
from dask_tapestry.arrays.core.naming import takes_name
from dask_tapestry.arrays.core.shape_arguments import Shape
from dask_tapestry.arrays.creation.filled import full
from dask_tapestry.cells.references import Cell
from dask_tapestry.operators.layouts.in_format import in_format
from dask_tapestry.operators.layouts.nominal_chunks import with_nominal_chunks
from dask_tapestry.teg.nominal import nominal_chunks
from dask_tapestry_kernels.block_format import BlockFormat

__all__ = ["empty_like", "full_like", "ones_like", "zeros_like"]


@implements(np.full_like)
@takes_name
def full_like(
    a: ArrayLike,
    fill_value: ArrayLike,
    dtype: DTypeLike | None = None,
    order: str = "K",
    subok: bool = True,
    shape: Shape | None = None,
    *,
    device: str | None = None,
    chunks: Chunks = None,
) -> Array:
    """Return an array of one value with the shape and dtype of `a`.

    {Parameters}
        a: The array whose shape, dtype, chunks and names of dimensions are taken.
        {fill_value, dtype.shape, order.subok, device}
        chunks: Nominal chunks, in any form that Dask takes; by default those of `a`.
    {Returns} Array: Shape and dtype of `a`, unless given.
    {Raises} ShapeError: For a negative length, or a fill value that does not broadcast.
    {Examples}
    >>> dt.full_like(dt.ones(2), 5).compute()
    array([5., 5.])
    """
    del subok
    like = asarray(a)
    sides = like.shape if shape is None else shape
    dims = like.dims if shape is None else None
    kind = like.dtype if dtype is None else dtype
    x = full(sides, fill_value, kind, order, device=device, chunks=chunks, dims=dims)
    if like.node.format is not None and device is None:
        x = Array(in_format(x.node, _filled(like.node.format, fill_value, x.dtype)))
    alike = chunks is None and shape is None and any(one.said for one in nominal_chunks(like.node))
    return Array(with_nominal_chunks(x.node, like.nominal_cuts)) if alike else x


def _filled(known: BlockFormat, value: ArrayLike, dtype: np.dtype[Any]) -> BlockFormat:
    """The format, with a number that fills an array as its fill value."""
    is_number = dtype.kind in "biufc" and not isinstance(value, Array) and np.ndim(value) == 0
    return known.filled(np.asarray(value).astype(dtype).item()) if is_number else known


@implements(np.zeros_like)
@takes_name
def zeros_like(
    a: ArrayLike,
    dtype: DTypeLike | None = None,
    order: str = "K",
    subok: bool = True,
    shape: Shape | None = None,
    *,
    device: str | None = None,
    chunks: Chunks = None,
) -> Array:
    """Return zeros with the shape and dtype of `a`.

    {Parameters}
        a: The array whose shape, dtype, chunks and names of dimensions are taken.
        {dtype.shape, order.full_like}
    {Returns} Array: Shape and dtype of `a`, unless given.
    {Examples}
    >>> dt.zeros_like(dt.ones(2)).compute()
    array([0., 0.])
    """
    like = asarray(a)
    value = _cell_like(np.zeros, like, dtype)
    return full_like(like, value, dtype, order, subok, shape, device=device, chunks=chunks)


@implements(np.ones_like)
@takes_name
def ones_like(
    a: ArrayLike,
    dtype: DTypeLike | None = None,
    order: str = "K",
    subok: bool = True,
    shape: Shape | None = None,
    *,
    device: str | None = None,
    chunks: Chunks = None,
) -> Array:
    """Return ones with the shape and dtype of `a`.

    {Parameters}
        a: The array whose shape, dtype, chunks and names of dimensions are taken.
        {dtype.shape, order.full_like}
    {Returns} Array: Shape and dtype of `a`, unless given.
    {Examples}
    >>> dt.ones_like(dt.zeros(2)).compute()
    array([1., 1.])
    """
    like = asarray(a)
    value = _cell_like(np.ones, like, dtype)
    return full_like(like, value, dtype, order, subok, shape, device=device, chunks=chunks)


@implements(np.empty_like)
@takes_name
def empty_like(
    prototype: ArrayLike,
    dtype: DTypeLike | None = None,
    order: str = "K",
    subok: bool = True,
    shape: Shape | None = None,
    *,
    device: str | None = None,
    chunks: Chunks = None,
) -> Array:
    """Return an array like `prototype`, whose cells have no promised value (they are zeros).

    {Parameters}
        prototype: The array whose shape, dtype, chunks and names of dimensions are taken.
        dtype, shape: Instead of those of `prototype`.
        {order.full_like}
    {Returns} Array: Shape and dtype of `prototype`, unless given.
    {Examples}
    >>> dt.empty_like(dt.ones(2)).shape
    (2,)
    """
    return zeros_like(prototype, dtype, order, subok, shape, device=device, chunks=chunks)


def _cell_like(
    make: Callable[..., np.ndarray[Any, Any]], like: Array, dtype: DTypeLike | None
) -> Cell:
    """The cell that `numpy.zeros` or `numpy.ones` puts into arrays of `dtype`, else of `like`'s."""
    cell = make((), like.dtype if dtype is None else as_dtype(dtype))
    return cell if cell.dtype.hasobject else cell.flat[0]
