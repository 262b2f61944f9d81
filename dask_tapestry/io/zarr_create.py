"""Creating Zarr arrays, and the groups they are in."""

from __future__ import annotations

from typing import Any

import numpy as np

from dask_tapestry.errors import StoreError
from dask_tapestry.io.zarr_location import Location, zarr
from dask_tapestry.teg import TensorType


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
