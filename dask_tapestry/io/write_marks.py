"""Marks of what tasks have stored: one for each stored chunk, or for many of a write of very many.

From them a job that is started again can know what need not be written again. A task that finds its
write over leaves a mark, which says that what is there now is damaged.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Final
from uuid import uuid4

from dask_tapestry.errors import StoreError
from dask_tapestry.io.journal import Box
from dask_tapestry.io.stored_objects import StoredObjects, objects_of
from dask_tapestry.io.write_record import Record, WriteKey
from dask_tapestry.io.zarr_journal import Write, is_begun
from dask_tapestry.io.zarr_location import Location

MOST_MARKS: Final = 10_000  # of a write; of more chunks, several have one
MOST_WRITES: Final = 64  # whose chunks without a mark a process remembers

_lock: Final = Lock()
_waiting: Final[OrderedDict[WriteKey, list[Box]]] = OrderedDict()


def write_marked(
    location: Location, write: Write, box: Box, chunks: tuple[int, int], store: Callable[[], None]
) -> None:
    """Call `store`, which stores the cells `box` of a write, and mark them as stored.

    A task that is done again when its write has ended stores nothing.

    Parameters
    ----------
    chunks
        How many stored chunks the box has, and the whole write.

    Raises
    ------
    StoreError
        If another write has replaced the array meanwhile, or written over this one.
    """
    objects = objects_of(location)
    if objects is None:
        store()
        return
    if not is_begun(location, write):
        return
    store()
    ready = _ready(write.key, box, chunks)
    mark = _create(objects, write, ready) if ready else None
    try:
        goes_on = is_begun(location, write)
    except StoreError:
        if mark is None:
            _create(objects, write, [box])
        raise
    if mark is not None and not goes_on:  # the write has ended: another task had stored the same
        objects.delete([mark])


def _ready(key: WriteKey, box: Box, chunks: tuple[int, int]) -> list[Box]:
    """Return the boxes that are to have a mark now: several together where chunks are very many."""
    own, whole = chunks
    if whole <= MOST_MARKS:
        return [box]
    with _lock:
        waiting = _waiting.setdefault(key, [])
        _waiting.move_to_end(key)
        waiting.append(box)
        while len(_waiting) > MOST_WRITES:
            _waiting.popitem(last=False)
        if len(waiting) * max(1, own) * MOST_MARKS < whole:
            return []
        return _waiting.pop(key)


def _create(objects: StoredObjects, write: Write, boxes: list[Box]) -> str:
    told = Record(frozenset(boxes)).to_json(write=write.write, run=write.run)
    mark = write.key.name("mark", uuid4().hex[:12])
    objects.create(mark, told)
    return mark
