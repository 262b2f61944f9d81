"""Conflicts of writes to the same chunks at one time: the last to begin goes on, others stop.

Nobody can tell whether a write that has not ended was killed or is slow. So a write that begins
creates a `lost` record for each such: its tasks look for that before they store cells, and after.
Of two that begin at one moment, so that neither knows which was first, one withdraws.

A task that was storing while its write was lost may store after those of the other write. It leaves
a mark, which the other write finds when it ends: it fails too, as its cells may be damaged.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable

from dask_tapestry.errors import StoreError
from dask_tapestry.io.files.process_name import this_process
from dask_tapestry.io.journals.journal import Box
from dask_tapestry.io.journals.write_record import (
    BEGIN,
    DONE,
    MARK,
    OVER,
    Record,
    RecordedWrite,
    WriteKey,
    ended_at,
    is_own,
    keys_of,
)
from dask_tapestry.io.stores.stored_objects import StoredObjects


def take_over(
    objects: StoredObjects, write: RecordedWrite, known: Iterable[str], fresh: bool
) -> bool:
    """Stop other writes to the stored chunks of one that has begun, and record which these are.

    Parameters
    ----------
    known
        Names of their records that were there before it began, and others that it writes over.
    fresh
        Whether it has stored nothing yet.

    Returns
    -------
    bool
        False if another write has begun at the same moment and goes on instead of this one.
    """
    key, overwritten = write.key, set(known)
    names = objects.names()
    done_keys = keys_of(names, DONE) & keys_of(names, BEGIN)
    begun = [done.name("begin") for done in done_keys]
    objects.delete(begun)  # none of their tasks goes on any more
    rivals = _rivals(objects, names, write)
    if is_written_over(objects, names, key) or any(
        name not in overwritten and _is_later(rival, name, key) for name, rival in rivals.items()
    ):
        if fresh:
            objects.delete([key.name("begin")])
        else:
            _lose(objects, key)
        return False
    for name in rivals:
        if (rival_key := WriteKey.in_name(name)).name("lost") not in names:
            _lose(objects, rival_key)
        objects.wait_for_users(name)  # tasks that were storing when they could not know of it
    overwritten.update(rivals)
    if overwritten:
        objects.create(
            key.name("over"),
            write.record(overwritten | _earlier_marks(objects, write, overwritten)),
        )
    return True


def _earlier_marks(objects: StoredObjects, write: RecordedWrite, over: Collection[str]) -> set[str]:
    """Names of the marks of what others have stored until now: `write` will store after them."""
    names = objects.names()
    lost, going = keys_of(over, BEGIN), keys_of(names, BEGIN) | {write.key}
    marks = {name: WriteKey.in_name(name) for name in names if name.startswith(MARK)}
    stray = [name for name, key in marks.items() if key not in going | lost]
    texts = {name: objects.read(name) for name in stray}
    damage = {n for n, text in texts.items() if text and Record.of(text).meets(write.reach)}
    return damage.union(name for name, key in marks.items() if key in lost)


def _rivals(
    objects: StoredObjects, names: Collection[str], write: RecordedWrite
) -> dict[str, Record]:
    """Return the records of other computes' writes to the same chunks that have not ended."""
    own, done = write.key.run, keys_of(names, DONE)
    begun = {key.name("begin") for key in keys_of(names, BEGIN) - done if key.run != own}
    texts = {name: objects.read(name) for name in begun}
    records = {name: Record.of(text) for name, text in texts.items() if text is not None}
    return {name: record for name, record in records.items() if record.meets(write.reach)}


def _is_later(rival: Record, name: str, key: WriteKey) -> bool:
    """Whether a write that was not there before `key` began goes on instead of that."""
    return key.name("begin") in rival.over or WriteKey.in_name(name) > key


def is_written_over(objects: StoredObjects, names: Collection[str], key: WriteKey) -> bool:
    """Whether other computes have stopped a write; all else that told of it may be deleted."""
    overs = [name for name in names if name.startswith(OVER)]
    texts = [objects.read(name) for name in overs if WriteKey.in_name(name).run != key.run]
    return any(key.name("begin") in Record.of(text or b"").over for text in texts)


def _lose(objects: StoredObjects, key: WriteKey) -> None:
    objects.create(key.name("lost"), json.dumps({"by": this_process()}).encode())


def refuse_late_marks(
    objects: StoredObjects, write: RecordedWrite, over: Collection[str], where: object
) -> None:
    """Raise `StoreError` if writes that `write` has stopped have stored in its chunks since.

    Parameters
    ----------
    over
        Names of the records that it writes over.
    where
        What the error names.
    """
    names = objects.names()
    stopped = {key for key in keys_of(over, BEGIN) if key.run != write.key.run}
    known = keys_of(names, BEGIN, DONE) - stopped
    marks = [n for n in names if n.startswith(MARK) and n not in over]
    late = [n for n in marks if WriteKey.in_name(n) not in known]  # also those of damage
    texts = [text for name in late if (text := objects.read(name)) is not None]
    if any(Record.of(text).meets(write.reach) for text in texts):
        raise StoreError(
            f"another write to the same stored chunks of {where} was running when this one began, "
            "and which cells came last is not known: write them again"
        )


def is_followed(objects: StoredObjects, write: RecordedWrite, box: Box) -> bool:
    """Whether others may have written to a box since the last cell of `write`, which is done.

    Of those that began when it was done, this is known by the clocks of those that ended.
    """
    names, own = objects.names(), write.key
    if is_written_over(objects, names, own):
        return True
    since = min((ended_at(n) for n in names if n.startswith(DONE) and is_own(n, own)), default=0)
    ended = [n for n in names if n.startswith(DONE) and ended_at(n) >= since]
    begun = [n for n in names if n.startswith((BEGIN, MARK))]
    others = [n for n in (*ended, *begun) if WriteKey.in_name(n).run != own.run]
    texts = [objects.read(name) for name in others]
    return any(text is not None and Record.of(text).meets(box) for text in texts)
