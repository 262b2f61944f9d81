"""Origins of sources: names of their data, for writes that are resumed.

An origin is a text that another process finds too, and that is another where the data are others.
"""

from __future__ import annotations

import os
from pathlib import Path

from dask_tapestry.basic_errors import ArgumentError

TO_ZARR = "write it to Zarr first, and read it with from_zarr"


class UnnamedError(ArgumentError):
    """Something has no name that another process would find.

    Parameters
    ----------
    what
        That has none, and why.
    way
        What the user can do instead.
    """

    def __init__(self, what: str, way: str) -> None:
        super().__init__(what, way)
        self.what, self.way = what, way

    def __str__(self) -> str:
        return f"{self.what}: {self.way}"


def file_stamp(path: str | Path) -> str:
    """Text that is another when a file has been written to: its number, time and size.

    Raises
    ------
    UnnamedError
        If there is no such file.

    Examples
    --------
    >>> file_stamp(__file__) == file_stamp(__file__)
    True
    """
    try:
        known = os.stat(path)
    except OSError as error:
        raise UnnamedError(f"the file {path} has no stamp, {error}", "it must be there") from error
    return f"{known.st_ino} {known.st_mtime_ns} {known.st_size}"
