"""Consolidated metadata: those of all that is in a group, kept with the group's own.

Who reads a group that has them asks for one object and not for one of each array. They are written
after the last mark of a write, by one request, so a reader sees the former ones or the new ones. Of
several writes that end at one time the last to write looks again, and mends what it has overtaken.

Source: https://zarr.readthedocs.io/en/stable/user-guide/consolidated_metadata/.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from threading import Lock
from typing import Any, Final

from dask_tapestry.errors import StoreError
from dask_tapestry.io.stores.zarr_location import Location, zarr
from dask_tapestry.io.tuning import CONSOLIDATE_ATTEMPTS

_one: Final = Lock()  # filters of warnings are of all threads


def consolidate(location: Location, group: str) -> None:
    """Write the consolidated metadata of the group `group` in the store of a location.

    Raises
    ------
    StoreError
        If they cannot be written; what is in the group is complete all the same.
    """
    try:
        with _one, warnings.catch_warnings():  # of what is stored beside arrays, and of version 3
            warnings.simplefilter("ignore")
            for _ in range(CONSOLIDATE_ATTEMPTS):
                made = zarr().consolidate_metadata(path=group, **location.arguments)
                if _consolidated_members(made) == _members(location, group):
                    return
    except Exception as error:
        raise StoreError(
            f"{location} is written, and the metadata of the group {group or '/'} cannot be "
            f"consolidated: {error}"
        ) from error


def _members(location: Location, group: str) -> Mapping[str, Any]:
    """The metadata of all that is in a group, each read from where it is."""
    found = zarr().open_group(path=group, mode="r", use_consolidated=False, **location.arguments)
    return {name: _of(one) for name, one in found.members(max_depth=None)}


def _consolidated_members(group: Any) -> Mapping[str, Any]:
    """What the consolidated metadata of a group say."""
    return {name: _of(one) for name, one in group.members(max_depth=None)}


def _of(member: Any) -> str:
    held = {name: v for name, v in member.metadata.to_dict().items() if "consolidated" not in name}
    return str(held)


def group_of(location: Location, store: Any, consolidated: bool | None) -> str | None:
    """The group that a write keeps consolidated: that which is given, else the root of the store.

    It is None where it keeps none: if `consolidated` is false, or is None and there are no
    consolidated metadata now.
    """
    if consolidated is False or not location.component or location.is_zip:
        if consolidated:
            what = "in a zip file, written once" if location.is_zip else "an array in no group"
            raise StoreError(f"consolidated=True: {location} is {what}: give a component")
        return None
    path = store.path.strip("/") if isinstance(store, zarr().Group) else ""
    if path == location.component:
        path = path.rpartition("/")[0]
    if consolidated:
        return str(path)
    try:
        found = zarr().open_group(path=path, mode=location.reading, **location.arguments)
    except Exception:  # there is none yet, or what is wrong shows when it is written to
        return None
    return None if found.metadata.consolidated_metadata is None else str(path)
