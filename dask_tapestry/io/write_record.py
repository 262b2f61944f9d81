"""What writes leave beside an array: records that are created once, and never rewritten.

A write creates a `begin` before its first cell, a `mark` for what a task has stored, and `done`
after its last cell; then it deletes its begin and its marks. So an array is incomplete while there
is a begin without a done. `over` names writes that had not ended, over which this one has written.
`made` says which write made the array.

The name of a record tells its kind, the write, the compute in which that ran and the region, each
as a digest; of one that is done also when. What it holds is JSON: the boxes, and the same in full.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from hashlib import blake2b
from typing import Any, Final, Literal

from dask_tapestry.io.journal import Box, boxes_from_json, boxes_to_json
from dask_tapestry.late_named_tuple import NamedTuple

Kind = Literal["begin", "mark", "over", "done"]

BEGIN: Final = "begin."
MARK: Final = "mark."
OVER: Final = "over."
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
    """

    boxes: frozenset[Box] | None
    dense: bool = True
    over: tuple[str, ...] = ()

    def to_json(self, **more: Any) -> bytes:
        """The record as it is stored; `more` is for those who look."""
        told = {"boxes": boxes_to_json(self.boxes or ()), "dense": self.dense, "over": self.over}
        return json.dumps({**told, **more}).encode()

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
            held = json.loads(text)
            boxes = boxes_from_json(held["boxes"])
            return cls(boxes, bool(held["dense"]), tuple(map(str, held["over"])))
        except (ValueError, KeyError, TypeError):
            return cls(None, dense=False)


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
    if not boxes_meet(box, taken):
        return [box]
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
