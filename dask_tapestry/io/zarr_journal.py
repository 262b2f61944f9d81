"""The journal of a Zarr array: which writes to it have not ended, and which write made it.

It is what the records beside the array say (`write_record.py`), each of which one write alone
creates and deletes: nothing is read, changed and written back, so no process can undo what another
has said. Arrays that earlier versions of this library have written may hold their journal in an
attribute (`attribute_journal.py`).
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from typing import Final

from dask_tapestry.errors import StoreError
from dask_tapestry.io import attribute_journal
from dask_tapestry.io.journal import Box, incomplete_error, whole_box
from dask_tapestry.io.maker import Maker
from dask_tapestry.io.process_name import this_process
from dask_tapestry.io.stored_objects import StoredObjects, objects_of
from dask_tapestry.io.write_record import (
    BEGIN,
    DONE,
    MADE,
    MARK,
    OVER,
    Record,
    WriteKey,
    boxes_meet,
    boxes_without,
    digest,
)
from dask_tapestry.io.zarr_location import Location
from dask_tapestry.late_named_tuple import NamedTuple

KEPT_SECONDS: Final = 24 * 3600  # a record of what is done: plans that read may last as long

Unended = dict[str, frozenset[Box] | None]  # boxes by names of records; None where not known


class Write(NamedTuple):
    """A write to a region of an array, in one compute.

    Attributes
    ----------
    write, run
        Names of the write, and of the compute.
    box
        The region's first and one-past-last coordinates.
    region
        Text that is another for other cells of the box; empty for all of them.
    """

    write: str
    run: str
    box: Box
    region: str = ""

    @property
    def key(self) -> WriteKey:
        """Its key in the names of records."""
        return WriteKey(*map(digest, (self.write, self.run, f"{self.box} {self.region}")))

    def record(self, over: Iterable[str] = ()) -> bytes:
        """What its records hold."""
        held = Record(frozenset([self.box]), not self.region, tuple(sorted(over)))
        return held.to_json(write=self.write, run=self.run, by=this_process())


def begin_write(location: Location, write: Write, maker: Maker | None = None) -> None:
    """Say that `write` begins, and that `maker` makes the array; said again, nothing changes."""
    objects = objects_of(location)
    if objects is None:
        return
    names = objects.names()
    if maker is not None:
        _say_maker(objects, names, maker)
    key = write.key
    if key.name("begin") in names or key in _keys(names, DONE):
        return
    met = _begun(objects, names) | attribute_journal.pending(location)
    over = {n for n, boxes in met.items() if boxes is None or _meet([write.box], boxes)}
    over |= {mark for mark in names if mark.startswith(MARK) and _begin_of(mark) in over}
    objects.create(key.name("begin"), write.record(over))


def _say_maker(objects: StoredObjects, names: frozenset[str], maker: Maker) -> None:
    ending = f".{digest(maker.write)}.{digest(maker.run)}"
    made = sorted(name for name in names if name.startswith(MADE))
    if not any(name.endswith(ending) for name in made):
        number = int(made[-1].split(".")[1]) + 1 if made else 0
        objects.create(f"{MADE}{number:08d}{ending}", json.dumps(maker.stored).encode())


def is_begun(location: Location, write: Write) -> bool:
    """Whether `write` has begun in the array that is there now and goes on, rather than is done.

    Raises
    ------
    StoreError
        If neither: there is another array now, or another write has written over this one.
    """
    objects = objects_of(location)
    if objects is None or objects.holds(write.key.name("begin")):
        return True
    if write.key in _keys(objects.names(), DONE):
        return False
    raise replaced_error(location)


def end_write(location: Location, write: Write) -> None:
    """Say that all of `write` is stored; said again, nothing changes.

    What it has written over and what is complete now is struck out.

    Raises
    ------
    StoreError
        If there is another array now, or another write has written over this one.
    """
    objects = objects_of(location)
    if objects is None or not is_begun(location, write):
        return
    key, now = write.key, f"{int(time.time()):x}"
    begun = Record.of(objects.read(key.name("begin")) or b"")
    if begun.over:
        objects.create(key.name("over"), write.record(begun.over))
    done = key.name("done", now)
    objects.create(done, write.record())
    names = objects.names() | {done}
    struck = {key.name("begin")}
    if begun.over:
        struck |= {name for name in begun.over if name not in unended(location)}
        attribute_journal.strike(location, struck)
    marks = [mark for mark in names if mark.startswith(MARK) and _begin_of(mark) in struck]
    own = {mark for mark in marks if WriteKey.in_name(mark) == key}
    objects.delete(own.union(marks).intersection(own.union(begun.over)))
    objects.delete(struck & names)
    _forget(objects, names - struck)


def replaced_error(location: Location) -> StoreError:
    """Return the error of a write that came to nothing, as another write came between."""
    return StoreError(
        f"another write has replaced the Zarr array at {location}, or written over the same cells, "
        "while this one was writing"
    )


def unended(location: Location, attribute: bool = True) -> Unended:
    """Return what writes that have not ended left to write, by the names of their records.

    Where `attribute` is false, what the attribute of earlier versions tells is left out.
    """
    objects = objects_of(location)
    if objects is None:
        return {}
    names = objects.names()
    found = _begun(objects, names)
    if found:  # names are not listed at one moment: only what stays is so
        names = objects.names()
        again = _begun(objects, names)
        found = {name: boxes for name, boxes in again.items() if name in found}
    if attribute:
        found |= attribute_journal.pending(location)
    return _left(objects, names, found) if found else found


def is_incomplete(location: Location) -> bool:
    """Whether a write of the array at `location` has not ended."""
    return bool(unended(location))


def refuse_incomplete(location: Location, shape: tuple[int, ...]) -> None:
    """Raise `StoreError` if a write of the array of that shape has not ended."""
    found = unended(location)
    if found:
        whole = [whole_box(shape)]  # of a record that cannot be read
        boxes = {box for left in found.values() for box in (whole if left is None else left)}
        raise incomplete_error(f"the Zarr array at {location}", boxes, shape)


def maker_of(location: Location) -> Maker | None:
    """Return the write that made an array; None if there is no array, or its maker is not known."""
    objects = objects_of(location)
    if objects is None or objects.metadata() is None:
        return None
    made = sorted(name for name in objects.names() if name.startswith(MADE))
    text = objects.read(made[-1]) if made else None
    if text is None:
        return attribute_journal.maker(location)
    return Maker.of(json.loads(text))


def _keys(names: Iterable[str], kind: str) -> set[WriteKey]:
    return {WriteKey.in_name(name) for name in names if name.startswith(kind)}


def _begin_of(mark: str) -> str:
    return WriteKey.in_name(mark).name("begin")


def _meet(some: Iterable[Box], others: Iterable[Box]) -> bool:
    others = list(others)
    return any(boxes_meet(one, other) for one in some for other in others)


def _begun(objects: StoredObjects, names: frozenset[str]) -> Unended:
    """Return the boxes of writes that began and did not end, by the names of their records.

    A mark without a begin is of a task that stored cells after its write was over: another array
    was there then, or another write had written there.
    """
    begun = {name for name in names if name.startswith(BEGIN)}
    done = _keys(names, DONE)
    still = {name for name in begun if WriteKey.in_name(name) not in done}
    still |= {n for n in names if n.startswith(MARK) and _begin_of(n) not in begun}
    texts = {name: objects.read(name) for name in still}
    return {name: Record.of(text).boxes for name, text in texts.items() if text is not None}


def _left(objects: StoredObjects, names: frozenset[str], found: Unended) -> Unended:
    """Return what other writes that are done have not written over."""
    done = _keys(names, DONE)
    overs = [name for name in names if name.startswith(OVER) and WriteKey.in_name(name) in done]
    records = {name: Record.of(objects.read(name) or b"") for name in overs}
    left: Unended = {}
    for name, boxes in found.items():
        covers = [(o, record) for o, record in records.items() if name in record.over]
        if any(_same_cells(o, name) for o, _ in covers):
            continue
        dense = [box for _, record in covers if record.dense for box in record.boxes or ()]
        rest = None if boxes is None else boxes_without(boxes, dense)
        if rest is None or any(all(lo < hi for lo, hi in box) for box in rest):
            left[name] = rest
    return left


def _same_cells(over: str, name: str) -> bool:
    known = name.startswith((BEGIN, MARK))
    return known and WriteKey.in_name(over).repeats(WriteKey.in_name(name))


def _forget(objects: StoredObjects, names: frozenset[str]) -> None:
    """Delete old records of what is done, and of earlier makers."""
    before = time.time() - KEPT_SECONDS
    old: list[str] = []
    for name in (name for name in names if name.startswith(DONE)):
        if int(name.rpartition(".")[2], 16) < before:
            over = WriteKey.in_name(name).name("over")
            text = objects.read(over) if over in names else None
            if text is None or not names.intersection(Record.of(text).over):
                old += [name, over]
    made = sorted(name for name in names if name.startswith(MADE))
    objects.delete([name for name in (*old, *made[:-1]) if name in names])
