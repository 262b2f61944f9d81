"""Resumed writes go on where a killed run has stopped: what is done, and what is missing.

Such a write is known by its identity, and its run by a number, so that the process which is started
again finds its own records: chunks are done that have a mark, and are stored as the mark says. A
run whose cells another write has taken is over, and the next number begins anew.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from logging import getLogger
from typing import Any, NamedTuple

from dask_tapestry.io.journals.journal import Box
from dask_tapestry.io.journals.stored_chunks import States, chunk_states, chunks_in, same_state
from dask_tapestry.io.journals.write_conflicts import is_followed, is_written_over
from dask_tapestry.io.journals.write_record import (
    BEGIN,
    DONE,
    MARK,
    Record,
    RecordedWrite,
    is_own,
    keys_of,
)
from dask_tapestry.io.resuming.chunk_map import ChunkMap
from dask_tapestry.io.resuming.identity import Identity
from dask_tapestry.io.stores.stored_objects import StoredObjects, objects_of
from dask_tapestry.io.stores.zarr_location import Location
from dask_tapestry.io.tuning import REQUESTS_AT_ONCE
from dask_tapestry.json_form import parsed


class Resume(NamedTuple):
    """How a write is resumed.

    Attributes
    ----------
    named
        Its identity, as records tell it.
    checksums
        Whether the bytes of stored chunks are compared, and not their sizes alone.
    """

    named: str
    checksums: bool = False

    @classmethod
    def of(cls, identity: Identity, how: Any) -> Resume:
        """The way that the argument ``resume=`` asks for, of a write of an identity."""
        return cls(json.dumps(identity.as_dict()), how == "checksums")

    def states(self, place: Location, box: Box, sides: tuple[int, ...]) -> States:
        """What is stored of the chunks of a box, to be told by its mark."""
        return chunk_states(place, [*chunks_in(place, box, sides)], self.checksums)


class WriteProgress(NamedTuple):
    """What there is of a write.

    Attributes
    ----------
    run
        Name of the run that goes on, or begins.
    pending
        Boxes of the cells of chunks that are missing; None for all cells.
    """

    run: str
    pending: tuple[Box, ...] | None


def run_name(number: int) -> str:
    """Name of a run of a write that is resumed."""
    return f"resumed {number}"


def progress_of(
    location: Location,
    write: Callable[[str], RecordedWrite],
    sides: tuple[int, ...],
    resume: Resume,
    may_be_followed: bool,
    title: object,
) -> WriteProgress:
    """Return what there is of a write at a location, and tell the user.

    Parameters
    ----------
    write
        The write in a run.
    sides
        Shape of the stored chunks.
    may_be_followed
        Whether what others have written there since it was done is theirs to write.
    title
        What the user calls it.
    """
    objects = objects_of(location)
    assert objects is not None
    for number in count():
        recorded = write(run_name(number))
        names = objects.names()
        if recorded.key.name("lost") in names or is_written_over(objects, names, recorded.key):
            continue
        if recorded.key in keys_of(names, DONE):
            if may_be_followed or not is_followed(objects, recorded, recorded.reach):
                return complete(title, recorded.run)
        elif recorded.key.name("begin") not in names:
            return WriteProgress(recorded.run, None)
        else:
            chunks = _missing_of_begun(location, objects, recorded, sides, resume)
            told = (title, chunks.missing_count, chunks.missing.size)
            getLogger(__name__).warning("%s goes on: %d of %d chunks are missing", *told)
            return WriteProgress(recorded.run, chunks.boxes())
    raise AssertionError


def complete(title: object, run: str) -> WriteProgress:
    """The progress of a write that is done."""
    getLogger(__name__).warning("%s is complete: nothing is written", title)
    return WriteProgress(run, ())


def _missing_of_begun(
    location: Location,
    objects: StoredObjects,
    write: RecordedWrite,
    sides: tuple[int, ...],
    resume: Resume,
) -> ChunkMap:
    """What is missing of a write that has begun and has not ended."""
    chunks = ChunkMap.of(write.box, sides)
    names = objects.names()
    marks = [name for name in names if name.startswith(MARK) and is_own(name, write.key)]
    with ThreadPoolExecutor(REQUESTS_AT_ONCE) as threads:  # behind a network each look is a request
        told = list(map(_mark, threads.map(objects.read, marks)))
    keys = list(dict.fromkeys(key for boxes, states in told if boxes for key in states))
    found = chunk_states(location, keys, resume.checksums) if keys else {}
    for boxes, states in told:
        there = {key for key, state in states.items() if same_state(state, found.get(key, []))}
        for box in boxes if there else ():
            for part in _stored_parts(location, box, sides, states, there):
                chunks.strike(part)
    return chunks


def _stored_parts(
    location: Location, box: Box, sides: tuple[int, ...], states: States, there: set[str]
) -> list[Box]:
    """The parts of a box whose chunks are `there`, of those of which a mark told `states`."""
    if len(there) == len(states):
        return [box]
    return [part for key, part in chunks_in(location, box, sides).items() if key in there]


def _mark(text: bytes | None) -> tuple[frozenset[Box], States]:
    """The boxes that a mark is of, and what was stored of them."""
    record = Record.of(text or b"")
    if record.boxes is None or text is None:
        return frozenset(), {}
    stored = parsed(text).get("stored")
    return record.boxes, stored if isinstance(stored, dict) else {}


def identity_there(location: Location, write: str) -> Any:
    """The identity that records at a location tell of a write, by its name or that of its record.

    It is None where none is told.
    """
    objects = objects_of(location)
    for name in [] if objects is None else sorted(objects.names(), reverse=True):
        if objects is not None and name.startswith((BEGIN, DONE)):
            try:
                held = parsed(objects.read(name) or b"")
                if "named" in held and write in (name, held["write"]):
                    return parsed(held["named"])
            except (ValueError, KeyError, TypeError):  # damaged
                continue
    return None
