"""Folders that take the place of others when they are complete."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Final

from dask_tapestry.errors import StoreError

PARTIAL: Final = ".tapestry-partial"  # ends the name of a folder while it is written
REPLACED: Final = ".tapestry-replaced"  # of one that another is taking the place of
TEMPORARY: Final = (PARTIAL, REPLACED)


def partial_path(folder: Path, write: str) -> Path:
    """Return the path at which a write makes what will take the place of a folder.

    Examples
    --------
    >>> partial_path(Path("data/x.zarr"), "5f").name
    'x.zarr.5f.tapestry-partial'
    """
    return folder.with_name(f"{folder.name}.{write}{PARTIAL}")


def swap_in(part: Path, folder: Path) -> None:
    """Move the folder `part` into the place of `folder`; called again, it goes on where it stopped.

    What other writes, which failed, have left beside the folder is deleted.

    Raises
    ------
    StoreError
        If it cannot be put there.
    """
    old = folder.with_name(folder.name + REPLACED)
    try:
        if part.exists():
            if folder.exists():
                remove_folder(old)
                folder.rename(old)
            part.rename(folder)
            _remove_parts(folder)
        remove_folder(old)
    except OSError as error:
        raise StoreError(f"cannot replace {folder}: {error}") from error


def _remove_parts(folder: Path) -> None:
    name = re.compile(rf"{re.escape(folder.name)}\.[^.]+{re.escape(PARTIAL)}")
    for path in list(folder.parent.iterdir()):
        if name.fullmatch(path.name):
            remove_folder(path)


def remove_folder(folder: Path) -> None:
    """Delete a folder, if it is there."""
    if folder.is_dir():
        shutil.rmtree(folder)
