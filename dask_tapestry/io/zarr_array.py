"""Opening and creating Zarr arrays, with errors that name the store.

zarr is imported on first use: it takes a quarter of a second, which many programs never need.
"""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np

from dask_tapestry.errors import StoreError, StoreNotFoundError
from dask_tapestry.imports import lazily, loads
from dask_tapestry.io.inline import inside_loop, run_inline

MARK: Final = "dask_tapestry"  # attribute of an array that is not complete yet


@dataclass(frozen=True)
class Location:
    """Where an array is stored; `nonce` tells two openings apart, so that none is stale."""

    store: Any = field(compare=False)
    component: str
    nonce: str

    @classmethod
    def of(cls, store: Any, component: str | None, nonce: str) -> Location:
        """Location of a path, URL, zarr store, group or array."""
        if isinstance(store, zarr().Array | zarr().Group):
            inner = "/".join(part for part in (store.path, component or "") if part)
            return cls(store.store, inner, nonce)
        return cls(str(store) if isinstance(store, Path) else store, component or "", nonce)

    @property
    def is_in_memory(self) -> bool:
        """Whether the store lives in this process only."""
        return isinstance(self.store, zarr().storage.MemoryStore | dict)

    def __reduce__(self) -> tuple[Any, ...]:
        if isinstance(self.store, str):
            return Location, (self.store, self.component, self.nonce)
        return _located, (pickle.dumps(self.store), self.component, self.nonce)

    def __str__(self) -> str:
        return f"{self.store}" + (f"/{self.component}" if self.component else "")


def _located(store: bytes, component: str, nonce: str) -> Location:
    """Location whose store is an object of zarr's."""
    return Location(loads(store), component, nonce)


def zarr() -> Any:
    """Return the zarr module."""
    return lazily("zarr")


@lru_cache(maxsize=128)
def opened(location: Location, mode: str = "r", empty_chunks: bool = False) -> Any:
    """Array at `location`; opened once a process.

    Parameters
    ----------
    mode
        ``"r"`` or ``"r+"``.
    empty_chunks
        Write chunks without looking whether they hold fill values alone.

    Raises
    ------
    StoreNotFoundError, StoreError
        If there is no array, or none that can be read.
    """
    options = {"config": {"write_empty_chunks": empty_chunks}} if mode == "r+" else {}
    try:
        return zarr().open_array(location.store, path=location.component, mode=mode, **options)
    except FileNotFoundError:
        raise StoreNotFoundError(f"there is no Zarr array at {location}") from None
    except Exception as error:
        raise StoreError(f"cannot open the Zarr array at {location}: {error}") from error


def read_box(location: Location, selection: tuple[slice, ...]) -> Any:
    """Cells of an array, read in this thread where its store allows."""
    array = opened(location)
    if _runs_inline(array):
        return run_inline(array.async_array.getitem(selection))
    return array.get_basic_selection(selection)


def write_box(
    location: Location, selection: tuple[slice, ...], block: Any, empty_chunks: bool
) -> None:
    """Store cells of an array, in this thread where its store allows."""
    array = opened(location, "r+", empty_chunks)
    if _runs_inline(array):
        run_inline(array.async_array.setitem(selection, block))
    else:
        array.set_basic_selection(selection, block)


def _runs_inline(array: Any) -> bool:
    storage = zarr().storage
    return isinstance(array.store, storage.LocalStore | storage.MemoryStore) and not inside_loop()


def refuse_incomplete(array: Any, location: Location) -> None:
    """Raise `StoreError` if a write of `array` has not ended."""
    if MARK in array.attrs:
        raise StoreError(
            f"the Zarr array at {location} is incomplete: a write of it failed or is still running"
        )


def exists(location: Location) -> bool:
    """Whether anything, readable or not, is stored at `location`."""
    try:
        opened.__wrapped__(location)
    except StoreNotFoundError:
        return False
    except StoreError:
        return True
    return True


def create(location: Location, overwrite: bool, **options: Any) -> None:
    """Create an empty array that says it is incomplete.

    Raises
    ------
    StoreError
        If something is there and `overwrite` is false, or the store refuses.
    """
    if location.component:
        zarr().open_group(location.store, mode="a")
    try:
        zarr().create_array(
            location.store,
            name=location.component or None,
            overwrite=overwrite,
            attributes={MARK: {"complete": False}},
            **options,
        )
    except Exception as error:
        raise StoreError(f"cannot create a Zarr array at {location}: {error}") from error


def complete(location: Location) -> None:
    """Take the mark of an incomplete array away."""
    array = opened(location, "r+")
    attributes = {key: value for key, value in array.attrs.items() if key != MARK}
    array.attrs.put(attributes)


def mark_incomplete(location: Location) -> None:
    """Mark an existing array as incomplete."""
    opened(location, "r+").attrs[MARK] = {"complete": False}


def compressors(choice: Any, dtype: np.dtype[Any]) -> Mapping[str, Any]:
    """Options of zarr that name the compressor.

    ``"auto"`` is Blosc with zstd at level 1, after a byte shuffle where cells have several bytes:
    on float16 pictures it encodes 2.5 times as fast as zarr's own choice (zstd level 0) and stores
    3 % more (benchmarks/image_job.py).
    """
    if isinstance(choice, str) and choice == "auto":
        shuffle = "shuffle" if dtype.itemsize > 1 else "noshuffle"
        codecs = lazily("zarr.codecs")
        return {"compressors": codecs.BloscCodec(cname="zstd", clevel=1, shuffle=shuffle)}
    return {"compressors": choice}
