"""Tables of block inputs: which tasks hold what a block reads, where blocks are translates.

Blocks of one class read boxes that move by the same steps from block to block. So along each axis
of an input, what a block reads follows from its places along the ways that move the box there: a
table with an entry a place, and what a task refers to is a product of entries.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any, Final, TypeAlias

from dask_tapestry.lower.block_inputs import HeldBlocks, HeldCells, References
from dask_tapestry.lower.dask_private import TaskRef
from dask_tapestry.lower.tuning import BOXES_REMEMBERED
from dask_tapestry.planner.access.access import ClassLeaf, MovingBox, moved
from dask_tapestry.zspace import ZRange

Place: TypeAlias = tuple[int, ...]
NOWHERE: Final = itemgetter(slice(0, 0))  # the part of a place that a box that stays depends on


class MovingBlocks:
    """What holds a box of an input, for all blocks of one class.

    Parameters
    ----------
    held
        The blocks of the input.
    moving
        The box that the first block of the class reads, and how it moves.
    """

    def __init__(self, held: HeldBlocks, moving: MovingBox) -> None:
        self.held, self.moving = held, moving
        self._where = _part_of_place([any(shift) for shift in moving.shifts])
        self._known: dict[Any, References] = {}
        self._axes = [
            (_part_of_place([bool(step) for step in steps]), _AxisTable(held, axis, bounds, steps))
            for axis, (*bounds, steps) in enumerate(_by_axis(moving))
        ]

    def of(self, place: Place) -> References:
        """Return what holds the cells that the block at a place of the class reads."""
        where = self._where(place)
        references = self._known.get(where)
        if references is None:
            if len(self._known) >= BOXES_REMEMBERED:
                self._known.clear()
            along = [table[part(place)] for part, table in self._axes]
            keys = self.held.product(along) or self.held.keys(_box(self.moving, place))
            references = self._known[where] = tuple(map(TaskRef, keys)), frozenset(keys)
        return references


class MovingCells:
    """Cells of an input in memory that the blocks of one class read."""

    def __init__(self, held: HeldCells, moving: MovingBox) -> None:
        self.held, self.moving = held, moving

    def of(self, place: Place) -> References:
        """Return the cells that the block at a place of the class reads."""
        return self.held.of(_box(self.moving, place))


def moving_reads(
    sources: Sequence[HeldBlocks | HeldCells], leaf: ClassLeaf
) -> list[MovingBlocks | MovingCells]:
    """What holds the boxes of all inputs that the blocks of a class read, in order."""
    return [
        MovingBlocks(source, box) if isinstance(source, HeldBlocks) else MovingCells(source, box)
        for source, boxes in zip(sources, leaf.moving, strict=True)
        for box in boxes
    ]


def _box(moving: MovingBox, place: Place) -> ZRange:
    """The cells that the block at a place reads."""
    return moved(moving.box, moving.shifts, place)


class _AxisTable(dict[Any, Any]):
    """What is read along one axis, by the part of a place that it depends on."""

    def __init__(self, held: HeldBlocks, axis: int, bounds: Sequence[int], steps: Place) -> None:
        super().__init__()
        self.along, self.bounds = held.along[axis], bounds
        self.steps = [step for step in steps if step]

    def __missing__(self, part: Any) -> Any:
        if len(self) >= BOXES_REMEMBERED:
            self.clear()
        places = part if isinstance(part, tuple) else (part,)
        way = sum([n * step for n, step in zip(places, self.steps, strict=True)])
        lo, hi = self.bounds
        found = self[part] = self.along[lo + way, hi + way]
        return found


def _by_axis(moving: MovingBox) -> list[tuple[int, int, Place]]:
    """For each axis, the first bounds and how far each way moves them."""
    steps = zip(*moving.shifts, strict=True) if moving.shifts else [()] * moving.box.ndim
    return list(zip(moving.box.lo, moving.box.hi, steps, strict=True))


def _part_of_place(matters: Sequence[bool]) -> Callable[[Place], Any]:
    """A function that picks the ways that matter: the place itself for one way, else a tuple."""
    ways = [way for way, does in enumerate(matters) if does]
    return itemgetter(*ways) if ways else NOWHERE
