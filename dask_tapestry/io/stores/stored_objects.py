"""Small objects beside an array's metadata: listed, read, created once, deleted; never rewritten.

They lie under a key that other readers of Zarr pass by. Folders and stores in memory are looked at
without zarr; behind a network each call is one request, or as many at once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import lru_cache
from os import scandir
from pathlib import Path
from shutil import rmtree
from typing import Any, Final
from uuid import uuid4

from dask_tapestry.errors import StoreError
from dask_tapestry.imports import lazy_import
from dask_tapestry.io.files.file_locks import shared_lock, wait_until_free
from dask_tapestry.io.files.shared_listing import listing_of
from dask_tapestry.io.stores.icechunk_store import is_icechunk
from dask_tapestry.io.stores.pinned_folder import PinnedLocation
from dask_tapestry.io.stores.zarr_location import METADATA, Location, stamp_of, unwrapped

FOLDER: Final = ".dask_tapestry.writes"


class StoredObjects(ABC):
    """The objects of one array."""

    @abstractmethod
    def names(self) -> frozenset[str]:
        """Return the names of all objects, as they are now."""

    @abstractmethod
    def read(self, name: str) -> bytes | None:
        """Return what an object holds; None if there is none."""

    @abstractmethod
    def existing(self, names: Sequence[str]) -> set[str]:
        """Return which of some names there are objects of, looked for in this order or at once."""

    @abstractmethod
    def create(self, name: str, data: bytes) -> None:
        """Store an object: all of it, or nothing."""

    def in_use(self, name: str) -> AbstractContextManager[None]:
        """Say inside a ``with`` block that a task works for which there is an object."""
        del name
        return nullcontext()

    def wait_for_users(self, name: str) -> None:  # noqa: B027  (where nobody can tell)
        """Wait until no task works any more that had said so, where that can be known."""

    @abstractmethod
    def delete(self, names: Iterable[str]) -> None:
        """Delete objects, in any order; some may be gone."""

    @abstractmethod
    def metadata(self) -> object:
        """Return a value that changes with the array's metadata; None if there are none."""

    @abstractmethod
    def clear(self, old: frozenset[str]) -> None:
        """Delete the array with all that is within, its metadata first, and the objects `old`.

        Others stay: writes that began since are told by them.
        """


class FolderObjects(StoredObjects):
    """The stored objects of an array in a folder of this machine."""

    def __init__(self, array: Path) -> None:
        self.array, self.folder = array, array / FOLDER

    def names(self) -> frozenset[str]:
        try:
            with scandir(self.folder) as found:
                return frozenset(entry.name for entry in found if entry.name[0] != ".")
        except (FileNotFoundError, NotADirectoryError):
            return frozenset()

    def read(self, name: str) -> bytes | None:
        try:
            return (self.folder / name).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None

    def existing(self, names: Sequence[str]) -> set[str]:
        return {name for name in names if (self.folder / name).exists()}

    def create(self, name: str, data: bytes) -> None:
        partial = self.folder / f".{uuid4().hex}"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            partial.write_bytes(data)
            partial.replace(self.folder / name)
        except OSError as error:
            with suppress(OSError):  # the first error is told
                partial.unlink()
            raise StoreError(f"cannot write {self.folder / name}: {error}") from error

    def in_use(self, name: str) -> AbstractContextManager[None]:
        return shared_lock(self.folder / name)

    def wait_for_users(self, name: str) -> None:
        wait_until_free(self.folder / name)

    def delete(self, names: Iterable[str]) -> None:
        for name in names:
            (self.folder / name).unlink(missing_ok=True)

    def metadata(self) -> object:
        return stamp_of(self.array)

    def clear(self, old: frozenset[str]) -> None:
        for name in METADATA:
            (self.array / name).unlink(missing_ok=True)
        for path in [*self.array.iterdir()] if self.array.is_dir() else ():
            if path != self.folder:
                _remove(path)
        self.delete(old)


def _remove(path: Path) -> None:
    """Delete a file, a link or a folder with all that is within."""
    if path.is_dir() and not path.is_symlink():
        rmtree(path)
    else:
        path.unlink(missing_ok=True)


class MemoryObjects(StoredObjects):
    """The stored objects of an array in a dictionary of this process."""

    def __init__(self, cells: dict[str, Any], array: str) -> None:
        self.cells = cells
        self.array = f"{array}/" if array else ""
        self.head = f"{self.array}{FOLDER}/"

    def names(self) -> frozenset[str]:
        head = self.head
        keys = list(self.cells)  # at once: other threads write
        return frozenset([key[len(head) :] for key in keys if key.startswith(head)])

    def read(self, name: str) -> bytes | None:
        found = self.cells.get(self.head + name)
        return None if found is None else bytes(found.to_bytes())

    def existing(self, names: Sequence[str]) -> set[str]:
        return {name for name in names if self.head + name in self.cells}

    def create(self, name: str, data: bytes) -> None:
        make = lazy_import("zarr.core.buffer").default_buffer_prototype().buffer.from_bytes
        self.cells[self.head + name] = make(data)

    def delete(self, names: Iterable[str]) -> None:
        for name in names:
            self.cells.pop(self.head + name, None)

    def metadata(self) -> object:
        found = (self.cells.get(self.array + name) for name in METADATA)
        texts = tuple(None if text is None else text.to_bytes() for text in found)
        return texts if any(texts) else None

    def clear(self, old: frozenset[str]) -> None:
        for name in METADATA:
            self.cells.pop(self.array + name, None)
        for key in [key for key in list(self.cells) if key.startswith(self.array)]:
            if not key.startswith(self.head):
                self.cells.pop(key, None)
        self.delete(old)


class RemoteObjects(StoredObjects):
    """The stored objects of an array in a store that only zarr can reach."""

    def __init__(self, store: Any, array: str) -> None:
        self.store, self.array = store, array
        self.head = f"{array}/{FOLDER}".lstrip("/")
        self._sync = lazy_import("zarr.core.sync").sync

    def names(self) -> frozenset[str]:
        store = unwrapped(self.store)
        files, root = getattr(store, "fs", store), getattr(store, "path", "")
        files = getattr(files, "sync_fs", files)  # which keeps the listings
        return listing_of(files, f"{root}/{self.head}").names(self._listed)

    def _listed(self) -> frozenset[str]:
        found = self._sync(self.store.all_keys(self.head))
        return frozenset(key.rstrip("/").rpartition("/")[2] for key in found)

    def read(self, name: str) -> bytes | None:
        return self._get(f"{self.head}/{name}")

    def _get(self, key: str) -> bytes | None:
        buffers = lazy_import("zarr.core.buffer").default_buffer_prototype()
        found = self._sync(self.store.get(key, buffers))
        return None if found is None else bytes(found.to_bytes())

    def existing(self, names: Sequence[str]) -> set[str]:
        buffers = lazy_import("zarr.core.buffer").default_buffer_prototype()
        keys = [f"{self.head}/{name}" for name in names]
        found = self._sync(self.store.get_all(keys, buffers))  # `exists` may look at an old listing
        return {name for name, text in zip(names, found, strict=True) if text is not None}

    def create(self, name: str, data: bytes) -> None:
        make = lazy_import("zarr.core.buffer").default_buffer_prototype().buffer.from_bytes
        self._sync(self.store.set(f"{self.head}/{name}", make(data)))

    def delete(self, names: Iterable[str]) -> None:
        self._sync(self.store.delete_keys([f"{self.head}/{name}" for name in names]))

    def metadata(self) -> object:
        for name in METADATA:
            text = self._get(f"{self.array}/{name}".lstrip("/"))
            if text is not None:
                return name, text
        return None

    def clear(self, old: frozenset[str]) -> None:
        first = [f"{self.array}/{name}".lstrip("/") for name in METADATA]
        self._sync(self.store.delete_keys(first))
        found = self._sync(self.store.all_keys(self.array))
        cells = [key for key in found if not key.startswith(f"{self.head}/")]
        self._sync(self.store.delete_keys(cells))
        self.delete(old)


def objects_of(location: Location) -> StoredObjects | None:
    """Return the objects of the array at a location; None where one process alone can write.

    That is a zip file, which has its name when it is complete, and an Icechunk session, of which
    nothing shows before it is committed.
    """
    if isinstance(location, PinnedLocation):
        return FolderObjects(location.folder)
    return _objects_of(location)


@lru_cache(maxsize=128)
def _objects_of(location: Location) -> StoredObjects | None:
    if location.is_zip or is_icechunk(unwrapped(location.store)):
        return None
    if (folder := location.folder) is not None:
        return FolderObjects(folder)
    store = unwrapped(location.store)
    cells = getattr(store, "_store_dict", store)
    if isinstance(cells, dict):
        return MemoryObjects(cells, location.component)
    return RemoteObjects(_patient(location), location.component)


def _patient(location: Location) -> Any:
    """The store of a location, as one that asks again where the network fails."""
    patient = lazy_import("dask_tapestry.io.stores.retrying_store").RetryingStore
    store = location.arguments["store"]
    if isinstance(store, patient):
        return store
    if not isinstance(store, lazy_import("zarr.abc.store").Store):
        make = lazy_import("zarr.storage._common").make_store
        store = lazy_import("zarr.core.sync").sync(make(store, mode="a"))
    return patient(store)
