"""Duck arrays as targets: anything with ``shape``, ``dtype`` and ``__setitem__``."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import field
from typing import Any
from uuid import uuid4

import numpy as np
from dask.utils import SerializableLock

from dask_tapestry.errors import DTypeError, StoreError
from dask_tapestry.io.sources.duck_source import DuckSource, regular_chunks
from dask_tapestry.io.stores.retry_policy import patiently
from dask_tapestry.io.targets.target import Target
from dask_tapestry.io.targets.write_region import WriteRegion
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.teg import Source, TensorType
from dask_tapestry.teg.types import Dims


@dataclass(frozen=True)
class SizedTarget:
    """What can be written into, with a shape and a dtype that it does not tell itself."""

    data: Any
    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    @staticmethod
    def of(data: Any, shape: tuple[int, ...], dtype: np.dtype[Any]) -> SizedTarget:
        """A target that can be read as well, if `data` can."""
        kind = ReadableTarget if hasattr(data, "__getitem__") else SizedTarget
        return kind(data, shape, dtype)

    def __setitem__(self, key: Any, cells: Any) -> None:
        self.data[key] = cells


class ReadableTarget(SizedTarget):
    """A target that can also be read."""

    def __getitem__(self, key: Any) -> Any:
        return self.data[key]


@dataclass(frozen=True)
class DuckTarget(Target):
    """Anything with ``shape``, ``dtype`` and ``__setitem__``.

    It travels to other processes by pickle, so there it must write to something that all see. Only
    one task at a time writes to it where a lock is given.
    """

    identity: str
    type: TensorType
    stored: tuple[int, ...]
    data: Any = field(compare=False, repr=False)
    lock: AbstractContextManager[Any] | None = field(default=None, compare=False, repr=False)

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
        patiently(lambda: self._put(selection, block), type(self.data).__name__)

    def _put(self, selection: tuple[slice, ...], block: np.ndarray[Any, Any]) -> None:
        held: AbstractContextManager[Any] = nullcontext() if self.lock is None else self.lock
        with held:  # others write while this waits to try again
            self.data[selection] = block

    def source(self, dims: Dims) -> Source:
        if not hasattr(self.data, "__getitem__"):
            raise StoreError(f"{self} cannot be read: it has no __getitem__")
        return DuckSource(uuid4().hex, self.type._replace(dims=dims), self.stored, self.data)

    def is_read_by(self, source: Source) -> bool:
        return source.data is self.data

    def meets(self, region: WriteRegion, other: Target, others: WriteRegion) -> bool:
        """Two targets may hold one object."""
        if not isinstance(other, DuckTarget) or other.data is not self.data:
            return False
        return region.meets(others)

    def __str__(self) -> str:
        return f"the {type(self.data).__name__}"


def duck_target(data: Any, lock: AbstractContextManager[Any] | bool | None) -> Target:
    """Return an object as a target.

    Raises
    ------
    DTypeError
        If it lacks ``shape``, ``dtype`` or ``__setitem__``.
    """
    if not all(hasattr(data, name) for name in ("shape", "dtype", "__setitem__")):
        raise DTypeError(
            f"{type(data).__name__} is not a target: it needs shape, dtype and __setitem__"
        )
    shape = tuple(int(n) for n in data.shape)
    type_ = TensorType(shape, np.dtype(data.dtype))
    stored = regular_chunks(data, len(shape)) or (1,) * len(shape)
    held = SerializableLock() if lock is True else (lock or None)
    return DuckTarget(uuid4().hex, type_, stored, data, held)
