"""The journal as earlier versions of this library kept it: in an attribute of the array.

It is read, and struck out when all that it names has been written; nothing is entered any more.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final

from dask_tapestry.errors import StoreError
from dask_tapestry.io.journals.journal import (
    JOURNAL,
    Box,
    boxes_from_json,
    boxes_to_json,
    whole_box,
)
from dask_tapestry.io.journals.write_record import digest
from dask_tapestry.io.journals.writer_id import WriterId
from dask_tapestry.io.stores.zarr_location import Location
from dask_tapestry.io.stores.zarr_open import open_array, open_cached
from dask_tapestry.io.stores.zarr_sync import run_store
from dask_tapestry.json_form import FormError, listed, parsed, sequence, text, whole

MAKER: Final = ".dask_tapestry"  # name of the object that says who made an array
SIDE: Final = sequence(whole(), whole())  # first and one-past-last coordinate
ATTRIBUTE: Final = "attribute."  # begins the names by which records tell of an entry


def made_by(value: Any, at: str) -> list[Any]:
    """The form of a maker: two names, and perhaps a list of those that it follows."""
    forms = (text, text, listed(text))[: 3 if isinstance(value, list) and len(value) > 2 else 2]
    return list(sequence(*forms)(value, at))


def pending(location: Location) -> dict[str, frozenset[Box] | None]:
    """Return the boxes that the attribute names as not written, each by a name of its own.

    None stands for boxes that a damaged attribute does not tell.
    """
    try:
        array = open_cached(location)
    except StoreError:  # nothing is there yet, or it cannot be read: that is told elsewhere
        return {}
    held = _entry(array)
    if held is None:
        return {}
    stored = held.get("boxes", boxes_to_json([whole_box(array.shape)]))
    try:
        boxes = boxes_from_json(listed(listed(SIDE, array.ndim))(stored, f"{JOURNAL}.boxes"))
    except FormError:
        return {f"{ATTRIBUTE}damaged": None}  # it does not tell what is not written
    return {name_of(box): frozenset([box]) for box in boxes}


def name_of(box: Box) -> str:
    """Return the name by which records tell of a box that the attribute names."""
    return ATTRIBUTE + digest(str(box))


def _entry(array: Any) -> dict[str, Any] | None:
    """Return the attribute; None if there is none, or one of that name that others have written."""
    held = array.attrs.get(JOURNAL)
    is_ours = isinstance(held, dict) and held.get("complete") is False
    return held if is_ours else None


def strike(location: Location, struck: Collection[str]) -> None:
    """Delete the attribute if all boxes that it names are struck out, or some of the boxes."""
    found = {name: box for name, boxes in pending(location).items() for box in boxes or ()}
    remaining = [box for name, box in found.items() if name not in struck]
    if not found or len(remaining) == len(found):
        return
    array = open_array(location, "r+")
    kept = dict(array.attrs)
    entry = kept.pop(JOURNAL, None)
    if remaining:
        kept[JOURNAL] = {**(entry or {}), "boxes": boxes_to_json(remaining)}
    array.attrs.put(kept)


def maker(location: Location) -> WriterId | None:
    """Return the write that made an array, as the attribute or the object beside it tells."""
    try:
        array = open_array(location)
    except StoreError:  # what cannot be read is nobody's
        return None
    by = (_entry(array) or {}).get("by")
    try:
        if by is None:
            found = run_store(array, (array.store_path / MAKER).get())
            by = None if found is None else parsed(found.to_bytes())
        return WriterId.of(by if by is None else made_by(by, "by"))
    except ValueError:  # what no write of ours has left
        return None
