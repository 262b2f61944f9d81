"""Where a compute writes values that it alone reads again: a folder of its own, removed at its end.

It lies in what the setting ``temporary-store`` names, a folder or URL that all workers reach; by
default where Dask's workers put what they spill. Its name tells which process computes: what
killed processes have left is removed by the next one that writes there.
"""

from __future__ import annotations

import shutil
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from tempfile import gettempdir
from typing import Any, Final

import dask.config
import numpy as np

from dask_tapestry.imports import lazy_import
from dask_tapestry.io.files.process_name import has_ended
from dask_tapestry.io.stores.zarr_location import Location
from dask_tapestry.settings import setting

PREFIX: Final = "tapestry-temporary-"
OWNER: Final = "owner"  # file that names the process whose folder it is


def temporary_root() -> str:
    """Folder or URL in which computes have their folders."""
    named = setting("temporary-store") or dask.config.get("temporary-directory", None)
    return str(named or gettempdir()).rstrip("/")


def folder_of_run(root: str, run: str) -> str:
    """Folder or URL of what the compute `run` writes for itself.

    Examples
    --------
    >>> folder_of_run("s3://bucket/scratch", "5f")
    's3://bucket/scratch/tapestry-temporary-5f'
    """
    return f"{root}/{PREFIX}{run}"


def temporary_location(root: str, run: str, name: str) -> Location:
    """Where the value `name` of a compute lies."""
    return Location(f"{folder_of_run(root, run)}/{name}", "", f"{run} {name}")


def claim(root: str, run: str, owner: str) -> None:
    """Make the folder of a compute of the process `owner`, where folders have owners.

    What processes of this machine have left that have ended is removed.
    """
    if _is_url(root):
        return
    folder = Path(folder_of_run(root, run))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / OWNER).write_text(owner)
    for other in folder.parent.glob(f"{PREFIX}*/{OWNER}"):
        with suppress(OSError):  # another process removes it, too
            if has_ended(other.read_text()):
                shutil.rmtree(other.parent, ignore_errors=True)


def release(root: str, run: str) -> None:
    """Remove what a compute has written for itself; what is not there is no error."""
    folder = folder_of_run(root, run)
    if not _is_url(root):
        shutil.rmtree(folder, ignore_errors=True)
        return
    files, path = lazy_import("fsspec.core").url_to_fs(folder)
    with suppress(FileNotFoundError):
        files.rm(path, recursive=True)


def value_name(digest: str, sides: tuple[int, ...]) -> str:
    """Name of a value by its digest and the chunks it is written in.

    Examples
    --------
    >>> value_name("5f", (2, 3)) == value_name("5f", (3, 2))
    False
    """
    return blake2b(f"{digest} {sides}".encode(), digest_size=12).hexdigest()


def stored_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype of which cells are stored: dates and times are integers.

    Examples
    --------
    >>> stored_dtype(np.dtype("M8[ns]")), stored_dtype(np.dtype("f4"))
    (dtype('int64'), dtype('float32'))
    """
    return np.dtype(np.int64) if dtype.kind in "mM" else dtype


def _is_url(root: str) -> bool:
    return "://" in root or "::" in root
