"""Waiting shares: the part of a value that is computed before a block of its reader can begin.

What is centred waits for a mean, and so for all that the mean of its columns is made of: blocks of
the value are held until then, however few of them a block reads itself.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import product
from math import prod

from dask_tapestry.planner.cost.step import Step
from dask_tapestry.planner.tuning import MOST_HANDOVER_BLOCKS
from dask_tapestry.steps.boxes import merged
from dask_tapestry.teg import Node
from dask_tapestry.zspace import Cuts, ZRange, block_box
from dask_tapestry.zspace.grid import block_range


class WaitingShares:
    """What the first blocks of steps wait for by way of other steps.

    Parameters
    ----------
    steps
        Those of a plan, producers first.
    """

    def __init__(self, steps: Mapping[Node, Step]) -> None:
        self._steps = steps
        self._order = list(steps)
        self._number = {node: number for number, node in enumerate(steps)}
        self._made_of: dict[Node, int] = {}  # the steps that each is made of, and itself, as bits
        for node, step in steps.items():
            made_of = 1 << self._number[node]
            for x in step.inputs:
                made_of |= self._made_of.get(x, 0)
            self._made_of[node] = made_of

    def share(self, node: Node, reader: Step) -> float:
        """The part of a value's blocks that a reader's first block waits for by way of others.

        Of the first and the last block, that of the one that waits for fewer.
        """
        bit = 1 << self._number[node]
        ways = {x for x in reader.inputs if x not in (node, reader.node)}
        if not any(self._made_of.get(x, 0) & bit for x in ways):
            return 0.0
        last = tuple([c.count - 1 for c in reader.cuts])
        ends = dict.fromkeys([(0,) * len(last), last])
        return min(self._share(node, reader, block_box(reader.cuts, end)) for end in ends)

    def _share(self, node: Node, reader: Step, box: ZRange) -> float:
        bit, first = 1 << self._number[node], self._number[node]
        wanted: dict[Node, list[ZRange]] = defaultdict(list)
        for x, own in _read(reader, box):
            if x is not node:
                wanted[x].append(own)
        for number in range(self._number[reader.node] - 1, first, -1):
            step = self._steps[self._order[number]]
            if step.node not in wanted or not self._made_of[step.node] & bit:
                continue
            for made in merged([_whole_blocks(step.cuts, own) for own in wanted[step.node]]):
                for x, own in _read(step, made):
                    wanted[x].append(own)
        return _blocks_met(self._steps[node].cuts, wanted[node]) / self._steps[node].count


def _read(step: Step, box: ZRange) -> Iterator[tuple[Node, ZRange]]:
    """What a step reads for a box of its value: boxes of its inputs that have cells."""
    for x, boxes in zip(step.inputs, step.program.input_boxes(box), strict=True):
        for own in boxes:
            if not own.is_empty:
                yield x, own


def _whole_blocks(cuts: tuple[Cuts, ...], box: ZRange) -> ZRange:
    """The cells of all blocks that a box meets."""
    met = block_range(cuts, box)
    ends = [tuple([numbers[at] for numbers in met]) for at in (0, -1)]
    first, last = (block_box(cuts, end) for end in ends)
    return ZRange(first.lo, last.hi)


def _blocks_met(cuts: tuple[Cuts, ...], boxes: list[ZRange]) -> int:
    """How many blocks boxes meet; of very many, those that several boxes meet more than once."""
    met = dict.fromkeys([block_range(cuts, box) for box in boxes])
    counts = [prod(map(len, one)) for one in met]
    if len(counts) < 2 or sum(counts) > MOST_HANDOVER_BLOCKS:
        return min(sum(counts), prod([c.count for c in cuts]))
    return len(set().union(*[product(*one) for one in met]))
