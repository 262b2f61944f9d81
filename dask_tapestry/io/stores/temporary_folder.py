"""The temporary folder of a compute, for values that it alone reads; removed at its end.

It lies in what the setting ``temporary-store`` names, a folder or URL that all workers reach; by
default where Dask's workers put what they spill. Its name tells which process computes: what
killed processes have left is removed by the next compute that writes there.
"""

from __future__ import annotations

import shutil
from contextlib import suppress
from functools import lru_cache
from hashlib import blake2b
from os.path import isabs
from pathlib import Path
from tempfile import gettempdir
from typing import Any, Final
from urllib.parse import unquote, urlsplit

import numpy as np

from dask_tapestry.imports import lazy_import
from dask_tapestry.io.files.process_name import has_ended
from dask_tapestry.io.stores.zarr_location import Location
from dask_tapestry.settings import of_dask, setting
from dask_tapestry.zspace import ZRange

PREFIX: Final = "tapestry-temporary-"
AS_BYTES: Final = "SUV"  # kinds of dtypes whose cells are stored as bytes
OWNER: Final = "owner"  # file that names the process whose folder it is
HIDDEN: Final = "-ended"  # ends the name of one that is being removed


def temporary_root() -> str:
    """Folder or URL in which computes have their folders."""
    named = setting("temporary-store") or of_dask("temporary-directory")
    root = str(named or gettempdir())
    return _absolute(root) or _written(root)


@lru_cache(maxsize=16)
def _absolute(root: str) -> str | None:
    """An absolute path as it is written here, as each plan asks for it; None of another."""
    return _written(root) if isabs(root) else None


def _written(named: str) -> str:
    """A folder or URL that is named, as it is written here."""
    root = named.rstrip("/")
    if root.startswith("file://"):
        root = unquote(urlsplit(root).path)
    if _is_url(root):
        return root
    return str(Path(root) if isabs(root) else Path(root).expanduser().absolute())


@lru_cache(maxsize=16)
def lies_in_memory(root: str) -> bool:
    """Whether a folder is one of a file system in this machine's memory: nothing is gained there.

    Examples
    --------
    >>> lies_in_memory("/no such folder"), lies_in_memory("s3://bucket")
    (False, False)
    """
    mounts = Path("/proc/mounts")
    if _is_url(root) or not mounts.exists():
        return False
    lines = mounts.read_text("utf-8", "replace").splitlines()
    kinds = {fields[1]: fields[2] for line in lines if len(fields := line.split()) > 2}
    folder = Path(root).resolve()
    within = [one for one in (folder, *folder.parents) if str(one) in kinds]
    return bool(within) and kinds[str(within[0])] in ("tmpfs", "ramfs")


def folder_of_run(root: str, run: str) -> str:
    """Folder or URL of what the compute `run` writes for itself.

    Examples
    --------
    >>> folder_of_run("s3://bucket/scratch", "5f")
    's3://bucket/scratch/tapestry-temporary-5f'
    """
    return f"{root}/{PREFIX}{run}"


def temporary_location(root: str, run: str, name: str) -> Location:
    """The location of the value `name` of a compute."""
    return Location(f"{folder_of_run(root, run)}/{name}", "", f"{run} {name}")


def claim(root: str, run: str, owner: str) -> None:
    """Make the folder of a compute of the process `owner`, where folders have owners."""
    if not _is_url(root):
        folder = Path(folder_of_run(root, run))
        folder.mkdir(parents=True, exist_ok=True)
        (folder / OWNER).write_text(owner)


def remove_left(root: str) -> None:
    """Remove what processes of this machine have left that have ended."""
    for owner in () if _is_url(root) else Path(root).glob(f"{PREFIX}*/{OWNER}"):
        with suppress(OSError, ValueError):  # another process removes it, too; it is no such file
            if owner.is_file() and has_ended(owner.read_text("utf-8")):
                remove(str(owner.parent))


def hide(root: str, run: str) -> str | None:
    """Give the folder of a compute another name, so that no task finds it; None if it is not there.

    Objects behind a URL keep theirs.
    """
    folder = folder_of_run(root, run)
    if _is_url(root):
        return folder
    with suppress(OSError):
        return str(Path(folder).rename(f"{folder}{HIDDEN}"))
    return None


def remove(folder: str) -> None:
    """Remove a folder and all in it, last the file that tells whose it was."""
    if _is_url(folder):
        files, path = lazy_import("fsspec.core").url_to_fs(folder)
        with suppress(FileNotFoundError):
            files.rm(path, recursive=True)
        return
    for inside in Path(folder).iterdir():
        if inside.is_dir():
            shutil.rmtree(inside, ignore_errors=True)
    shutil.rmtree(folder, ignore_errors=True)


def value_name(digest: str, sides: tuple[int, ...]) -> str:
    """Name of a value by its digest and the chunks it is written in.

    Examples
    --------
    >>> value_name("5f", (2, 3)) == value_name("5f", (3, 2))
    False
    """
    return blake2b(f"{digest} {sides}".encode(), digest_size=12).hexdigest()


def stored_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype of which cells are stored: dates and times are integers, texts and records bytes.

    Examples
    --------
    >>> stored_dtype(np.dtype("M8[ns]")), stored_dtype(np.dtype("f4")), stored_dtype(np.dtype("U2"))
    (dtype('int64'), dtype('float32'), dtype('uint8'))
    """
    if dtype.kind in AS_BYTES:
        return np.dtype(np.uint8)
    return np.dtype(np.int64) if dtype.kind in "mM" else dtype


def byte_box(box: ZRange, dtype: np.dtype[Any]) -> ZRange:
    """The box that cells lie in as they are stored: bytes are an axis behind all others.

    Examples
    --------
    >>> print(byte_box(ZRange((2,), (5,)), np.dtype("S3")), byte_box(ZRange((2,), (5,)), "f4"))
    [2:5, 0:3] [2:5]
    """
    kind = np.dtype(dtype)
    behind = (kind.itemsize,) if kind.kind in AS_BYTES else ()
    return ZRange((*box.lo, *(0 for _ in behind)), (*box.hi, *behind))


def as_stored(cells: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """A view of cells as they are stored."""
    if cells.dtype.kind in AS_BYTES:
        return cells[..., None].view(np.uint8)
    return cells.view(stored_dtype(cells.dtype))


def _is_url(root: str) -> bool:
    return "://" in root or "::" in root
