"""Groups of tasks: neighbouring blocks of a step, which a simulation handles as one.

A step of few blocks has a bundle for each; one of many has so many bundles as are asked for, each a
box of the grid. What a bundle reads follows from the program, as for a block; so which bundles wait
for which others is known without looking at each block.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import prod

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.planner.cost.step import Step
from dask_tapestry.teg import Node, Sink
from dask_tapestry.teg.node import topological
from dask_tapestry.zspace import Cuts, ZRange, block_range


@dataclass(frozen=True)
class TaskGroup:
    """Blocks of a step.

    Attributes
    ----------
    step
        The value that the step computes.
    blocks
        How many there are.
    reads
        Numbers of the bundles whose blocks these blocks need.
    """

    step: Node
    blocks: int
    reads: frozenset[int]


def bundles_of(steps: Mapping[Node, Step], most: int) -> tuple[TaskGroup, ...]:
    """The bundles of all steps, producers first; about `most` of each step at most."""
    task_groups: list[TaskGroup] = []
    numbers: dict[Node, _Coarse] = {}
    for node, step in steps.items():
        coarse = _Coarse.of(step, most, len(task_groups))
        gates = frozenset(
            number for x in _awaited(step) if x in numbers for number in numbers[x].all
        )
        for index in product(*map(range, coarse.shape)):
            reads = set(gates)
            boxes = step.program.input_boxes(coarse.box(index))
            for x, own in zip(step.inputs, boxes, strict=True):
                if x in numbers and x != node:
                    for box in own:
                        reads.update(numbers[x].meeting(box))
            task_groups.append(TaskGroup(node, coarse.blocks(index), frozenset(reads)))
        numbers[node] = coarse
    return tuple(task_groups)


def _awaited(step: Step) -> Iterator[Node]:
    """The writes that have ended before any block of a step begins."""
    for before in step.after:
        for node in topological([before]):
            if isinstance(node.operator, Sink):
                yield node


@dataclass(frozen=True)
class _Coarse:
    """A grid whose blocks are taken `sides` at a time; its bundles are numbered from `first`."""

    cuts: tuple[Cuts, ...]
    sides: tuple[int, ...]
    first: int

    @classmethod
    def of(cls, step: Step, most: int, first: int) -> _Coarse:
        sides = [1] * len(step.cuts)
        shape = step.grid_shape
        while prod(_parts(shape, sides)) > most:
            longest = max(range(len(shape)), key=lambda d: _parts(shape, sides)[d])
            sides[longest] *= 2
        return cls(step.cuts, tuple(sides), first)

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of bundles along each dimension."""
        return _parts([c.count for c in self.cuts], self.sides)

    @property
    def all(self) -> range:
        """Numbers of the bundles."""
        return range(self.first, self.first + prod(self.shape))

    def box(self, index: Sequence[int]) -> ZRange:
        """The cells of a bundle."""
        spans = [
            (cut.block(i * side)[0], cut.block(min((i + 1) * side, cut.count) - 1)[1])
            for cut, side, i in zip(self.cuts, self.sides, index, strict=True)
        ]
        return ZRange(tuple([a for a, _ in spans]), tuple([b for _, b in spans]))

    def blocks(self, index: Sequence[int]) -> int:
        """Number of blocks of a bundle."""
        return prod(
            min(side, cut.count - i * side)
            for cut, side, i in zip(self.cuts, self.sides, index, strict=True)
        )

    def meeting(self, box: ZRange) -> Iterator[int]:
        """Numbers of the bundles whose blocks meet `box`."""
        met = [
            range(r.start // side, (r.stop - 1) // side + 1)
            for r, side in zip(block_range(self.cuts, box), self.sides, strict=True)
        ]
        for index in product(*met):
            number = 0
            for i, n in zip(index, self.shape, strict=True):
                number = number * n + i
            yield self.first + number


def _parts(shape: Sequence[int], sides: Sequence[int]) -> tuple[int, ...]:
    return tuple([-(-n // side) for n, side in zip(shape, sides, strict=True)])
