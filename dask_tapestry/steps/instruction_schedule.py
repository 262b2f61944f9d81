"""Instruction schedules: which boxes of values one box of a result needs, and what computes them.

`Program.schedule` makes them. What a worker does in turns and in tiles is in `block_schedule`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from functools import cached_property
from itertools import accumulate
from types import EllipsisType
from typing import NamedTuple

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.steps.boxes import BoxHolder, holder
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

    @property
    def reads_one(self) -> bool:
        """Whether one of the boxes alone has cells."""
        return sum([not box.is_empty for _, box in self.reads]) == 1


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


class ReadRoute(NamedTuple):
    """Where a computation finds one box that it reads.

    Attributes
    ----------
    place
        Number of the box in memory that has it; None where that is not held, as it has no cells.
    shape
        Of what is read.
    slices
        Those that select it in the box; None where it has no cells.
    """

    place: int | None
    shape: tuple[int, ...]
    slices: tuple[slice | EllipsisType, ...] | None


class Route(NamedTuple):
    """Where a computation finds what it reads, and leaves what it makes, by numbers of boxes.

    Attributes
    ----------
    made
        The box that it computes.
    reads
        For each box that it reads, where that is.
    """

    made: int
    reads: tuple[ReadRoute, ...]


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
    def numbers(self) -> Mapping[Key, int]:
        """The number of each box, as they follow each other in `boxes`."""
        keys = [(value, box) for value, boxes in enumerate(self.boxes) for box in boxes]
        return {key: number for number, key in enumerate(keys)}

    def route(self, work: Work) -> Route:
        """The route of a computation, which need not be one of the schedule's own."""
        known = self._routes.get(id(work))
        return self._route(work) if known is None else known

    def is_own(self, work: Work) -> bool:
        """Whether a computation is one of the schedule's own."""
        return id(work) in self._routes

    @cached_property
    def _routes(self) -> Mapping[int, Route]:
        """The routes of its own computations, by these objects, which the schedule holds."""
        return {id(work): self._route(work) for work in self.works}

    def _route(self, work: Work) -> Route:
        reads = [self._read_route(source, need) for source, need in work.reads]
        return Route(self.numbers[work.value, work.box], tuple(reads))

    def _read_route(self, source: int, need: ZRange) -> ReadRoute:
        if not self.boxes[source]:
            return ReadRoute(None, need.shape, None)
        held = self.holder(source, need)
        slices = None if need.is_empty else need.index(held)
        return ReadRoute(self.numbers[source, held], need.shape, slices)

    @cached_property
    def uses(self) -> tuple[int, ...]:
        """How often each box is read that is in memory, by its number."""
        routes = [self._routes[id(work)] for work in self.works]
        reads = Counter([read.place for route in routes for read in route.reads])
        return tuple([reads[number] for number in range(len(self.numbers))])

    @cached_property
    def places(self) -> Places:
        """Its boxes by number: whoever follows values through a block asks for them."""
        if all(len(boxes) == 1 for boxes in self.boxes):
            reads = [tuple([value for value, _ in reads]) for _, _, reads in self.works]
            box_numbers = tuple([value for value, _, _ in self.works])
            return Places(len(self.boxes), box_numbers, tuple(reads))
        firsts = list(accumulate(map(len, self.boxes), initial=0))
        holders = [BoxHolder(boxes) if len(boxes) > 1 else None for boxes in self.boxes]

        def place(value: int, box: ZRange) -> int:
            held = holders[value]
            return firsts[value] + (0 if held is None else held.number(box))

        def read_place(value: int, box: ZRange) -> int | None:
            return place(value, box) if self.boxes[value] or not box.is_empty else None

        box_numbers = tuple([place(w.value, w.box) for w in self.works])
        read = tuple([tuple([read_place(*need) for need in w.reads]) for w in self.works])
        return Places(firsts[-1], box_numbers, read)
