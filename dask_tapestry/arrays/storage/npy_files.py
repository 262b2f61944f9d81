"""Arrays written to npy files: `save`."""

from __future__ import annotations

from os import PathLike, fspath, replace
from pathlib import Path
from typing import IO
from uuid import uuid4

import numpy as np
from numpy.lib.format import open_memmap
from numpy.typing import ArrayLike

from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.storage.stores import store

__all__ = ["save"]


@implements(np.save)
def save(file: str | PathLike[str] | IO[bytes], arr: ArrayLike, allow_pickle: bool = True) -> None:
    """Write an array to an npy file, as `numpy.save`; it is computed now.

    Blocks are written where they lie in the file, so that the array need not fit into memory. The
    file takes its name when it is complete.

    {Parameters}
        file: Path, which all processes must see and to which ``.npy`` is added unless it ends so;
            or a file that is open, for which the array is computed as a whole.
        {arr}
        allow_pickle: As NumPy's, without meaning: there are no Python objects in an array.
    {See Also} from_npy, to_npy_stack, to_zarr

    Examples
    --------
    >>> import tempfile, dask_tapestry as dt
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     dt.save(f"{folder}/x", dt.arange(3) * 2)
    ...     print(dt.from_npy(f"{folder}/x.npy").compute())
    [0 2 4]
    """
    array = asarray(arr)
    if not isinstance(file, str | PathLike) or not array.size:
        np.save(file, np.asarray(array), allow_pickle=allow_pickle)
        return
    name = fspath(file)
    path = Path(name if name.endswith(".npy") else f"{name}.npy")
    part = path.with_name(f".{path.name}.{uuid4().hex}")
    try:
        cells = open_memmap(part, mode="w+", dtype=array.dtype, shape=array.shape)
        store(array, cells)
        cells.flush()
        replace(part, path)
    finally:
        part.unlink(missing_ok=True)
