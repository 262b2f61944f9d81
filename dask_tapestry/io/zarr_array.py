"""Opening, reading, writing and creating Zarr arrays, with errors that name the store."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from dask_tapestry.errors import StoreError, StoreNotFoundError
from dask_tapestry.imports import lazily
from dask_tapestry.io.inline import inside_loop, run_inline
from dask_tapestry.io.zarr_location import Location, zarr
from dask_tapestry.teg import TensorType


def open_now(location: Location, mode: str = "r", empty_chunks: bool = False) -> Any:
    """Array at `location` as it is now.

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
        return zarr().open_array(
            path=location.component,
            mode=location.reading if mode == "r" else mode,
            **location.arguments,
            **options,
        )
    except FileNotFoundError:
        raise StoreNotFoundError(f"there is no Zarr array at {location}") from None
    except Exception as error:
        raise StoreError(f"cannot open the Zarr array at {location}: {error}") from error


opened = lru_cache(maxsize=128)(open_now)  # once a process


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


def exists(location: Location) -> bool:
    """Whether anything, readable or not, is stored at `location`.

    Raises
    ------
    StoreError
        If the location cannot be looked at.
    """
    location.check()
    try:
        open_now(location)
    except StoreNotFoundError:
        return False
    except StoreError:
        return True
    return True


def create(location: Location, overwrite: bool, **options: Any) -> None:
    """Create an empty array.

    Raises
    ------
    StoreError
        If something is there and `overwrite` is false, or the store refuses.
    """
    try:
        if location.component:
            kind = options.get("zarr_format")
            zarr().open_group(mode="a", zarr_format=kind, **location.arguments)
        zarr().create_array(
            name=location.component or None,
            overwrite=overwrite,
            **location.arguments,
            **options,
        )
    except Exception as error:
        raise StoreError(f"cannot create a Zarr array at {location}: {error}") from error


def try_to_create(type_: TensorType, location: Location, **options: Any) -> None:
    """Create such an array in memory, so that what zarr refuses is known before anything is lost.

    Raises
    ------
    StoreError
        If zarr refuses.
    """
    dtype = np.dtype(type_.dtype.str) if type_.dtype.kind in "iu" else type_.dtype
    store = zarr().storage.MemoryStore()
    try:
        zarr().create_array(store=store, shape=type_.shape, dtype=dtype, **options)
    except Exception as error:
        raise StoreError(f"cannot create a Zarr array at {location}: {error}") from error


def holds_array(location: Location) -> bool:
    """Whether an array is stored at `location`; a group, or nothing, is none.

    Raises
    ------
    StoreError
        If there is an array that cannot be read.
    """
    try:
        opened(location)
    except StoreNotFoundError:
        return False
    except StoreError:
        if _holds_group(location):
            return False
        raise
    return True


def _holds_group(location: Location) -> bool:
    try:
        group_members(location)
    except StoreError:
        return False
    return True


def format_of_group(location: Location) -> int | None:
    """Version of the format of the group that `location` is within; None if there is none."""
    if not location.component:
        return None
    try:
        group = zarr().open_group(mode=location.reading, **location.arguments)
    except Exception:  # what is wrong with it shows when something is created there
        return None
    return int(group.metadata.zarr_format)


def group_members(location: Location) -> Mapping[str, Any]:
    """Arrays of the group at `location` and of its groups, by their path in it.

    Raises
    ------
    StoreNotFoundError, StoreError
        If there is no group, or none that can be read.
    """
    try:
        group = zarr().open_group(
            path=location.component, mode=location.reading, **location.arguments
        )
        members = group.members(max_depth=None)
    except FileNotFoundError:
        raise StoreNotFoundError(f"there is no Zarr array at {location}") from None
    except Exception as error:
        raise StoreError(f"cannot open the Zarr group at {location}: {error}") from error
    return {path: item for path, item in sorted(members) if isinstance(item, zarr().Array)}


def compressors(choice: Any, dtype: np.dtype[Any], zarr_format: int = 3) -> dict[str, Any]:
    """Options of zarr that name the compressor.

    ``"auto"`` is Blosc with zstd at level 1, after a byte shuffle where cells have several bytes:
    on float16 pictures it encodes 2.5 times as fast as zarr's own choice (zstd level 0) and stores
    3 % more (benchmarks/image_job.py).
    """
    if not isinstance(choice, str) or choice != "auto":
        return {"compressors": choice}
    if zarr_format == 2:
        blosc = lazily("numcodecs").Blosc
        shuffle = blosc.SHUFFLE if dtype.itemsize > 1 else blosc.NOSHUFFLE
        return {"compressors": blosc(cname="zstd", clevel=1, shuffle=shuffle)}
    named = "shuffle" if dtype.itemsize > 1 else "noshuffle"
    codec = lazily("zarr.codecs").BloscCodec
    return {"compressors": codec(cname="zstd", clevel=1, shuffle=named)}
