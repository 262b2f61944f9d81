"""Which dtypes cells may have: of a fixed number of bytes, in this machine's byte order."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from dask_tapestry.errors import DTypeError

OBJECTS: Final = (
    "arrays of Python objects are not supported: cells need a fixed dtype, whose bytes a plan can "
    "count. Convert them before ('U' for texts, 'M8' for times, float for numbers), or let a "
    "function of `map_blocks` make objects of blocks and return numbers"
)
TEXTS: Final = (
    "texts of varying length (StringDType) are not supported: cells need a fixed dtype, whose "
    "bytes a plan can count. `astype('U')` in NumPy makes them as wide as the longest of them"
)


def fixed_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the dtype in this machine's byte order.

    Raises
    ------
    DTypeError
        For Python objects and texts of varying length, which lie outside of their cells.

    Examples
    --------
    >>> fixed_dtype(np.dtype(">f8"))
    dtype('float64')
    """
    if dtype.hasobject:
        raise DTypeError(TEXTS if dtype.kind == "T" else OBJECTS)
    return dtype if dtype.isnative else dtype.newbyteorder("=")
