"""Errors of Zarr arrays that cannot be written: where, why, and what is there now."""

from __future__ import annotations

from dask_tapestry.errors import StoreError
from dask_tapestry.io.stores.zarr_location import Location
from dask_tapestry.io.stores.zarr_open import open_array
from dask_tapestry.zspace import ZRange


def write_error(
    box: ZRange, location: Location, error: Exception, kept: object = None, resumes: bool = False
) -> StoreError:
    """Return the error of a write of `box` that failed.

    Parameters
    ----------
    kept
        The array that was to be replaced, and stays.
    resumes
        Whether the same call goes on where this one failed.
    """
    if kept is None:
        there = _what_is_there(location)
    else:
        there = f"{kept} is as it was, and what is written of the new array lies in {location}"
    way = "; the same call with resume=True goes on from there" if resumes else ""
    return StoreError(f"cannot write {box} to {location}: {error}; {there}{way}")


def _what_is_there(location: Location) -> str:
    text = "what is there is marked as incomplete"
    if location.folder is None:  # looking would be slow
        return text
    try:
        array = open_array(location)
        return f"{text}: {array.nchunks_initialized} of its {array.nchunks} chunks are written"
    except Exception:  # the disk is full, or the folder is gone: that is what is told
        return text
