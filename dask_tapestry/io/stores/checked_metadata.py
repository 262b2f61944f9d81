"""Checks of a stored array's metadata: others may have written them, and nothing is unpickled.

zarr reads the metadata and checks their types. Here is checked what it leaves open and what would
take memory, or run code, once cells are read.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any, Final

from dask_tapestry.errors import StoreError
from dask_tapestry.io.tuning import MOST_STORED_BYTES, MOST_STORED_DIMENSIONS

RUNS_CODE: Final = frozenset({"pickle"})  # codecs of numcodecs whose bytes say what is called


def check_metadata(array: Any, place: object) -> None:
    """Raise `StoreError` if the metadata of one of zarr's arrays are of none that can be read.

    Parameters
    ----------
    place
        Where it is, for the error.

    Examples
    --------
    >>> import zarr
    >>> check_metadata(zarr.zeros((2, 3)), "memory")
    """
    fault = _fault(array)
    if fault:
        raise StoreError(f"cannot open the Zarr array at {place}: {fault}")


def _fault(array: Any) -> str:
    """What is wrong; nothing if all is right."""
    shape, itemsize = tuple(array.shape), max(1, array.dtype.itemsize)
    if len(shape) > MOST_STORED_DIMENSIONS:
        dimensions = f"{len(shape)} dimensions, more than the {MOST_STORED_DIMENSIONS} of NumPy"
        return f"it says that it has {dimensions}"
    if max(shape, default=0) >= MOST_STORED_BYTES or prod(shape) * itemsize >= MOST_STORED_BYTES:
        return f"its shape, {_short(shape)}, says that it has 2**63 bytes or more"
    for what, sides in (("chunks", array.chunks), ("shards", array.shards)):
        if sides is None:
            continue
        if any(not side and extent for side, extent in zip(sides, shape, strict=True)):
            return f"its {what}, {_short(sides)}, are empty"
        if (
            max(sides, default=0) >= MOST_STORED_BYTES
            or prod(sides) * itemsize >= MOST_STORED_BYTES
        ):
            return f"its {what}, {_short(sides)}, have 2**63 bytes or more each"
    if not isinstance(getattr(array.metadata, "attributes", {}), Mapping):
        return "its attributes are no dictionary"
    known = array.metadata
    codecs = (*(getattr(known, "filters", None) or ()), getattr(known, "compressor", None))
    named = RUNS_CODE.intersection(getattr(codec, "codec_id", "") for codec in codecs)
    return f"decoding its codec {min(named)!r} may run any code" if named else ""


def _short(sides: tuple[int, ...]) -> str:
    """Numbers as text, those that are very large by their powers of ten."""
    written = [str(n) if n < MOST_STORED_BYTES else f"{float(min(n, 10**300)):.3g}" for n in sides]
    return f"({', '.join(written)}{',' if len(written) == 1 else ''})"
