"""Folders by a handle: what is written there goes to one folder, also when another takes its name.

An overwrite exchanges a complete folder for the one that is there. A task that stores a chunk by
path meanwhile would store it in the new one. Where the system names the folders that a process has
open (Linux, below `/proc/self/fd`), a task stores through such a name.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from dask_tapestry.io.stores.zarr_location import Location, stamp_of
from dask_tapestry.late_dataclass import dataclass

HANDLES: Final = Path("/proc/self/fd")


@dataclass(frozen=True)
class PinnedLocation(Location):
    """A folder that this process has open, whatever its name is now.

    Two of one folder are equal, though `store` names the handle of each.

    Attributes
    ----------
    name
        What errors call it.
    """

    name: str = ""

    @property
    def folder(self) -> Path:
        return Path(self.store)

    @property
    def stamp(self) -> Any:
        return stamp_of(self.folder)

    def __str__(self) -> str:
        return self.name


@contextmanager
def pinned(location: Location) -> Iterator[Location]:
    """The folder that is at a location now; where none is that another can replace, the location.

    Examples
    --------
    >>> with pinned(Location("nowhere/x.zarr", "", "")) as place:
    ...     place.store
    'nowhere/x.zarr'
    """
    folder = _replaceable(location)
    handle = None if folder is None else _opened(folder)
    if handle is None:
        yield location
        return
    try:
        known = os.fstat(handle)
        name = f"{location.nonce} {known.st_dev} {known.st_ino}"
        yield PinnedLocation(str(HANDLES / str(handle)), "", name, name=str(location))
    finally:
        os.close(handle)


def is_pinned_in(location: Location, place: Location) -> bool:
    """Whether what `pinned` gave for a location is there still."""
    folder = _replaceable(location)
    try:
        return folder is None or place is location or folder.samefile(place.store)
    except OSError:
        return False


def _opened(folder: Path) -> int | None:
    try:
        return os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError:  # nothing is there, or it is going: who writes there is told so
        return None


@lru_cache(maxsize=128)
def _replaceable(location: Location) -> Path | None:
    return location.replaceable if HANDLES.is_dir() else None
