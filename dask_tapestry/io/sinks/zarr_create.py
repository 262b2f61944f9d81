"""Creating Zarr arrays, and the groups they are in."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from dask_tapestry.errors import StoreError
from dask_tapestry.io.files.folder_swap import NEW, remove_folder
from dask_tapestry.io.journals.write_marks import still_begun
from dask_tapestry.io.journals.write_record import RecordedWrite
from dask_tapestry.io.journals.writer_id import WriterId
from dask_tapestry.io.journals.zarr_journal import begin_write, delete_begun, earlier_records
from dask_tapestry.io.stores.stored_objects import objects_of
from dask_tapestry.io.stores.zarr_location import Location, zarr
from dask_tapestry.teg import TensorType


def create_begun(
    location: Location,
    write: RecordedWrite,
    maker: WriterId,
    overwrite: bool,
    options: Mapping[str, Any],
) -> None:
    """Create an empty array that says of itself that `write` has begun.

    What is replaced says so before anything of it goes. A folder gets its name when it says all of
    this, so of two that create an array at one place one is refused.

    Raises
    ------
    StoreError
        If something is there and `overwrite` is false, or the store refuses.
    """
    if getattr(location.store, "read_only", False):
        raise StoreError(f"cannot create a Zarr array at {location}: its store is read only")
    objects = objects_of(location)
    assert objects is not None
    folder = location.replaceable
    if folder is not None and not folder.exists():
        _create_folder(location, folder, write, maker, options)
        return
    if overwrite:
        old = earlier_records(location, write, maker)
        begin_write(location, write, maker)
        objects.clear(old)
        still_begun(location, write, write.box)
        _create_empty(location, write, options)
        return
    if objects.metadata() is not None:
        raise StoreError(f"cannot create a Zarr array at {location}: something is there")
    begin_write(location, write, maker)
    try:
        _create_empty(location, write, options)
    except StoreError:
        delete_begun(location, write, maker)
        raise


def _create_empty(location: Location, write: RecordedWrite, options: Mapping[str, Any]) -> None:
    """Create an array, and say so if another write has taken its cells meanwhile."""
    create(location, overwrite=False, **options)
    still_begun(location, write, write.box)


def _create_folder(
    location: Location,
    folder: Path,
    write: RecordedWrite,
    maker: WriterId,
    options: Mapping[str, Any],
) -> None:
    """Create an array in a folder of another name, and rename that: nothing is there in between."""
    version = int(options["zarr_format"])
    create_groups(location, version)
    new = folder.with_name(f"{folder.name}.{write.key.write}{write.key.run}{NEW}")
    inside = Location(str(new), "", f"{location.nonce} {write.run} new")
    try:
        remove_folder(new)
        begin_write(inside, write, maker)
        create(inside, overwrite=False, **options)
        new.rename(folder)
    except (OSError, StoreError) as error:
        remove_folder(new)
        raise StoreError(f"cannot create a Zarr array at {location}: {error}") from error


def create(location: Location, overwrite: bool, **options: Any) -> None:
    """Create an empty array.

    Raises
    ------
    StoreError
        If something is there and `overwrite` is false, or the store refuses.
    """
    try:
        if location.component:
            _open_group(location, zarr_format=options.get("zarr_format"))
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
        _open_group(location, path="/".join(outer), zarr_format=version)
    except Exception as error:
        raise StoreError(f"cannot create a Zarr array at {location}: {error}") from error


def _open_group(location: Location, **options: Any) -> None:
    """Create a group unless it is there, also where another task is creating it."""
    try:
        zarr().open_group(mode="a", **options, **location.arguments)
    except zarr().errors.ContainsGroupError:  # between zarr's look and its creation
        zarr().open_group(mode="a", **options, **location.arguments)


def dry_run_create(type_: TensorType, location: Location, **options: Any) -> Any:
    """Create such an array in memory, so that what zarr refuses is known before anything is lost.

    It is returned, without cells.

    Raises
    ------
    StoreError
        If zarr refuses.
    """
    dtype = np.dtype(type_.dtype.str) if type_.dtype.kind in "iu" else type_.dtype
    store = zarr().storage.MemoryStore()
    try:
        made = zarr().create_array(store=store, shape=type_.shape, dtype=dtype, **options)
    except Exception as error:
        raise StoreError(f"cannot create a Zarr array at {location}: {error}") from error
    return made
