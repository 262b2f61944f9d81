"""Locations of Zarr arrays: paths, URLs, zip files, stores of zarr's, groups and arrays.

zarr is imported on first use: it takes a quarter of a second, which many programs never need.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Mapping, MutableMapping
from dataclasses import field, replace
from functools import cached_property, lru_cache
from os import fspath
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from dask_tapestry.errors import ArgumentTypeError, StoreError
from dask_tapestry.imports import lazy_import, unpickle
from dask_tapestry.io.stores.component_path import checked_component
from dask_tapestry.io.stores.icechunk_store import BY_SESSIONS, is_icechunk, name_of
from dask_tapestry.io.stores.remote_place import (
    READ_ALONE,
    has_references,
    references_text,
    server_text,
)
from dask_tapestry.late_dataclass import dataclass

METADATA: Final = ("zarr.json", ".zarray")  # the names of an array's metadata, by version


@dataclass(frozen=True)
class Location:
    """Where an array is stored; `nonce` tells two openings apart, so that none is stale.

    Attributes
    ----------
    store
        A path or URL, or a store of zarr's.
    component
        Path of the array within.
    options
        Of the file system that a URL names.
    """

    store: Any = field(compare=False)
    component: str
    nonce: str
    options: Mapping[str, Any] | None = field(default=None, compare=False, repr=False)

    @classmethod
    def of(
        cls,
        store: Any,
        component: str | None,
        nonce: str,
        options: Mapping[str, Any] | None = None,
    ) -> Location:
        """Location of a path, URL, zarr store, group or array.

        Raises
        ------
        StoreError
            If the component, or the path that an array has by its group's metadata, is no name of
            something within the store.
        ArgumentTypeError
            If `store` is something else, as an array, or None.
        """
        _require_store(store)
        name = checked_component(component or "", store)
        if isinstance(store, zarr().Array | zarr().Group | zarr().storage.StorePath):
            outer = checked_component(store.path.strip("/"), store.store)
            inner = "/".join(part for part in (outer, name) if part)
            return cls(_without_retries(store.store), inner, nonce)
        return cls(_plain(store), name, nonce, dict(options) if options else None)

    @classmethod
    def slot(cls, number: int, identity: str) -> Location:
        """Slot `number` of a plan: where nothing is, and nothing else may be."""
        return cls(f"slot-{number}", "", f"slot {number} {identity}")

    @property
    def is_in_memory(self) -> bool:
        """Whether the store lives in this process only."""
        if (found := _reached(self)) is not None:
            return "memory" in _protocols(found[0])
        return isinstance(unwrapped(self.store), zarr().storage.MemoryStore | dict)

    @property
    def is_zip(self) -> bool:
        """Whether the store is a zip file, which one process can write and nobody can change."""
        return isinstance(self.store, zarr().storage.ZipStore)

    @property
    def local_only(self) -> str | None:
        """Why only this process can write it, or None where any can."""
        if self.is_zip:
            return (
                f"the zip file {self} is written by one process: use the threaded scheduler, or "
                "write to a folder and zip that"
            )
        if self.is_in_memory:
            return (
                f"the in-memory store {self} cannot be written by another process: use the "
                "threaded scheduler, or a store on disk"
            )
        return None

    @property
    def arguments(self) -> dict[str, Any]:
        """Arguments of zarr's functions that name the store."""
        return {"store": self.store if self._patient is None else self._patient}

    @cached_property
    def _patient(self) -> Any:
        """A store that asks again where the network fails; None where there is no network."""
        storage, store = zarr().storage, self.store
        if _is_url(store):
            store = storage.FsspecStore.from_url(store, storage_options=dict(self.options or {}))
        known = (storage.LocalStore, storage.MemoryStore, storage.ZipStore)
        if type(store) in known or not isinstance(store, lazy_import("zarr.abc.store").Store):
            return None
        return lazy_import("dask_tapestry.io.stores.retrying_store").RetryingStore(store)

    def check(self) -> None:
        """Raise `StoreError` if this machine does not know the file system that a URL names."""
        if _is_url(self.store):
            try:
                lazy_import("fsspec.core").url_to_fs(self.store, **(self.options or {}))
            except (ImportError, ValueError) as error:
                raise StoreError(f"cannot reach {self}: {error}") from error

    @property
    def reading(self) -> str:
        """Mode in which zarr opens it to read; a zip file that is being written has no other."""
        return "r+" if self.is_zip and not self.store.read_only else "r"

    @property
    def folder(self) -> Path | None:
        """Folder of this machine's file system, or None where the store is elsewhere."""
        store = unwrapped(self.store)
        if isinstance(store, zarr().storage.LocalStore):
            root = store.root
        elif isinstance(store, str) and not _is_url(store):
            root = store
        elif (found := _reached(self)) is not None and "file" in _protocols(found[0]):
            root = found[1]
        else:
            return None
        return Path(root, self.component).resolve()

    def refuse_outside(self) -> None:
        """Raise `StoreError` if links within the store lead out of it: what is there is another's.

        The store itself may be a link.
        """
        folder = self.folder
        if folder is None or not self.component:
            return
        root = replace(self, component="", nonce="").folder
        if root is not None and root not in folder.parents:
            raise StoreError(
                f"a link leads from {self} out of the store, to {folder}: nothing is replaced there"
            )

    @property
    def replaceable(self) -> Path | None:
        """Folder that a new one can take the place of, or None."""
        store, storage = self.store, zarr().storage
        if type(store) in (storage.LocalStore, storage.FsspecStore) and store.read_only:
            return None
        if type(store) is storage.FsspecStore:
            local = lazy_import("fsspec.implementations.local").LocalFileSystem
            plain = type(_inner_file_system(store.fs, store.path, cached=False)[0]) is local
        else:
            plain = type(store) is storage.LocalStore or isinstance(store, str)
        return self.folder if plain and not _is_url(store) else None

    @cached_property
    def key(self) -> str:
        """Text that is the same for two locations of one place, as far as can be told."""
        if (folder := self.folder) is not None:
            return str(folder)
        storage, store = zarr().storage, unwrapped(self.store)
        root = str(store)
        if isinstance(store, storage.MemoryStore):
            root = f"memory {id(store._store_dict)}"
        elif isinstance(store, dict):
            root = f"memory {id(store)}"
        elif is_icechunk(store):
            root = name_of(store)
        elif (found := _reached(self)) is not None:
            server = server_text(found[0].storage_options)
            root = f"{_protocols(found[0])[0]}://{server}{found[1].strip('/')}"
        elif isinstance(store, storage.ObjectStore):
            root = f"{store} {server_text(getattr(store.store, 'config', {}))}"
        return f"{root}/{self.component}".rstrip("/")

    @property
    def contents(self) -> str:
        """Text that tells apart what has one key: where references lead; else an empty one."""
        found = _reached(self)
        if found is None or not has_references(found[0]):
            return ""
        return references_text(found[0], f"{found[1]}/{self.component}".strip("/"))

    @property
    def only_read(self) -> str | None:
        """Why nothing can be written there by any process, or None if it can."""
        store = unwrapped(self.store)
        if is_icechunk(store):
            return f"{self} {BY_SESSIONS}"
        if getattr(self.store, "read_only", False) and not self.is_zip:
            return f"the store of {self} was opened to read only"
        if (found := _reached(self)) is not None and has_references(found[0]):
            return f"{self} {READ_ALONE}"
        return None

    @property
    def retry_names(self) -> frozenset[str]:
        """Names under which is counted what had to be asked of it again."""
        found = {str(self), str(unwrapped(self.store)), str(unwrapped(self.arguments["store"]))}
        return frozenset(found if self.folder is None else found | {str(self.folder)})

    @property
    def stamp(self) -> Any:
        """A value that changes with the array's metadata; None where looking would be slow."""
        store = unwrapped(self.store)
        cells = getattr(store, "_store_dict", store)
        if isinstance(cells, dict):
            found = (cells.get(f"{self.component}/{name}".lstrip("/")) for name in METADATA)
            return tuple(None if text is None else text.to_bytes() for text in found)
        folder = _folder_of(self)
        return None if folder is None else stamp_of(folder)

    def holds(self, other: Location) -> bool:
        """Whether another location is this one, or within it."""
        return f"{other.key}/".startswith(f"{self.key}/")

    def __reduce__(self) -> tuple[Any, ...]:
        if isinstance(self.store, str):
            return Location, (self.store, self.component, self.nonce, self.options)
        return _located, (pickle.dumps(self.store), self.component, self.nonce)

    def __str__(self) -> str:
        store = self.store.path if self.is_zip else self.store
        store = name_of(store) if is_icechunk(store) else store
        return f"{store}" + (f"/{self.component}" if self.component else "")


def _located(store: bytes, component: str, nonce: str) -> Location:
    """Location whose store is an object of zarr's."""
    return Location(unpickle(store), component, nonce)


@lru_cache(maxsize=128)
def _folder_of(location: Location) -> Path | None:
    return location.folder


def stamp_of(folder: Path) -> tuple[int, int, int] | None:
    """A value that changes with the metadata of the array in a folder; None if there are none."""
    for name in METADATA:
        try:
            known = os.stat(f"{folder}/{name}")
        except (FileNotFoundError, NotADirectoryError):
            continue
        return known.st_ino, known.st_mtime_ns, known.st_size
    return None


def _without_retries(store: Any) -> Any:
    """The store behind one that `Location` has made."""
    patient = lazy_import("dask_tapestry.io.stores.retrying_store").RetryingStore
    return store._store if isinstance(store, patient) else store


def unwrapped(store: object) -> Any:
    """The store that one of zarr's passes its calls on to, or itself."""
    while isinstance(store, zarr().storage.WrapperStore):
        store = store._store
    return store


def _reached(location: Location) -> tuple[Any, str] | None:
    """The file system that a URL or a store of fsspec's leads to, and the path there; or None."""
    store = unwrapped(location.store)
    if isinstance(store, zarr().storage.FsspecStore):
        return _inner_file_system(store.fs, store.path)
    if isinstance(store, lazy_import("fsspec.mapping").FSMap):
        return _inner_file_system(store.fs, store.root)
    if not _is_url(store):
        return None
    try:
        files, path = lazy_import("fsspec.core").url_to_fs(store, **(location.options or {}))
    except Exception:  # what is wrong with it shows when it is opened
        return None
    return _inner_file_system(files, path)


def _inner_file_system(files: Any, path: str, cached: bool = True) -> tuple[Any, str]:
    """Return the file system to which others pass their calls, and the path there.

    One that keeps copies leads to what it has copies of where `cached`.
    """
    known = "fsspec.implementations"
    if isinstance(files, lazy_import(f"{known}.dirfs").DirFileSystem):
        return _inner_file_system(files.fs, files._join(path), cached)
    if isinstance(files, lazy_import(f"{known}.asyn_wrapper").AsyncFileSystemWrapper):
        return _inner_file_system(files.sync_fs, path, cached)
    if cached and isinstance(files, lazy_import(f"{known}.cached").CachingFileSystem):
        return _inner_file_system(files.fs, path, cached)
    return files, files._strip_protocol(path)


def _protocols(files: Any) -> tuple[str, ...]:
    """Names of a file system of fsspec's."""
    names = files.protocol
    return (names,) if isinstance(names, str) else tuple(names)


def _is_url(store: object) -> bool:
    """Whether zarr opens it by fsspec."""
    return isinstance(store, str) and ("://" in store or "::" in store)


def _require_store(store: object) -> None:
    """Refuse what names no place: zarr would make a store in memory for None, and another later."""
    known = (str, os.PathLike, MutableMapping)
    if isinstance(store, known) or is_icechunk(store):
        return
    kinds = (zarr().Array, zarr().Group, zarr().storage.StorePath)
    if not isinstance(store, (*kinds, lazy_import("zarr.abc.store").Store)):
        raise ArgumentTypeError(
            "store must be a path or URL, or a store, group or array of zarr's, not "
            f"{type(store).__name__}"
        )


def _plain(store: object) -> Any:
    """Return a path as text, the path of a zip file as a store that reads it, FSMaps as stores."""
    if isinstance(store, str | Path):
        path = fspath(store)
    elif not isinstance(store, lazy_import("fsspec.mapping").FSMap):
        return store
    elif "file" not in _protocols(store.fs):
        return zarr().storage.FsspecStore.from_mapper(store)
    else:
        path = str(store.root)
    if path.startswith("file://"):
        path = unquote(urlsplit(path).path)
    elif path.startswith("local://") and "::" not in path:
        path = lazy_import("fsspec.implementations.local").LocalFileSystem._strip_protocol(path)
    elif _is_url(path):
        return path
    if path.endswith(".zip") and not Path(path).is_dir():
        return zarr().storage.ZipStore(path, mode="r")
    return path


def zarr() -> Any:
    """Return the zarr module."""
    return lazy_import("zarr")
