"""Folders are swapped: one takes the place of another when it is complete.

Where the system can, the two change places at one moment. Elsewhere the old one is renamed first:
between that and the second rename nothing is in the place, and who looks there is told what lies
beside it (`beside_text`). What was replaced is deleted by the write that replaced it alone.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from dask_tapestry.errors import StoreError
from dask_tapestry.io.files.folder_exchange import exchange
from dask_tapestry.io.tuning import DELETE_ATTEMPTS

PARTIAL: Final = ".tapestry-partial"  # ends the name of a folder while it is written
REPLACED: Final = ".tapestry-replaced"  # of one that another has taken the place of
NEW: Final = ".tapestry-new"  # of one that nobody knows of yet
TEMPORARY: Final = (PARTIAL, REPLACED, NEW)
DESCRIPTIONS: Final = ("zarr.json", ".zarray", ".zgroup", "info")  # without one, nothing is read


def partial_path(folder: Path, write: str) -> Path:
    """Return the path at which a write makes what will take the place of a folder.

    Examples
    --------
    >>> partial_path(Path("data/x.zarr"), "5f").name
    'x.zarr.5f.tapestry-partial'
    """
    return folder.with_name(f"{folder.name}.{write}{PARTIAL}")


def replaced_path(part: Path) -> Path:
    """Return the path of what a partial folder takes the place of, once it has.

    Examples
    --------
    >>> replaced_path(Path("data/x.zarr.5f.tapestry-partial")).name
    'x.zarr.5f.tapestry-replaced'
    """
    return part.with_name(part.name.removesuffix(PARTIAL) + REPLACED)


def swap_in(part: Path, folder: Path, is_in_place: Callable[[], bool]) -> None:
    """Move the folder `part` into the place of `folder`; called again, it goes on where it stopped.

    Parameters
    ----------
    is_in_place
        Whether what is in the place now is what was `part`.

    Raises
    ------
    StoreError
        If it cannot be put there.
    """
    old = replaced_path(part)
    try:
        if part.exists():
            if not is_in_place():
                _move_into(part, folder, old)
            if part.exists():  # they have changed places
                part.rename(old)
        remove_folder(old)
    except OSError as error:
        raise StoreError(f"cannot replace {folder}: {error}") from error


def _move_into(part: Path, folder: Path, old: Path) -> None:
    try:
        part.rename(folder)  # where nothing is, or an empty folder
    except OSError:
        if not folder.is_dir():
            raise
        if not exchange(part, folder):
            folder.rename(old)
            part.rename(folder)


def remove_abandoned(folder: Path, is_abandoned: Callable[[Path], bool]) -> None:
    """Delete what failed writes have left beside a folder, and what was being deleted already."""
    name = re.compile(rf"{re.escape(folder.name)}\.[^.]+({'|'.join(map(re.escape, TEMPORARY))})")
    for path in list(folder.parent.iterdir()):
        if found := name.fullmatch(path.name):
            is_left = not is_described(path) if found[1] == REPLACED else is_abandoned(path)
            if is_left:
                remove_folder(path)


def is_described(folder: Path) -> bool:
    """Whether a folder holds the description of an array, a group or a stack: it may be read."""
    return any((folder / name).exists() for name in DESCRIPTIONS)


def beside_text(folder: Path) -> str:
    """Return what a write that was killed has left beside a place where nothing is; or nothing."""
    name = re.compile(rf"{re.escape(folder.name)}(\.[^.]+)?{re.escape(REPLACED)}")
    try:
        found = [path for path in folder.parent.iterdir() if name.fullmatch(path.name)]
    except OSError:
        return ""
    whole = sorted(str(path) for path in found if is_described(path))
    if not whole:
        return ""
    return f"; a write that did not end has left what was there at {', '.join(whole)}: rename it"


def remove_folder(folder: Path) -> None:
    """Delete a folder, if it is there, what describes it first; of a link the link alone."""
    if folder.is_symlink():
        folder.unlink()
    elif folder.is_dir():
        for name in DESCRIPTIONS:
            (folder / name).unlink(missing_ok=True)
        for _ in range(DELETE_ATTEMPTS):
            with suppress(OSError):  # a task that was writing to it has created another file
                shutil.rmtree(folder)
            if not folder.exists():
                return
        shutil.rmtree(folder)
