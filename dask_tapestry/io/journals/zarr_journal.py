"""The journal of a Zarr array: which writes to it have not ended, and which write made it.

It is what the records beside the array say (`write_record.py`), each of which one write alone
creates and deletes: nothing is read, changed and written back, so no process can undo what another
has said. Arrays that earlier versions of this library have written may hold their journal in an
attribute (`attribute_journal.py`).
"""

from __future__ import annotations

import json
import time
from collections.abc import Collection

from dask_tapestry.errors import StoreError
from dask_tapestry.io.journals import attribute_journal
from dask_tapestry.io.journals.journal import Box, incomplete_error, whole_box
from dask_tapestry.io.journals.write_conflicts import (
    is_written_over,
    refuse_late_marks,
    take_over,
)
from dask_tapestry.io.journals.write_record import (
    BEGIN,
    DONE,
    LOST,
    MADE,
    MARK,
    OVER,
    Record,
    RecordedWrite,
    WriteKey,
    boxes_without,
    digest,
    ended_at,
    is_own,
    keys_of,
)
from dask_tapestry.io.journals.writer_id import WriterId
from dask_tapestry.io.stores.stored_objects import StoredObjects, objects_of
from dask_tapestry.io.stores.zarr_location import Location
from dask_tapestry.io.tuning import RECORD_KEPT_SECONDS
from dask_tapestry.json_form import parsed

Unended = dict[str, frozenset[Box] | None]  # boxes by names of records; None where not known


def begin_write(location: Location, write: RecordedWrite, maker: WriterId | None = None) -> None:
    """Say that `write` begins, and that `maker` makes the array; said again, nothing changes.

    Others that write to the same stored chunks are to stop.

    Raises
    ------
    StoreError
        If another write has taken the cells from this one or written over them, or begins at the
        same moment.
    """
    objects = objects_of(location)
    if objects is None:
        return
    names, key = objects.names(), write.key
    if key not in keys_of(names, DONE) and key.name("over") not in names:
        is_recorded = key.name("begin") in names
        if is_recorded:
            conflicting = set(Record.of(objects.read(key.name("begin")) or b"").over)
        elif is_written_over(objects, names, key):  # its tasks that are done are not done again
            raise replaced_error(location)
        else:
            begun = _begun_records(objects, names) | _in_attribute(location)
            conflicting = {name for name, record in begun.items() if record.meets(write.reach)}
            objects.create(key.name("begin"), write.record(conflicting))
        if key.name("lost") in names or not take_over(
            objects, write, conflicting, fresh=not is_recorded
        ):
            raise replaced_error(location)
    if maker is not None:
        _say_maker(objects, names, maker)


def delete_begun(location: Location, write: RecordedWrite, maker: WriterId) -> None:
    """Delete what `begin_write` has said, of a write that has stored nothing."""
    objects, key = objects_of(location), write.key
    if objects is not None:
        made = [name for name in objects.names() if name.endswith(_ending(maker))]
        objects.delete([*made, key.name("over"), key.name("begin")])


def earlier_records(location: Location, write: RecordedWrite, maker: WriterId) -> frozenset[str]:
    """Names of the records that are there now and are not of `write`, which makes the array."""
    objects, ending = objects_of(location), _ending(maker)
    names = frozenset[str]() if objects is None else objects.names()
    own = {name for name in names if is_own(name, write.key) or name.endswith(ending)}
    return names - own


def _in_attribute(location: Location) -> dict[str, Record]:
    return {name: Record(boxes) for name, boxes in attribute_journal.pending(location).items()}


def _ending(maker: WriterId) -> str:
    """How the name ends by which a record tells of a maker."""
    return f".{digest(maker.write)}.{digest(maker.run)}"


def _say_maker(objects: StoredObjects, names: frozenset[str], maker: WriterId) -> None:
    ending = _ending(maker)
    made = sorted(name for name in names if name.startswith(MADE))
    if not any(name.endswith(ending) for name in made):
        number = int(made[-1].split(".")[1]) + 1 if made else 0
        objects.create(f"{MADE}{number:08d}{ending}", json.dumps(maker.stored).encode())


def is_begun(location: Location, write: RecordedWrite) -> bool:
    """Whether `write` has begun in the array that is there now and goes on, rather than is done.

    Raises
    ------
    StoreError
        If neither: there is another array now, or another write has taken the cells from this one.
    """
    objects, key = objects_of(location), write.key
    if objects is None:
        return True
    begin, lost = key.name("begin"), key.name("lost")
    if objects.existing([lost, begin]) == {begin}:  # this order: the begin is deleted first
        return True
    if key in keys_of(objects.names(), DONE):
        return False
    raise replaced_error(location)


def end_write(location: Location, write: RecordedWrite) -> None:
    """Say that all of `write` is stored; said again, nothing changes.

    What it has written over and what is complete now is struck out.

    Raises
    ------
    StoreError
        If there is another array now, another write has taken the cells from this one, or one that
        had begun before may have stored cells after this one had.
    """
    objects = objects_of(location)
    if objects is None or not is_begun(location, write):
        return
    key, now = write.key, f"{int(time.time()):x}"
    overwritten = Record.of(objects.read(key.name("over")) or b"").over
    if overwritten:
        refuse_late_marks(objects, write, overwritten, location)
    done_name = key.name("done", now)
    objects.create(done_name, write.record())
    struck = {key.name("begin")}
    if overwritten:
        unfinished = unfinished_writes(location)
        struck |= {name for name in overwritten if name not in unfinished}
        attribute_journal.strike(location, struck)
    names = objects.names() | {done_name}
    marks = {name for name in names if name.startswith(MARK) and is_own(name, key)}
    others = {other.name("over") for other in keys_of(struck, BEGIN) - {key}}
    _delete(objects, names & (marks | struck | others))
    _forget(objects, names - struck - others - marks)


def _delete(objects: StoredObjects, names: Collection[str]) -> None:
    """Delete records, those of begins first: without one, a write does not go on."""
    begins = [name for name in names if name.startswith(BEGIN)]
    objects.delete(begins)
    objects.delete([name for name in names if not name.startswith(BEGIN)])


def replaced_error(location: Location) -> StoreError:
    """Return the error of a write that came to nothing, as another write came between."""
    return StoreError(
        f"another write has replaced the Zarr array at {location}, or has begun to write the same "
        "stored chunks, while this one was writing"
    )


def unfinished_writes(location: Location, attribute: bool = True) -> Unended:
    """Return what writes that have not ended left to write, by the names of their records.

    Where `attribute` is false, what the attribute of earlier versions tells is left out.
    """
    objects = objects_of(location)
    if objects is None:
        return {}
    names = objects.names()
    unfinished = _begun_records(objects, names)
    if unfinished:  # names are not listed at one moment: only what stays is so
        names = objects.names()
        again = _begun_records(objects, names)
        unfinished = {name: record for name, record in again.items() if name in unfinished}
    if attribute:
        unfinished |= _in_attribute(location)
    return _not_overwritten(objects, names, unfinished) if unfinished else {}


def is_incomplete(location: Location) -> bool:
    """Whether a write of the array at `location` has not ended."""
    return bool(unfinished_writes(location))


def refuse_incomplete(location: Location, shape: tuple[int, ...]) -> None:
    """Raise `StoreError` if a write of the array of that shape has not ended."""
    found = unfinished_writes(location)
    if found:
        whole = [whole_box(shape)]  # of a record that cannot be read
        boxes = {box for left in found.values() for box in (whole if left is None else left)}
        raise incomplete_error(f"the Zarr array at {location}", boxes, shape)


def maker_of(location: Location) -> WriterId | None:
    """Return the write that made an array; None if there is no array, or its maker is not known."""
    objects = objects_of(location)
    if objects is None or objects.metadata() is None:
        return None
    made = sorted(name for name in objects.names() if name.startswith(MADE))
    text = objects.read(made[-1]) if made else None
    if text is None:
        return attribute_journal.maker(location)
    try:
        return WriterId.of(attribute_journal.made_by(parsed(text), "maker"))
    except ValueError:  # a power cut has left an empty file
        return None


def _begun_records(objects: StoredObjects, names: frozenset[str]) -> dict[str, Record]:
    """Return the records of writes that began and did not end, by their names.

    A mark of a write that has lost its cells, or whose begin is gone, counts too: its task may have
    stored them when another write had.
    """
    begun, done = keys_of(names, BEGIN), keys_of(names, DONE)
    going = begun - done - keys_of(names, LOST)
    still = {key.name("begin") for key in begun - done}
    still |= {n for n in names if n.startswith(MARK) and WriteKey.in_name(n) not in going | done}
    texts = {name: objects.read(name) for name in still}
    return {name: Record.of(text) for name, text in texts.items() if text is not None}


def _not_overwritten(
    objects: StoredObjects, names: frozenset[str], ended: dict[str, Record]
) -> Unended:
    """Return what other writes that are done have not written over."""
    done = keys_of(names, DONE)
    overs = [name for name in names if name.startswith(OVER) and WriteKey.in_name(name) in done]
    records = {name: Record.of(objects.read(name) or b"") for name in overs}
    unended: Unended = {}
    for name, (boxes, *_) in ended.items():
        covers = [(o, record) for o, record in records.items() if name in record.over]
        if any(_same_cells(o, name) for o, _ in covers):
            continue
        dense = [box for _, record in covers if record.dense for box in record.boxes or ()]
        rest = None if boxes is None else boxes_without(boxes, dense)
        if rest is None or any(all(lo < hi for lo, hi in box) for box in rest):
            unended[name] = rest
    return unended


def _same_cells(over: str, name: str) -> bool:
    known = name.startswith((BEGIN, MARK))
    return known and WriteKey.in_name(over).repeats(WriteKey.in_name(name))


def _forget(objects: StoredObjects, names: frozenset[str]) -> None:
    """Delete old records of what is done, and of earlier makers."""
    before = time.time() - RECORD_KEPT_SECONDS
    orphans, old = list[str](), list[str]()
    for name in (name for name in names if name.startswith(DONE)):
        if ended_at(name) < before:
            key = WriteKey.in_name(name)
            over = key.name("over")
            text = objects.read(over) if over in names else None
            if text is None or not names.intersection(Record.of(text).over):
                orphans += [n for n in names if n.startswith((BEGIN, MARK)) and is_own(n, key)]
                old += [name, over]
    made = sorted(name for name in names if name.startswith(MADE))
    objects.delete(orphans)  # of a process that was killed: without `done` they would count
    objects.delete([name for name in (*old, *made[:-1]) if name in names])
    _forget_lost(objects, keys_of(names, LOST))


def _forget_lost(objects: StoredObjects, lost: set[WriteKey]) -> None:
    """Delete what tells writes to stop that have been written over since, or had never begun."""
    if lost:  # names are not listed at one moment: those of begins are listed after them
        writing = keys_of(objects.names(), BEGIN, MARK)
        objects.delete([key.name("lost") for key in lost - writing])
