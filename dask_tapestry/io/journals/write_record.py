"""Records of writes beside an array: created once, and never rewritten.

A write creates a `begin` before its first cell, a `mark` for what a task has stored, and `done`
after its last cell; then it deletes its begin and its marks. So an array is incomplete while there
is a begin without a done. A write that begins takes the same cells from writes that have not ended:
it creates a `lost` for each, at which they stop, and `over`, which names what was there of them.
`made` says which write made the array.

The name of a record tells its kind, the write, the compute in which that ran and the region, each
as a digest; of one that is done also when. What it holds is JSON: the boxes, and the same in full.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from hashlib import blake2b
from typing import Any, Final, Literal, NamedTuple

from dask_tapestry.io.files.process_name import this_process
from dask_tapestry.io.journals.journal import Box, boxes_from_json, boxes_to_json
from dask_tapestry.json_form import parsed

Kind = Literal["begin", "mark", "over", "lost", "done"]

BEGIN: Final = "begin."
MARK: Final = "mark."
OVER: Final = "over."
LOST: Final = "lost."
DONE: Final = "done."
MADE: Final = "made."


class WriteKey(NamedTuple):
    """A write to one region in one compute, as names of records tell it.

    Examples
    --------
    >>> key = WriteKey(digest("a write"), digest("a run"), digest("[0:3]"))
    >>> WriteKey.in_name(key.name("begin")) == WriteKey.in_name(key.name("mark", "5f")) == key
    True
    """

    write: str
    run: str
    region: str

    @classmethod
    def in_name(cls, name: str) -> WriteKey:
        """Key in the name of a record."""
        _, write, run, region, *_ = name.split(".")
        return cls(write, run, region)

    def name(self, kind: Kind, *more: str) -> str:
        """Name of a record of the write."""
        return ".".join((kind, *self, *more))

    def repeats(self, other: WriteKey) -> bool:
        """Whether both write to the very same cells."""
        return self.region == other.region


def digest(text: str) -> str:
    """Return a short digest, which may be a part of a name in any store."""
    return blake2b(text.encode(), digest_size=8).hexdigest()


class Record(NamedTuple):
    """What a record holds.

    Attributes
    ----------
    boxes
        That the write is to write, or has written; None where the record cannot be read.
    dense
        Whether every cell of them.
    over
        Names of records of writes that had not ended when this one began, and that it writes over.
    reach
        Boxes of the stored chunks that they are in; None if they are the same.
    """

    boxes: frozenset[Box] | None
    dense: bool = True
    over: tuple[str, ...] = ()
    reach: frozenset[Box] | None = None

    def to_json(self, **more: Any) -> bytes:
        """The record as it is stored; `more` is for those who look."""
        told = {"boxes": boxes_to_json(self.boxes or ()), "dense": self.dense, "over": self.over}
        reach = {} if self.reach is None else {"reach": boxes_to_json(self.reach)}
        return json.dumps({**told, **reach, **more}).encode()

    def meets(self, box: Box) -> bool:
        """Whether stored chunks of it are in a box; one that cannot be read may be anywhere."""
        reach = self.boxes if self.reach is None else self.reach
        return reach is None or any(boxes_meet(one, box) for one in reach)

    @classmethod
    def of(cls, text: bytes) -> Record:
        """The record that `to_json` was given; one without boxes if it is damaged.

        Examples
        --------
        >>> Record.of(Record(frozenset([((0, 3),)])).to_json(write="x")).boxes
        frozenset({((0, 3),)})
        >>> Record.of(b"{").boxes is None
        True
        """
        try:
            held = parsed(text)
            boxes = boxes_from_json(held["boxes"])
            reach = boxes_from_json(held["reach"]) if "reach" in held else None
            return cls(boxes, bool(held["dense"]), tuple(map(str, held["over"])), reach)
        except (ValueError, KeyError, TypeError):
            return cls(None, dense=False)


class RecordedWrite(NamedTuple):
    """A write to a region of an array, in one compute.

    Attributes
    ----------
    write, run
        Names of the write, and of the compute.
    box
        The region's first and one-past-last coordinates.
    region
        Text that is another for other cells of the box; empty for all of them.
    chunks
        Box of the stored chunks that it changes; None if that is `box`.
    named
        Its identity as JSON, if it may be resumed.
    """

    write: str
    run: str
    box: Box
    region: str = ""
    chunks: Box | None = None
    named: str = ""

    @property
    def key(self) -> WriteKey:
        """Its key in the names of records."""
        return WriteKey(*map(digest, (self.write, self.run, f"{self.box} {self.region}")))

    @property
    def reach(self) -> Box:
        """Box of the stored chunks that it changes."""
        return self.box if self.chunks is None else self.chunks

    def record(self, over: Iterable[str] = ()) -> bytes:
        """What its records hold."""
        reach = None if self.chunks is None else frozenset([self.chunks])
        held = Record(frozenset([self.box]), not self.region, tuple(sorted(over)), reach)
        named = {"named": self.named} if self.named else {}
        return held.to_json(write=self.write, run=self.run, by=this_process(), **named)


def is_own(name: str, key: WriteKey) -> bool:
    """Whether a record is of a write."""
    return not name.startswith(MADE) and WriteKey.in_name(name) == key


def ended_at(done: str) -> int:
    """When a write ended, in seconds since 1970, by the name of the record of that."""
    return int(done.rpartition(".")[2], 16)


def keys_of(names: Iterable[str], *kinds: str) -> set[WriteKey]:
    """Return the writes of the records of some kinds."""
    return {WriteKey.in_name(name) for name in names if name.startswith(kinds)}


def boxes_without(boxes: Iterable[Box], written: Iterable[Box]) -> frozenset[Box]:
    """Return boxes of the cells that are in `boxes` and not in `written`.

    Examples
    --------
    >>> sorted(boxes_without([((0, 9),)], [((2, 4),), ((7, 20),)]))
    [((0, 2),), ((4, 7),)]
    >>> boxes_without([((0, 2), (0, 2))], [((0, 2), (0, 9))])
    frozenset()
    """
    rest = set(boxes)
    for taken in written:
        rest = {part for box in rest for part in _parts_beside(box, taken)}
    return frozenset(rest)


def _parts_beside(box: Box, taken: Box) -> list[Box]:
    """Return the parts of a box that another leaves: along each axis those before and behind it."""
    if len(box) != len(taken) or not boxes_meet(box, taken):
        return [box]  # of an array of other dimensions, which another has replaced
    parts, middle = [], list(box)
    for axis, ((lo, hi), (a, b)) in enumerate(zip(box, taken, strict=True)):
        beside = ((lo, max(lo, a)), (min(hi, b), hi))
        parts += [(*middle[:axis], s, *middle[axis + 1 :]) for s in beside if s[0] < s[1]]
        middle[axis] = (max(lo, a), min(hi, b))
    return parts


def boxes_meet(one: Box, other: Box) -> bool:
    """Whether two boxes have cells in common; of boxes without cells, equal ones meet.

    Examples
    --------
    >>> boxes_meet(((0, 3),), ((2, 5),)), boxes_meet(((0, 3),), ((3, 5),))
    (True, False)
    """
    if one == other or len(one) != len(other):
        return True
    sides = zip(one, other, strict=True)
    return all(max(a, c) < min(b, d) for (a, b), (c, d) in sides)
