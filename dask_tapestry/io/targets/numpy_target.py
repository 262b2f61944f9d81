"""NumPy arrays as targets: memory of this process, or mapped from a file."""

from __future__ import annotations

from dataclasses import field
from typing import Any
from uuid import uuid4

import numpy as np

from dask_tapestry.cells.fixed_dtype import cell_dtype
from dask_tapestry.errors import DTypeError, StoreError
from dask_tapestry.io.files.memmap_file import mapped_file, mapped_path, share_cells
from dask_tapestry.io.sources.duck_source import DuckSource
from dask_tapestry.io.sources.masked_array import is_masked
from dask_tapestry.io.sources.memmap_source import path_read
from dask_tapestry.io.targets.memmap_target import MemmapTarget
from dask_tapestry.io.targets.target import Target
from dask_tapestry.io.targets.write_region import WriteRegion
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.teg import Source, TensorType
from dask_tapestry.teg.types import Dims


@dataclass(frozen=True)
class NumpyTarget(Target):
    """A NumPy array of this process."""

    identity: str
    array: np.ndarray[Any, Any] = field(compare=False, repr=False)

    @property
    def shape(self) -> tuple[int, ...]:
        shape: tuple[int, ...] = self.array.shape
        return shape

    @property
    def dtype(self) -> np.dtype[Any]:
        dtype: np.dtype[Any] = self.array.dtype
        return dtype

    @property
    def local_only(self) -> str | None:
        return (
            "a NumPy array is memory of this process, where no other can write: use the threaded "
            "scheduler, or store to Zarr or to a numpy.memmap"
        )

    def write(self, selection: tuple[slice, ...], block: np.ndarray[Any, Any]) -> None:
        self.array[selection] = block

    def source(self, dims: Dims) -> Source:
        type_ = TensorType(self.shape, cell_dtype(self.dtype), dims)
        return DuckSource(uuid4().hex, type_, None, self.array)

    def meets(self, region: WriteRegion, other: Target, others: WriteRegion) -> bool:
        """Two arrays may be views of the same memory, or of the same file."""
        if not isinstance(other, NumpyTarget):
            return other.meets(others, self, region) if isinstance(other, MemmapTarget) else False
        return share_cells(region.view(self.array), others.view(other.array))

    def is_read_by(self, source: Source) -> bool:
        data = source.data
        if isinstance(data, np.ndarray) and np.may_share_memory(data, self.array):
            return True
        path = mapped_path(self.array)
        return path is not None and path_read(source) == path

    def has_cells_of(self, source: Source) -> bool:
        data = source.data
        return isinstance(data, np.ndarray) and _cells(data) == _cells(self.array)

    def __reduce__(self) -> tuple[Any, ...]:
        raise StoreError(self.local_only)

    def __str__(self) -> str:
        return "the NumPy array"


def _cells(array: np.ndarray[Any, Any]) -> tuple[Any, ...]:
    """Return what tells two arrays apart: address, shape, strides and dtype."""
    return array.__array_interface__["data"][0], array.shape, array.strides, array.dtype


def numpy_target(array: np.ndarray[Any, Any]) -> Target:
    """Return a NumPy array as a target; if it is mapped from a file, any process can write to it.

    Raises
    ------
    StoreError
        If it is read only.
    """
    if not array.flags.writeable:
        raise StoreError("the NumPy array to store to is read only")
    if is_masked(array):
        raise DTypeError("a masked array is not a target: store its data and its mask")
    file = mapped_file(array)
    return MemmapTarget(file) if file else NumpyTarget(uuid4().hex, array.view(np.ndarray))
