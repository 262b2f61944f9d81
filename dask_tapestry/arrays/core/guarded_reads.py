"""Guarded reads of what `from_array` takes: one at a time, or by a function of the user.

Dask's ``lock=`` and ``getitem=``.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from operator import getitem as indexed
from typing import Any, final

import numpy as np
from dask.utils import SerializableLock

from dask_tapestry.arrays.core.write_arguments import Lock
from dask_tapestry.io.sources.coerce import is_zarr_array
from dask_tapestry.io.sources.hdf5_source import is_dataset

Getter = Callable[[Any, tuple[Any, ...]], Any]


def guarded(x: Any, lock: Lock, getitem: Getter | None) -> Any:
    """Return `x` as an object whose reads take the lock and call `getitem`.

    NumPy's, zarr's and h5py's arrays need no lock: all of them may be read by several threads.
    """
    safe = isinstance(x, np.ndarray | np.generic | list) or is_zarr_array(x) or is_dataset(x)
    if getitem is None and (safe or not lock):
        return x
    if isinstance(lock, bool):
        lock = SerializableLock() if lock else nullcontext()
    return GuardedReads(x, lock, getitem or indexed)


@final
class GuardedReads:
    """An array whose every read is a call of `read` while `lock` is held.

    Examples
    --------
    >>> import numpy as np, dask_tapestry as dt
    >>> def doubled(x, key):
    ...     return 2 * x[key]
    >>> dt.from_array(np.arange(3), getitem=doubled).compute()
    array([0, 2, 4])
    """

    __slots__ = ("lock", "read", "source")

    def __init__(self, source: Any, lock: AbstractContextManager[Any], read: Getter) -> None:
        self.source, self.lock, self.read = source, lock, read

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the source."""
        return tuple(self.source.shape)

    @property
    def ndim(self) -> int:
        """Number of dimensions of the source."""
        return len(self.source.shape)

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the source's cells."""
        kind: np.dtype[Any] = np.dtype(self.source.dtype)
        return kind

    @property
    def chunks(self) -> Any:
        """Chunks of the source, if it has any."""
        return getattr(self.source, "chunks", None)

    def __getitem__(self, key: tuple[Any, ...]) -> Any:
        with self.lock:
            return np.asarray(self.read(self.source, key))
