"""The folder in which compiled kernels of all devices are kept, and what lies there."""

from __future__ import annotations

from dask_tapestry_kernels.jit.object_cache import DIRECTORY, LOCK, directory

__all__ = ["DIRECTORY", "directory", "kept_kernels"]


def kept_kernels() -> frozenset[str]:
    """Names of the files of kernels in the folder; none where there is no folder."""
    folder = directory()
    names = () if folder is None else [path.name for path in folder.iterdir() if path.is_file()]
    return frozenset(name for name in names if not name.startswith((LOCK, ".")))
