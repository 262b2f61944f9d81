"""The file ``info`` of a stack of npy files.

A stack is what `dask.array.to_npy_stack` writes: a folder with a file for each block. ``info``
holds chunks, dtype and axis, pickled; here it is read without running anything that a pickle could
name. It is written last, so a folder without it is not complete.
"""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from dask_tapestry.io.journals.writer_id import WriterId

INFO = "info"


class _InfoUnpickler(pickle.Unpickler):
    """Unpickles numbers, containers and NumPy's dtypes, and nothing else."""

    def find_class(self, module: str, name: str) -> Any:
        if module == "numpy" and name == "dtype":
            return np.dtype
        if module == "numpy.dtypes" and name.endswith("DType"):
            return getattr(np.dtypes, name)
        raise pickle.UnpicklingError(f"{module}.{name} is not allowed in the info file")


def read_info(folder: Path) -> dict[str, Any]:
    """Return what ``info`` holds; errors are those of the file and of pickle."""
    with (folder / INFO).open("rb") as file:
        info: dict[str, Any] = _InfoUnpickler(file).load()
    return info


def write_info(folder: Path, info: Mapping[str, Any], maker: WriterId) -> None:
    """Write ``info``; what Dask reads of it is `info`."""
    with (folder / INFO).open("wb") as file:
        pickle.dump({**info, "by": maker.stored}, file)


def maker_of_stack(folder: Path) -> WriterId | None:
    """Return the maker of a stack; None if it is not known."""
    try:
        return WriterId.of(read_info(folder).get("by"))
    except Exception:  # whatever is there, no sink of ours wrote it
        return None
