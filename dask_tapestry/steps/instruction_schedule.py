"""Instruction schedules: which boxes of values one box of a result needs, and what computes them.

`Program.schedule` makes them. What a worker does in turns and in tiles is in `block_schedule`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.steps.boxes import BoxIndex, holder
from dask_tapestry.zspace import ZRange

Key = tuple[int, ZRange]  # a value, and a box of it


class Work(NamedTuple):
    """Compute cells `box` of value `value` from boxes of other values, each with its number."""

    value: int
    box: ZRange
    reads: tuple[tuple[int, ZRange], ...]

    @property
    def boxes(self) -> tuple[ZRange, ...]:
        """The boxes alone."""
        return tuple([box for _, box in self.reads])


class Places(NamedTuple):
    """The boxes of a schedule by number, as they follow each other in its `boxes`.

    Attributes
    ----------
    total
        How many boxes there are.
    made, read
        For each work, the box that it computes, and those that hold what it reads; None where that
        has no cells, and no box is held.
    """

    total: int
    made: tuple[int, ...]
    read: tuple[tuple[int | None, ...], ...]


@dataclass(frozen=True)
class InstructionSchedule:
    """The computations that one box of the output needs, in order.

    Attributes
    ----------
    boxes
        For each value, the boxes of it that are read or computed; they do not contain each other.
        None of which only empty ones are read.
    works
        The computations, inputs first.
    """

    boxes: tuple[tuple[ZRange, ...], ...]
    works: tuple[Work, ...]

    def holder(self, value: int, box: ZRange) -> ZRange:
        """The box of `value` that is held and contains `box`."""
        held = self.boxes[value]
        return held[holder(held, box)]

    def box_in_memory(
        self, value: int, box: ZRange, among: Collection[tuple[int, ZRange]]
    ) -> ZRange | None:
        """A box of `value` that contains `box` and is among some that are in memory."""
        for one in self.boxes[value]:
            if (one is box or one.contains(box)) and (value, one) in among:
                return one
        return None

    @cached_property
    def reads(self) -> Mapping[Key, tuple[Key, ...]]:
        """The boxes in memory that each computation reads, by what it computes."""
        return {(work.value, work.box): self._held_reads(work) for work in self.works}

    def _held_reads(self, work: Work) -> tuple[Key, ...]:
        return tuple([(s, self.holder(s, need)) for s, need in work.reads if self.boxes[s]])

    @cached_property
    def uses(self) -> Mapping[Key, int]:
        """How often each box in memory is read."""
        return Counter([key for keys in self.reads.values() for key in keys])

    @cached_property
    def places(self) -> Places:
        """Its boxes by number: whoever follows values through a block asks for them."""
        if all(len(boxes) == 1 for boxes in self.boxes):
            reads = [tuple([value for value, _ in reads]) for _, _, reads in self.works]
            box_numbers = tuple([value for value, _, _ in self.works])
            return Places(len(self.boxes), box_numbers, tuple(reads))
        firsts = list(accumulate(map(len, self.boxes), initial=0))

        indices = [BoxIndex(boxes) if len(boxes) > 1 else None for boxes in self.boxes]

        def place(value: int, box: ZRange) -> int:
            return firsts[value] + holder(self.boxes[value], box, indices[value])

        def read_place(value: int, box: ZRange) -> int | None:
            return place(value, box) if self.boxes[value] or not box.is_empty else None

        box_numbers = tuple([place(w.value, w.box) for w in self.works])
        read = tuple([tuple([read_place(*need) for need in w.reads]) for w in self.works])
        return Places(firsts[-1], box_numbers, read)
