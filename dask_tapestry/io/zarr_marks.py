"""Marks of Zarr arrays: an attribute that lists the boxes that are being written."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from threading import Lock
from typing import Any, Final

from dask_tapestry.errors import StoreError
from dask_tapestry.io.marks import MARK, Box, boxes_of, incomplete, whole, without, written
from dask_tapestry.io.zarr_array import open_now
from dask_tapestry.io.zarr_location import Location

ATTEMPTS: Final = 20  # at a change of the attribute that other processes change too

_lock: Final = Lock()


def mark_of(boxes: Iterable[Box]) -> dict[str, Any]:
    """The attribute of an array in which `boxes` are being written."""
    return {"complete": False, "boxes": written(boxes)}


def _marked(array: Any) -> frozenset[Box]:
    """Boxes of an array whose writing has not ended."""
    mark = array.attrs.get(MARK)
    if mark is None:
        return frozenset()
    return boxes_of(mark.get("boxes", written([whole(array.shape)])))


def refuse_incomplete(array: Any, location: Location) -> None:
    """Raise `StoreError` if a write of `array` has not ended."""
    if MARK in array.attrs:
        raise incomplete(f"the Zarr array at {location}", _marked(array), array.shape)


def mark_incomplete(location: Location, boxes: Iterable[Box]) -> None:
    """Say that `boxes` of an existing array are being written."""
    added = frozenset(boxes)
    _change(location, lambda boxes: boxes | added)


def complete(location: Location, box: Box | None = None, dense: bool = True) -> None:
    """Say that a box of an array is written, or all of it."""
    _change(location, lambda boxes: without(boxes, box, dense) if box else frozenset())


def _change(location: Location, change: Callable[[frozenset[Box]], frozenset[Box]]) -> None:
    """Change the attribute; look again whether the change stayed, as others may change it too."""
    with _lock:
        for _ in range(ATTEMPTS):
            array = open_now(location, "r+")
            boxes = _marked(array)
            wanted = change(boxes)
            if wanted == boxes and bool(wanted) == (MARK in array.attrs):
                return
            kept = {name: value for name, value in array.attrs.items() if name != MARK}
            array.attrs.put(kept | ({MARK: mark_of(wanted)} if wanted else {}))
    raise StoreError(f"cannot change the attributes of the Zarr array at {location}")
