"""Opening, reading, writing and creating Zarr arrays, with errors that name the store."""

from __future__ import annotations

from collections.abc import Coroutine, Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from dask_tapestry.errors import StoreError, StoreNotFoundError
from dask_tapestry.imports import lazy_import
from dask_tapestry.io.chunks import split_by_chunk
from dask_tapestry.io.folder_swap import TEMPORARY
from dask_tapestry.io.zarr_location import Location, zarr
from dask_tapestry.io.zarr_sync import inside_loop, run_inline
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


def opened(location: Location, mode: str = "r", empty_chunks: bool = False) -> Any:
    """Array at `location`, opened once a process, and again when its metadata have changed."""
    return _opened(location, mode, empty_chunks, location.stamp)


@lru_cache(maxsize=128)
def _opened(location: Location, mode: str, empty_chunks: bool, stamp: Any) -> Any:
    del stamp
    return open_now(location, mode, empty_chunks)


def read_box(location: Location, selection: tuple[slice, ...]) -> Any:
    """Cells of an array, read in this thread where its store allows.

    Large chunks are read one after the other then: side by side they take no less time, and ten
    times their memory.
    """
    array = opened(location)
    if not _runs_inline(array):
        return array.get_basic_selection(selection)
    parts = list(split_by_chunk(selection, stored_sides(array), array.dtype.itemsize))
    if len(parts) == 1:
        return run_inline(array.async_array.getitem(selection))
    cells = np.empty([part.stop - part.start for part in selection], array.dtype)
    for part in parts:
        cells[_within(part, selection)] = run_inline(array.async_array.getitem(part))
    return cells


def write_box(
    location: Location, selection: tuple[slice, ...], block: Any, empty_chunks: bool
) -> None:
    """Store cells of an array, in this thread where its store allows."""
    array = opened(location, "r+", empty_chunks)
    if not _runs_inline(array):
        array.set_basic_selection(selection, block)
        return
    for part in split_by_chunk(selection, stored_sides(array), array.dtype.itemsize):
        cells = block[_within(part, selection)] if part != selection else block
        run_inline(array.async_array.setitem(part, cells))


def stored_sides(array: Any) -> tuple[int, ...]:
    """Sides of what is read and written as a whole: shards, or chunks where there are none."""
    sides = getattr(array, "shards", None) or array.chunks
    return tuple(max(1, int(n)) for n in sides)


def _within(part: tuple[slice, ...], whole: tuple[slice, ...]) -> tuple[slice, ...]:
    """Where the cells of a part lie in a block of the whole."""
    pairs = zip(part, whole, strict=True)
    return tuple(slice(a.start - b.start, a.stop - b.start) for a, b in pairs)


def read_object(array: Any, name: str) -> str | None:
    """Text of an object that is stored beside an array's metadata; None if there is none."""
    path = array.store_path / name
    found = run(array, path.get())
    return None if found is None else str(found.to_bytes().decode())


def write_object(array: Any, name: str, text: str) -> None:
    """Store text as an object beside an array's metadata."""
    make = lazy_import("zarr.core.buffer").default_buffer_prototype().buffer.from_bytes
    run(array, (array.store_path / name).set(make(text.encode())))


def run(array: Any, work: Coroutine[Any, Any, Any]) -> Any:
    """Run what a store does asynchronously, in this thread where the store allows."""
    return run_inline(work) if _runs_inline(array) else lazy_import("zarr.core.sync").sync(work)


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


def create_groups(location: Location, version: int) -> None:
    """Create the groups that an array at `location` is to be within.

    Raises
    ------
    StoreError
        If the store refuses.
    """
    *outer, _ = location.component.split("/")
    if not location.component:
        return
    try:
        path = "/".join(outer)
        zarr().open_group(path=path, mode="a", zarr_format=version, **location.arguments)
    except Exception as error:
        raise StoreError(f"cannot create a Zarr array at {location}: {error}") from error


def dry_run_create(type_: TensorType, location: Location, **options: Any) -> None:
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
    return {
        path: item
        for path, item in sorted(members)
        if isinstance(item, zarr().Array) and not path.endswith(TEMPORARY)
    }


def compressor_options(choice: Any, dtype: np.dtype[Any], zarr_format: int = 3) -> dict[str, Any]:
    """Options of zarr that name the compressor.

    ``"auto"`` is Blosc with zstd at level 1, after a byte shuffle where cells have several bytes:
    on float16 pictures it encodes 2.5 times as fast as zarr's own choice (zstd level 0) and stores
    3 % more (benchmarks/image_job.py).
    """
    if not isinstance(choice, str) or choice != "auto":
        return {"compressors": choice}
    if zarr_format == 2:
        blosc = lazy_import("numcodecs").Blosc
        shuffle = blosc.SHUFFLE if dtype.itemsize > 1 else blosc.NOSHUFFLE
        return {"compressors": blosc(cname="zstd", clevel=1, shuffle=shuffle)}
    named = "shuffle" if dtype.itemsize > 1 else "noshuffle"
    codec = lazy_import("zarr.codecs").BloscCodec
    return {"compressors": codec(cname="zstd", clevel=1, shuffle=named)}
