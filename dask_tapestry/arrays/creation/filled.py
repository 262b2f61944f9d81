"""Arrays filled with one value: `full`, `zeros`, `ones`, `empty`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from dask_tapestry.amounts import reading
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.chunks import Chunks
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.declared_arguments import checked
from dask_tapestry.arrays.core.dtypes import as_dtype
from dask_tapestry.arrays.core.layout_arguments import with_chunks
from dask_tapestry.arrays.core.memory_arguments import check_order, new_on
from dask_tapestry.arrays.core.naming import takes_name
from dask_tapestry.arrays.core.shape_arguments import Shape, shape_of
from dask_tapestry.arrays.core.user_names import names_of
from dask_tapestry.operators.cells.elementwise import scalar_of
from dask_tapestry.operators.generators.full import full as full_tensor
from dask_tapestry.operators.views.broadcast import broadcast

__all__ = [
    "empty",
    "full",
    "ones",
    "zeros",
]


@checked
@takes_name
def full(
    shape: Shape,
    fill_value: ArrayLike,
    dtype: DTypeLike | None = None,
    order: str = "C",
    *,
    device: str | None = None,
    like: ArrayLike | None = None,  # noqa: ARG001
    chunks: Chunks = None,
    dims: Sequence[str | None] | None = None,
) -> Array:
    """Return an array of one value; it takes no memory.

    {Parameters}
        shape: Its shape.
        {fill_value}
        dtype: By default the value's.
        {order.like, device, chunks, dims}
    {Returns} Array: Of shape `shape`.
    {Raises} ShapeError: For a negative length, or a fill value that does not broadcast.
    {See Also} full_like, zeros, ones
    {Examples}
    >>> dt.full((2, 2), 7).compute()
    array([[7, 7],
           [7, 7]])
    """
    check_order(order)
    sides = shape_of(shape)
    names = names_of(dims, len(sides))
    if isinstance(fill_value, Array | list | tuple) or np.ndim(fill_value):
        cells = asarray(asarray(fill_value), dtype)  # an array first: tuples are no records
        x = Array(broadcast(cells.node, sides))
        x = x if names is None else x.rename(*names)
    else:
        with reading("fill_value"):
            value = np.asarray(fill_value)
        kind = as_dtype(dtype if dtype is not None else value.dtype)
        scalar = fill_value if isinstance(fill_value, int | float | complex) else value.flat[0]
        if kind.kind in "US" and not kind.itemsize:
            kind = np.dtype(f"{kind.kind}1")  # as NumPy's arrays of no characters
        x = Array(full_tensor(sides, scalar_of(scalar, kind), names, kind))
    return with_chunks(new_on(x, device), chunks)


@checked
@takes_name
def zeros(
    shape: Shape,
    dtype: DTypeLike | None = float,
    order: str = "C",
    *,
    device: str | None = None,
    like: ArrayLike | None = None,
    chunks: Chunks = None,
    dims: Sequence[str | None] | None = None,
) -> Array:
    """Return an array of zeros; it takes no memory.

    {Parameters}
        shape: Its shape.
        {dtype.float64, order.full}
    {Returns} Array: Of shape `shape`.
    {Raises} ShapeError: For a negative length.
    {Examples}
    >>> dt.zeros(3).compute()
    array([0., 0., 0.])
    """
    value = np.zeros((), as_dtype(dtype))[()]
    return full(shape, value, dtype, order, device=device, like=like, chunks=chunks, dims=dims)


@checked
@takes_name
def ones(
    shape: Shape,
    dtype: DTypeLike | None = None,
    order: str = "C",
    *,
    device: str | None = None,
    like: ArrayLike | None = None,
    chunks: Chunks = None,
    dims: Sequence[str | None] | None = None,
) -> Array:
    """Return an array of ones; it takes no memory.

    {Parameters}
        shape: Its shape.
        {dtype.float64, order.full}
    {Returns} Array: Of shape `shape`.
    {Raises} ShapeError: For a negative length.
    {Examples}
    >>> dt.ones(3, "int8").compute()
    array([1, 1, 1], dtype=int8)
    """
    value = np.ones((), as_dtype(dtype))[()]
    return full(shape, value, dtype, order, device=device, like=like, chunks=chunks, dims=dims)


@checked
@takes_name
def empty(
    shape: Shape,
    dtype: DTypeLike | None = float,
    order: str = "C",
    *,
    device: str | None = None,
    like: ArrayLike | None = None,
    chunks: Chunks = None,
    dims: Sequence[str | None] | None = None,
) -> Array:
    """Return an array whose cells have no promised value (they are zeros).

    {Parameters}
        shape: Its shape.
        {dtype.float64, order.full}
    {Returns} Array: Of shape `shape`.
    {Raises} ShapeError: For a negative length.
    {Examples}
    >>> dt.empty((2, 3)).shape
    (2, 3)
    """
    told: dict[str, Any] = {"device": device, "like": like, "chunks": chunks, "dims": dims}
    if dtype is not None and as_dtype(dtype).kind == "O":
        return full(shape, np.array(None), dtype, order, **told)
    return zeros(shape, dtype, order, **told)
