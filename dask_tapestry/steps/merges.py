"""Merges: partial results that come one after the other, of which only those are kept that wait.

What pieces yield lies along one axis. As soon as a partial result and its neighbour are there, they
are merged, and so on, level by level, until the last few are left, from which the value is
computed. So one for each level waits at most, where the order is fixed, as that of a canonical
tree is: the bits are those of all together. Where it is free, neighbours are merged at once.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from dask_tapestry.first import first_of
from dask_tapestry.steps.parts import with_last
from dask_tapestry.steps.program import Instruction, Program
from dask_tapestry.teg import Merging
from dask_tapestry.zspace import ZRange


class Merges(NamedTuple):
    """How the partial results of a loop are merged.

    Attributes
    ----------
    pairs
        Each takes the partial results of one level and yields those of the next.
    roots
        The box of the last ones.
    axis
        Along which they lie.
    freely
        Whether neighbours are merged as soon as they are there.
    """

    pairs: tuple[Program, ...]
    roots: ZRange
    axis: int
    freely: bool

    def joins(self, level: int) -> bool:
        """Whether a level has pairs along the axis, not single ones that stay as they are."""
        return self._count(level + 1) < self._count(level)

    @property
    def first_pair(self) -> int:
        """The first level that has pairs."""
        levels = range(len(self.pairs))
        return first_of((n for n in levels if self.joins(n)), "levels that have pairs")

    def is_last(self, level: int, number: int) -> bool:
        """Whether there is no partial result after that of a number."""
        return number + 1 == self._count(level)

    def root_of(self, number: int) -> int:
        """The number of the last partial result that one of level 0 goes into."""
        for level in range(len(self.pairs)):
            number >>= self.joins(level)
        return number

    def box(self, number: int) -> ZRange:
        """The box of the partial result of a number, at any level."""
        return self.roots.replace(self.axis, number, number + 1)

    @property
    def kept(self) -> int:
        """Partial results that are kept at most: those that wait, and one that has come."""
        levels = 0 if self.freely else sum(map(self.joins, range(len(self.pairs))))
        return levels + self.roots.shape[self.axis] + 1

    @property
    def merging_bytes(self) -> int:
        """Bytes of what two become, and of as many that this takes, beside the two."""
        sizes = [pair.type.dtype.itemsize for pair in self.pairs]
        return 2 * self.box(0).size * max(sizes)

    def _count(self, level: int) -> int:
        type_ = self.pairs[level].inputs[0] if level < len(self.pairs) else self.pairs[-1].type
        return type_.shape[self.axis]


def merges_of(
    program: Program, box: ZRange, merging: Merging
) -> tuple[Program, ZRange, Merges, Program]:
    """What yields partial results, their box for a `box`, their merges, and what completes them."""
    first, pairs, then = _programs(program, merging)
    (roots,) = then.instructions[-1].operator.demand(then.inputs, box)
    nodes = roots
    for pair in reversed(pairs):
        (nodes,) = pair.instructions[-1].operator.demand(pair.inputs, nodes)
    return first, nodes, Merges(pairs, roots, merging.axis, merging.freely), then


@lru_cache(maxsize=1024)  # each box of a program that is priced asks for them
def _programs(program: Program, merging: Merging) -> tuple[Program, tuple[Program, ...], Program]:
    """What yields partial results, what merges two of each level, and what completes them."""
    first, last = with_last(program, merging.first), program.instructions[-1]
    pairs, type_ = list[Program](), first.type
    for operator in merging.pairs:
        step = Instruction(operator, (0,), (type_,), operator.infer(type_), last.line, last.device)
        pairs.append(Program((type_,), (step,), piece_bytes=program.piece_bytes))
        type_ = step.type
    step = Instruction(merging.split.then, (0,), (type_,), last.type, last.line, last.device)
    then = Program((type_,), (step,), piece_bytes=program.piece_bytes)
    return first, tuple(pairs), then
