"""Coerces whatever holds an array to a tensor: each kind by the source that reads least."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from numbers import Number
from typing import TYPE_CHECKING, Any, TypeGuard
from uuid import uuid4

import numpy as np

from dask_tapestry.errors import DTypeError
from dask_tapestry.imports import LateModule
from dask_tapestry.io.files.memmap_file import mapped_file
from dask_tapestry.io.sources.declared_type import declared_type
from dask_tapestry.io.sources.duck_source import DuckArray, from_duck
from dask_tapestry.io.sources.hdf5_source import from_dataset, is_dataset
from dask_tapestry.io.sources.memmap_source import MemmapSource
from dask_tapestry.io.sources.numpy_source import from_numpy
from dask_tapestry.io.stores.zarr_location import Location
from dask_tapestry.teg import Tensor, apply
from dask_tapestry.teg.types import Dims
from dask_tapestry_kernels.block_format import is_on_device

if TYPE_CHECKING:
    import zarr

    from dask_tapestry.io.sources import zarr_source
else:
    zarr_source = LateModule("dask_tapestry.io.sources.zarr_source")


def as_tensor(data: object, dims: Dims = None) -> Tensor:
    """Return the tensor of an array: in memory, in a file or store, or read by an object.

    Raises
    ------
    DTypeError
        For what is not an array, or has a mask.
    ShapeError
        For nested sequences of unequal lengths, or too few or many names of dimensions.
    """
    file = mapped_file(data) if isinstance(data, np.memmap) else None
    if file is not None and not file.dtype.hasobject:
        return apply(MemmapSource(file, declared_type(file.shape, file.dtype, dims).dims))
    if isinstance(data, np.ndarray | np.generic | list | tuple | int | float | complex):
        return from_numpy(data, dims)
    if is_zarr_array(data):
        return zarr_source.from_zarr_location(Location.of(data, None, uuid4().hex), dims)
    if is_dataset(data):
        return from_dataset(data, dims)
    if _is_read_by_slices(data):
        return from_duck(data, dims)
    cells = _as_numpy(data)
    is_other = cells is data and not (is_array_like(data) or isinstance(data, Sequence | Number))
    if is_other and np.asarray(data).dtype.hasobject:
        raise DTypeError(
            f"{type(data).__name__} is not an array: it needs shape, dtype and __getitem__, or a "
            "protocol of NumPy's; with dtype=object it becomes the only cell of one"
        )
    return from_numpy(cells, dims)


def is_array_like(data: object) -> bool:
    """Whether an object is an array or nested sequences, not to be a cell itself."""
    named = ("__array__", "__array_interface__", "__dask_graph__", "__dlpack__")
    return isinstance(data, list | tuple) or any(hasattr(data, name) for name in named)


def is_zarr_array(data: object) -> TypeGuard[zarr.Array[Any]]:
    """Whether an object is an array of zarr's; zarr is not imported to see that."""
    zarr = sys.modules.get("zarr")
    return zarr is not None and isinstance(data, getattr(zarr, "Array", ()))


def unwrap_xarray(data: object) -> tuple[Any, Dims] | None:
    """Return what an xarray object holds, and its dimension names; None for any other object.

    What xarray has not read yet stays unread.
    """
    xarray = sys.modules.get("xarray")
    kinds = tuple(getattr(xarray, name, ()) for name in ("DataArray", "Variable"))
    if xarray is None or not isinstance(data, kinds):
        return None
    names = tuple(name if isinstance(name, str) else None for name in data.dims)
    variable = getattr(data, "variable", data)
    inner = variable._data
    held = isinstance(inner, np.ndarray) or hasattr(inner, "__dask_graph__")
    return (inner if held else variable), (names if len(set(names)) == len(names) else None)


def _is_read_by_slices(data: object) -> TypeGuard[DuckArray]:
    """Whether an object says how to read part of it, and is not simply an array in memory."""
    named = all(hasattr(data, name) for name in ("shape", "dtype", "__getitem__"))
    if is_on_device(data):
        return named
    return named and not hasattr(data, "__dlpack__") and not hasattr(data, "__array_interface__")


def _as_numpy(data: object) -> Any:
    """Return an object's cells through a protocol of NumPy's that copies nothing, if it has one."""
    if hasattr(data, "__array__") or hasattr(data, "__array_interface__"):
        return data
    if hasattr(data, "__dlpack__"):
        try:
            return np.from_dlpack(data)
        except (BufferError, RuntimeError, TypeError, ValueError) as error:
            raise DTypeError(
                f"{type(data).__name__} cannot be converted by DLPack: {error}"
            ) from None
    return data
