"""Lazy arrays of xarray's backends: as the stored array below, and what decodes its cells."""

from __future__ import annotations

from typing import Any

from xarray.core.indexing import (
    BasicIndexer,
    CopyOnWriteArray,
    ImplicitToExplicitIndexingAdapter,
    LazilyIndexedArray,
    MemoryCachedArray,
)

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.indexing.getitem import getitem
from dask_tapestry.arrays.user_functions.gufuncs import apply_gufunc
from dask_tapestry.io.sources.coerce import as_tensor, is_zarr_array

WRAPPERS = (ImplicitToExplicitIndexingAdapter, CopyOnWriteArray, MemoryCachedArray)
ONE_CELL = "_ElementwiseFunctionArray"  # by name: its module differs between releases of xarray


def opened(data: Any) -> Array:
    """Return what xarray reads lazily as an array, of which a plan knows the stored chunks.

    A plan sees the chunks of a Zarr array below, slices that were taken of it, and functions of
    single cells that decode it. Anything else is read through xarray, by slices. Names of
    dimensions are left to xarray, which tells no array when it changes them.

    {Parameters} data: What xarray gives a chunk manager.
    {Returns} Array: Of the same cells, without names.
    """
    seen = _seen_through(data)
    x = asarray(data) if seen is None or seen.dtype != data.dtype else seen
    return x.rename(*[None] * x.ndim) if x.dims else x


def unwrapped(data: Any) -> Any:
    """Return the lazy array that xarray has wrapped for a chunk manager, or `data` itself."""
    return data.array if isinstance(data, ImplicitToExplicitIndexingAdapter) else data


def _seen_through(data: Any) -> Array | None:
    """The array below, if each layer above it is known."""
    while isinstance(data, WRAPPERS):
        data = data.array
    if isinstance(data, LazilyIndexedArray):
        below = _seen_through(data.array)
        if below is None or not isinstance(data.key, BasicIndexer):
            return None
        return Array(getitem(below, data.key.tuple).node)
    if type(data).__name__ == ONE_CELL:
        below = _seen_through(data.array)
        if below is None:
            return None
        decoded: Array = apply_gufunc(data.func, "()->()", below, output_dtypes=[data.dtype])
        return decoded
    if not hasattr(data, "get_array"):
        return None
    stored: Any = data.get_array()
    return (
        Array(as_tensor(stored)) if is_zarr_array(stored) and not stored.dtype.hasobject else None
    )
