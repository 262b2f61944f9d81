"""Marks of what tasks have stored: one for each stored chunk, or for many of a write of very many.

From them a job that is started again can know what need not be written again. A task that finds its
write over leaves a mark of damage, which counts until all of its cells have been written again: it
is of a write of its own, which never began, and of whole stored chunks, since the task may have put
back cells that another write had changed. Between storing a chunk and that mark nobody can know of
it: not who reads meanwhile, and nobody at all if the process is killed there. In folders a write
that begins waits for such tasks (`file_locks.py`), where the file system has locks.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Any, Final
from uuid import uuid4

from dask_tapestry.errors import StoreError
from dask_tapestry.io.journals.journal import Box
from dask_tapestry.io.journals.write_conflicts import is_followed
from dask_tapestry.io.journals.write_record import Record, RecordedWrite, WriteKey
from dask_tapestry.io.journals.zarr_journal import is_begun, replaced_error
from dask_tapestry.io.stores.pinned_folder import is_pinned_in, pinned
from dask_tapestry.io.stores.stored_objects import StoredObjects, objects_of
from dask_tapestry.io.stores.zarr_location import Location
from dask_tapestry.io.tuning import MOST_MARKS, MOST_WRITES_REMEMBERED

_lock: Final = Lock()
Told = dict[str, Any] | None  # of what is stored, by keys of chunks
Stored = tuple[Box, Told]
_waiting: Final[OrderedDict[WriteKey, list[Stored]]] = OrderedDict()


def write_marked(
    location: Location,
    write: RecordedWrite,
    box: Box,
    chunks: tuple[int, int],
    store: Callable[[Location], Told],
    reach: Box | None = None,
) -> None:
    """Call `store`, which stores the cells `box` of a write, and mark them as stored.

    A task that is done again when its write has ended stores nothing.

    Parameters
    ----------
    chunks
        How many stored chunks the box has, and the whole write.
    reach
        Box of the stored chunks that it changes; None if that is `box`.
    store
        Function of the place of the array; it returns what the mark is to tell of what is stored.

    Raises
    ------
    StoreError
        If another write has replaced the array meanwhile, or taken the cells from this one.
    """
    with pinned(location) as place:
        try:
            _write_marked(place, write, (box, reach or box), chunks, store)
        except Exception as error:
            if is_pinned_in(location, place):
                raise
            raise replaced_error(location) from error


def _write_marked(
    location: Location,
    write: RecordedWrite,
    boxes: tuple[Box, Box],
    chunks: tuple[int, int],
    store: Callable[[Location], Told],
) -> None:
    objects, (box, reach) = objects_of(location), boxes
    if objects is None:
        store(location)
        return
    with objects.in_use(write.key.name("begin")):
        if not is_begun(location, write):
            return
        told = store(location)
        ready = _ready(write.key, (box, told), chunks)
        mark = _create(objects, write, ready) if ready else None
        goes_on = still_begun(location, write, reach)
    if mark is not None and not goes_on:  # the write has ended: another task had stored the same
        objects.delete([mark])


def still_begun(location: Location, write: RecordedWrite, changed: Box) -> bool:
    """Whether a write that has changed what is stored in a box went on then, rather than was done.

    Raises
    ------
    StoreError
        If neither, or if others have begun to write there since it was done: they are told.
    """
    objects = objects_of(location)
    assert objects is not None
    try:
        if is_begun(location, write):
            return True
        if not is_followed(objects, write, changed):
            return False
    except StoreError:
        _create_damage(objects, write, changed)
        raise
    _create_damage(objects, write, changed)
    raise replaced_error(location)


def _create_damage(objects: StoredObjects, write: RecordedWrite, box: Box) -> None:
    late = write._replace(run=f"{write.run} too late", box=box, region="")
    _create(objects, late, [(box, None)])


def _ready(key: WriteKey, stored: Stored, chunks: tuple[int, int]) -> list[Stored]:
    """Return the boxes that are to have a mark now: several together where chunks are very many."""
    own, whole = chunks
    if whole <= MOST_MARKS:
        return [stored]
    with _lock:
        waiting = _waiting.setdefault(key, [])
        _waiting.move_to_end(key)
        waiting.append(stored)
        while len(_waiting) > MOST_WRITES_REMEMBERED:
            _waiting.popitem(last=False)
        if len(waiting) * max(1, own) * MOST_MARKS < whole:
            return []
        return _waiting.pop(key)


def _create(objects: StoredObjects, write: RecordedWrite, stored: list[Stored]) -> str:
    states = {key: state for _, told in stored if told for key, state in told.items()}
    more = {"stored": states} if states else {}
    record = Record(frozenset([box for box, _ in stored]))
    told = record.to_json(write=write.write, run=write.run, **more)
    mark = write.key.name("mark", uuid4().hex[:12])
    objects.create(mark, told)
    return mark
