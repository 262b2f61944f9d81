"""Where a Zarr array is: paths, URLs, zip files, stores of zarr's, groups and arrays.

zarr is imported on first use: it takes a quarter of a second, which many programs never need.
"""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from dataclasses import dataclass, field
from os import fspath
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from dask_tapestry.errors import StoreError
from dask_tapestry.imports import lazily, loads

PARTIAL = ".partial"  # ends the name of a zip file while it is written


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
        """Location of a path, URL, zarr store, group or array."""
        if isinstance(store, zarr().Array | zarr().Group):
            inner = "/".join(part for part in (store.path, component or "") if part)
            return cls(store.store, inner, nonce)
        inner = (component or "").strip("/")
        return cls(_plain(store), inner, nonce, dict(options) if options else None)

    @property
    def is_in_memory(self) -> bool:
        """Whether the store lives in this process only."""
        if isinstance(self.store, str):
            return self.store.startswith("memory:")
        if isinstance(self.store, zarr().storage.FsspecStore):
            return str(self.store.fs.protocol) == "memory"
        return isinstance(self.store, zarr().storage.MemoryStore | dict)

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
        """What zarr's functions are told of the store beside the path within."""
        if not self.options:
            return {"store": self.store}
        from_url = zarr().storage.FsspecStore.from_url
        return {"store": from_url(self.store, storage_options=dict(self.options))}

    def check(self) -> None:
        """Raise `StoreError` if this machine does not know the file system that a URL names."""
        if isinstance(self.store, str) and "://" in self.store:
            try:
                lazily("fsspec.core").url_to_fs(self.store, **(self.options or {}))
            except (ImportError, ValueError) as error:
                raise StoreError(f"cannot reach {self}: {error}") from error

    @property
    def reading(self) -> str:
        """Mode in which zarr reads: a zip file that is being written can be opened in no other."""
        return "r+" if self.is_zip and not self.store.read_only else "r"

    @property
    def key(self) -> str:
        """Text that two locations share if they are the same place, as far as can be told."""
        storage = zarr().storage
        if isinstance(self.store, storage.MemoryStore):
            return f"memory {id(self.store._store_dict)}/{self.component}"
        if isinstance(self.store, dict):
            return f"memory {id(self.store)}/{self.component}"
        if isinstance(self.store, storage.LocalStore):
            return f"{Path(self.store.root).resolve() / self.component}"
        if isinstance(self.store, str) and "://" not in self.store:
            return f"{Path(self.store).resolve() / self.component}"
        return f"{self.store}/{self.component}"

    def __reduce__(self) -> tuple[Any, ...]:
        if isinstance(self.store, str):
            return Location, (self.store, self.component, self.nonce, self.options)
        return _located, (pickle.dumps(self.store), self.component, self.nonce)

    def __str__(self) -> str:
        store = self.store.path if self.is_zip else self.store
        return f"{store}" + (f"/{self.component}" if self.component else "")


def _located(store: bytes, component: str, nonce: str) -> Location:
    """Location whose store is an object of zarr's."""
    return Location(loads(store), component, nonce)


def _plain(store: Any) -> Any:
    """A path as text, one that names a zip file as the store that reads it."""
    if not isinstance(store, str | Path):
        return store
    path = fspath(store)
    if path.startswith("file://"):
        path = unquote(urlsplit(path).path)
    elif "://" in path:
        return path
    if path.endswith(".zip") and not Path(path).is_dir():
        return zarr().storage.ZipStore(path, mode="r")
    return path


def zarr() -> Any:
    """Return the zarr module."""
    return lazily("zarr")
