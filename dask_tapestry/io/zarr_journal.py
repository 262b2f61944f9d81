"""The journal of a Zarr array, and its maker.

The journal is an attribute of the array, which is gone when all is written. The maker stands in it
too; from then on it stands in an object beside the array's metadata.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from dask_tapestry.errors import StoreError
from dask_tapestry.imports import lazy_import
from dask_tapestry.io.journal import (
    JOURNAL,
    Box,
    boxes_from_json,
    boxes_to_json,
    incomplete_error,
    whole_box,
    without,
)
from dask_tapestry.io.maker import Maker
from dask_tapestry.io.zarr_location import Location
from dask_tapestry.io.zarr_open import open_array, open_cached
from dask_tapestry.io.zarr_sync import run_store

if TYPE_CHECKING:
    import zarr

MAKER: Final = ".dask_tapestry"  # name of the object that says who made an array
ATTEMPTS: Final = 20  # at a change of the attribute that other processes change too

_lock: Final = Lock()


def journal_entry(
    boxes: Iterable[Box], maker: Maker | None = None, runs: Iterable[str] = ()
) -> dict[str, Any]:
    """Return the attribute of an array in which `boxes` are being written.

    `runs` are the computes that have said of several boxes that they are to be written.
    """
    by = {} if maker is None else {"by": maker.stored}
    several = {"runs": list(runs)} if runs else {}
    return {"complete": False, "boxes": boxes_to_json(boxes)} | by | several


def pending_boxes(array: zarr.Array[Any]) -> frozenset[Box]:
    """Return the boxes of an array that are being written, or were when a write failed."""
    journal: Any = array.attrs.get(JOURNAL)
    if journal is None:
        return frozenset()
    return boxes_from_json(journal.get("boxes", boxes_to_json([whole_box(array.shape)])))


def refuse_incomplete(array: zarr.Array[Any], location: Location) -> None:
    """Raise `StoreError` if a write of `array` has not ended."""
    if JOURNAL in array.attrs:
        raise incomplete_error(f"the Zarr array at {location}", pending_boxes(array), array.shape)


def is_incomplete(location: Location) -> bool:
    """Whether a write of the array at `location` has not ended."""
    array = open_array(location) if location.stamp is None else open_cached(location)
    return JOURNAL in array.attrs


def maker_of(location: Location) -> Maker | None:
    """Return the write that made an array; None if there is no array, or its maker is not known."""
    try:
        array = open_array(location)
    except StoreError:  # what cannot be read is nobody's
        return None
    by = array.attrs.get(JOURNAL, {}).get("by")
    if by is None:
        text = _read_object(array, MAKER)
        by = None if text is None else json.loads(text)
    return Maker.of(by)


def begin_write(
    location: Location, boxes: Iterable[Box], maker: Maker | None = None, run: str | None = None
) -> None:
    """Enter `boxes` of an existing array in its journal, and `maker` as what makes it.

    What was said in a `run` is not said again: some of the boxes may be written since.
    """
    added = frozenset(boxes)
    _change(location, lambda boxes: boxes | added, maker, run)


def end_write(location: Location, box: Box | None = None, dense: bool = True) -> None:
    """Strike a box out of the journal of an array, or all boxes."""
    _change(location, lambda boxes: without(boxes, box, dense) if box else frozenset())


def _change(
    location: Location,
    change: Callable[[frozenset[Box]], frozenset[Box]],
    maker: Maker | None = None,
    run: str | None = None,
) -> None:
    """Change the attribute; look again whether the change stayed, as others may change it too."""
    with _lock:
        for _ in range(ATTEMPTS):
            array = open_array(location, "r+")
            before = array.attrs.get(JOURNAL) or {}
            by, runs = maker or Maker.of(before.get("by")), before.get("runs", [])
            if run in runs:
                return
            wanted = change(pending_boxes(array))
            runs = runs if run is None else [*runs, run]
            entry = journal_entry(wanted, by, runs) if wanted else {}
            if entry == before:
                return
            if by and not wanted:
                _write_object(array, MAKER, json.dumps(by.stored))
            kept = {name: value for name, value in array.attrs.items() if name != JOURNAL}
            array.attrs.put(kept | ({JOURNAL: entry} if entry else {}))
    raise StoreError(f"cannot change the attributes of the Zarr array at {location}")


def _read_object(array: zarr.Array[Any], name: str) -> str | None:
    """Text of an object that is stored beside an array's metadata; None if there is none."""
    path = array.store_path / name
    found = run_store(array, path.get())
    return None if found is None else str(found.to_bytes().decode())


def _write_object(array: zarr.Array[Any], name: str, text: str) -> None:
    """Store text as an object beside an array's metadata."""
    make = lazy_import("zarr.core.buffer").default_buffer_prototype().buffer.from_bytes
    run_store(array, (array.store_path / name).set(make(text.encode())))
