"""Arrays in memory, and objects that are assigned to by slices, as targets."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import numpy as np
from dask.utils import SerializableLock

from dask_tapestry.errors import DTypeError, StoreError
from dask_tapestry.io.duck_source import DuckSource, regular_chunks
from dask_tapestry.io.memmap_source import (
    MappedTarget,
    mapped_file,
    mapped_path,
    path_read,
    share_cells,
)
from dask_tapestry.io.target import Target
from dask_tapestry.io.window import Window
from dask_tapestry.teg import Source, TensorType
from dask_tapestry.teg.types import Dims


@dataclass(frozen=True)
class ArrayTarget(Target):
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
        type_ = TensorType(self.shape, self.dtype.newbyteorder("="), dims)
        return DuckSource(uuid4().hex, type_, None, self.array)

    def meets(self, window: Window, other: Target, others: Window) -> bool:
        """Two arrays may be views of the same memory, or of the same file."""
        if not isinstance(other, ArrayTarget):
            return other.meets(others, self, window) if isinstance(other, MappedTarget) else False
        return share_cells(window.view(self.array), others.view(other.array))

    def is_read_by(self, source: Source) -> bool:
        data = getattr(source, "data", None)
        if isinstance(data, np.ndarray) and np.may_share_memory(data, self.array):
            return True
        path = mapped_path(self.array)
        return path is not None and path_read(source) == path

    def has_cells_of(self, source: Source) -> bool:
        data = getattr(source, "data", None)
        return isinstance(data, np.ndarray) and _cells(data) == _cells(self.array)

    def __reduce__(self) -> tuple[Any, ...]:
        raise StoreError(self.local_only)

    def __str__(self) -> str:
        return "the NumPy array"


def _cells(array: np.ndarray[Any, Any]) -> tuple[Any, ...]:
    """Which cells of memory an array holds, in what order."""
    return array.__array_interface__["data"][0], array.shape, array.strides, array.dtype


@dataclass(frozen=True)
class ObjectTarget(Target):
    """Anything with ``shape``, ``dtype`` and ``__setitem__``.

    It travels to other processes by pickle, so there it must write to something that all see. Only
    one task at a time writes to it where a lock is given.
    """

    identity: str
    type: TensorType
    stored: tuple[int, ...]
    data: Any = field(compare=False, repr=False)
    lock: Any = field(default=None, compare=False, repr=False)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.type.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.type.dtype

    @property
    def sides(self) -> tuple[int, ...]:
        return self.stored

    def write(self, selection: tuple[slice, ...], block: np.ndarray[Any, Any]) -> None:
        held: AbstractContextManager[Any] = nullcontext() if self.lock is None else self.lock
        with held:
            self.data[selection] = block

    def source(self, dims: Dims) -> Source:
        if not hasattr(self.data, "__getitem__"):
            raise StoreError(f"{self} cannot be read: it has no __getitem__")
        return DuckSource(uuid4().hex, self.type._replace(dims=dims), self.stored, self.data)

    def is_read_by(self, source: Source) -> bool:
        return getattr(source, "data", None) is self.data

    def meets(self, window: Window, other: Target, others: Window) -> bool:
        """An object may be the target of two calls."""
        if not isinstance(other, ObjectTarget) or other.data is not self.data:
            return False
        return window.meets(others)

    def __str__(self) -> str:
        return f"the {type(self.data).__name__}"


def array_target(array: np.ndarray[Any, Any]) -> Target:
    """A NumPy array as a target; one that is mapped from a file is written by any process.

    Raises
    ------
    StoreError
        If it is read only.
    """
    if not array.flags.writeable:
        raise StoreError("the NumPy array to store to is read only")
    if isinstance(array, np.ma.MaskedArray):
        raise DTypeError("a masked array is no target: store its data and its mask")
    file = mapped_file(array)
    return MappedTarget(file) if file else ArrayTarget(uuid4().hex, array.view(np.ndarray))


def object_target(data: Any, lock: Any) -> Target:
    """An object as a target.

    Raises
    ------
    DTypeError
        If it lacks ``shape``, ``dtype`` or ``__setitem__``.
    """
    if not all(hasattr(data, name) for name in ("shape", "dtype", "__setitem__")):
        raise DTypeError(
            f"{type(data).__name__} is no target: it needs shape, dtype and __setitem__"
        )
    shape = tuple(int(n) for n in data.shape)
    type_ = TensorType(shape, np.dtype(data.dtype))
    stored = regular_chunks(data, len(shape)) or (1,) * len(shape)
    held = SerializableLock() if lock is True else (lock or None)
    return ObjectTarget(uuid4().hex, type_, stored, data, held)
