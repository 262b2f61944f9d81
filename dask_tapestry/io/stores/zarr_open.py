"""Opening Zarr arrays and groups: what is stored at a location; errors name the location."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from dask_tapestry.errors import StoreError, StoreNotFoundError
from dask_tapestry.imports import lazy_import
from dask_tapestry.io.files.folder_swap import TEMPORARY, beside_text
from dask_tapestry.io.stores.checked_metadata import check_metadata
from dask_tapestry.io.stores.zarr_location import Location, zarr
from dask_tapestry.io.stores.zarr_sync import run_store


def open_array(location: Location, mode: str = "r", empty_chunks: bool = False) -> Any:
    """Open the array at `location`, as it is now.

    Parameters
    ----------
    mode
        ``"r"`` or ``"r+"``.
    empty_chunks
        Write chunks without looking whether they hold fill values alone. (`open_array` of zarr 3.1
        does not mind ``config=``.)

    Raises
    ------
    StoreNotFoundError, StoreError
        If there is no array, none that can be read, or its metadata say what cannot be.
    """
    try:
        array = zarr().open_array(
            path=location.component,
            mode=location.reading if mode == "r" else mode,
            **location.arguments,
        )
    except FileNotFoundError:
        raise _not_found(location) from None
    except Exception as error:
        raise StoreError(f"cannot open the Zarr array at {location}: {error}") from error
    check_metadata(array, location)
    return array.with_config({"write_empty_chunks": True}) if empty_chunks else array


def _not_found(location: Location) -> StoreNotFoundError:
    folder = location.folder
    beside = "" if folder is None else beside_text(folder)
    return StoreNotFoundError(f"there is no Zarr array at {location}{beside}")


def open_cached(location: Location, mode: str = "r", empty_chunks: bool = False) -> Any:
    """Open the array at `location` once a process, and again when its metadata have changed."""
    return open_stamped(location, mode, empty_chunks, location.stamp)


@lru_cache(maxsize=128)
def open_stamped(location: Location, mode: str, empty_chunks: bool, stamp: object) -> Any:
    """Open the array at `location` once for each stamp of its metadata."""
    del stamp
    return open_array(location, mode, empty_chunks)


def moved(array: Any, folder: Path) -> Any:
    """Return an array of this machine's with its chunks in another folder, which is open.

    Of threads that open a store at once, all but the first fail.
    """
    known, parts = array.async_array, lazy_import("zarr.core.array")
    store = run_store(array, zarr().storage.LocalStore.open(folder))
    place = zarr().storage.StorePath(store, "")
    return zarr().Array(parts.AsyncArray(known.metadata, place, known.config))


def exists(location: Location) -> bool:
    """Whether anything, readable or not, is stored at `location`.

    Raises
    ------
    StoreError
        If the location cannot be looked at.
    """
    location.check()
    try:
        open_array(location)
    except StoreNotFoundError:
        return False
    except StoreError as error:
        if isinstance(error.__cause__, StoreError):  # the store does not let us look
            raise
        return True
    return True


def holds_array(location: Location) -> bool:
    """Whether an array is stored at `location`; a group, or nothing, is none.

    Raises
    ------
    StoreError
        If there is an array that cannot be read.
    """
    try:
        open_cached(location)
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
    """Return the format version of the group that `location` is in; None if there is none."""
    if not location.component:
        return None
    try:
        group = zarr().open_group(mode=location.reading, **location.arguments)
    except Exception:  # what is wrong with it shows when something is created there
        return None
    return int(group.metadata.zarr_format)


def group_members(location: Location) -> Mapping[str, Any]:
    """Return the arrays of the group at `location` and of its groups, by their path in it.

    Raises
    ------
    StoreNotFoundError, StoreError
        If there is no group, or none that can be read.
    """
    try:
        group = zarr().open_group(
            path=location.component, mode=location.reading, **location.arguments
        )
        with warnings.catch_warnings():  # folders of arrays that are being created
            warnings.filterwarnings("ignore", "Object at .* is not recognized")
            members = group.members(max_depth=None)
    except FileNotFoundError:
        raise _not_found(location) from None
    except Exception as error:
        raise StoreError(f"cannot open the Zarr group at {location}: {error}") from error
    return {
        path: item
        for path, item in sorted(members)
        if isinstance(item, zarr().Array) and not path.endswith(TEMPORARY)
    }
