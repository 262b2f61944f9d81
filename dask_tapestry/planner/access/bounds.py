"""Bounds: whether all blocks of a step read inside the values that they read.

Blocks of a class read boxes that move in proportion, so the hull of what they sweep over tells of
all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice, product
from typing import NamedTuple

from dask_tapestry.planner.access.access import Access, ClassLeaf, moved
from dask_tapestry.planner.access.block_classes import Shift
from dask_tapestry.planner.access.domain import Place
from dask_tapestry.planner.tuning import MOST_CLASSES, MOST_WORKS
from dask_tapestry.teg import TensorType
from dask_tapestry.zspace import ZRange, block_box


class OutOfBoundsRead(NamedTuple):
    """A block, and a box that it reads and that is not inside the value's type."""

    block: ZRange
    box: ZRange
    type: TensorType


@lru_cache(maxsize=2048)
def read_outside(access: Access) -> OutOfBoundsRead | None:
    """A block of a grid that reads outside of a value, and what; None if none does.

    Of blocks that fall into more than `MOST_CLASSES` classes so many are looked at, fewer where
    these compute more than `MOST_WORKS` boxes, and what all blocks together read.
    """
    looked = works = 0
    for leaf in islice(access.each_leaf(), MOST_CLASSES):
        looked, works = looked + 1, works + len(leaf.schedule.works)
        for found in _of_leaf(access, leaf):
            return found
        if works > MOST_WORKS:
            break
    if looked == MOST_CLASSES or works > MOST_WORKS:
        whole = access.program.type.box
        for type_, boxes in zip(
            access.program.types, access.program.schedule(whole).boxes, strict=True
        ):
            for box in boxes:
                if not type_.box.contains(box):
                    return OutOfBoundsRead(whole, box, type_)
    return None


def _of_leaf(access: Access, leaf: ClassLeaf) -> Iterator[OutOfBoundsRead]:
    """What the blocks of a class read outside."""
    translates, domain = leaf.translates, leaf.domain
    ends = [
        (-at, way.count - 1 - at) for at, way in zip(translates.place, domain.ways, strict=True)
    ]
    for value, (type_, boxes) in enumerate(
        zip(access.program.types, leaf.schedule.boxes, strict=True)
    ):
        for number, box in enumerate(boxes):
            still = (0,) * box.ndim
            shifts = [s[value][number] if s else still for s in translates.shifts]
            if box.is_empty or _holds_all(type_.box, box, shifts, ends):
                continue
            for place in _suspects(leaf):
                turns = [t - at for t, at in zip(place, translates.place, strict=True)]
                there = moved(box, shifts, turns)
                if not type_.box.contains(there):
                    yield OutOfBoundsRead(block_box(access.cuts, domain.block(place)), there, type_)


def _holds_all(
    whole: ZRange, box: ZRange, shifts: Sequence[Shift], ends: Sequence[tuple[int, int]]
) -> bool:
    """Whether a box lies in the `whole` wherever it moves."""
    for axis, (lo, hi) in enumerate(zip(box.lo, box.hi, strict=True)):
        for shift, (first, last) in zip(shifts, ends, strict=True):
            pace = shift[axis]
            if pace:
                ways = pace * first, pace * last
                lo, hi = lo + min(ways), hi + max(ways)
        if lo < whole.lo[axis] or hi > whole.hi[axis]:
            return False
    return True


def _suspects(leaf: ClassLeaf) -> Iterator[Place]:
    """Places of a class, of which one reads outside if any does: corners, or all beside a band."""
    band = leaf.domain.band
    counts = [way.count for way in leaf.domain.ways]
    if band is None:
        yield from product(*[sorted({0, n - 1}) for n in counts])
        return
    yield from (place for place in product(*map(range, counts)) if place not in band)
