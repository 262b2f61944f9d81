"""Waiting shares: the part of a value that waits for its readers, as they wait for others.

What is centred waits for a mean, and so for all that the mean of its columns is made of: blocks of
the value are held until then, however few of them a block reads itself. If sums of rows come next,
the first one waits for the means of all columns: of each column one block has been read when it is
computed, and all others are held.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, product
from math import prod

from dask_tapestry.planner.cost.step import Step
from dask_tapestry.planner.tuning import MOST_HANDOVER_BLOCKS, NEXT_READERS
from dask_tapestry.steps.boxes import merged
from dask_tapestry.teg import Node
from dask_tapestry.zspace import Cuts, ZRange, block_box
from dask_tapestry.zspace.grid import block_range

Blocks = Sequence[tuple[range, ...]]  # numbers along each axis, of several boxes of blocks


class WaitingShares:
    """What of values is there and not yet read when the first blocks of steps are computed.

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
        self._readers: dict[Node, list[Step]] = {node: [] for node in steps}
        for node, step in steps.items():
            made_of = 1 << self._number[node]
            for x in dict.fromkeys(step.inputs):
                made_of |= self._made_of.get(x, 0)
                if x in self._readers and x is not node:
                    self._readers[x].append(step)
            self._made_of[node] = made_of

    def share(self, node: Node, reader: Step) -> float:
        """The part of a value's blocks that waits for a reader.

        Those that others need, which the reader waits for, and that it has not read itself when the
        first block of the reader, or of a step that is made of it, is computed: of the first and
        the last block, that of the one that waits for fewer.
        """
        ways = [x for x in reader.inputs if x not in (node, reader.node)]
        if not any(self._is_made_of(x, node) for x in ways):
            return 0.0
        return max(
            min(self._share(node, reader, step, box) for box in _end_boxes(step))
            for step in islice(self._made_of_it(reader), NEXT_READERS)
        )

    def _is_made_of(self, node: Node, other: Node) -> bool:
        return bool(self._made_of.get(node, 0) >> self._number[other] & 1)

    def _made_of_it(self, step: Step) -> Iterator[Step]:
        """A step, those that read it, those that read these, and so on."""
        found = {step.node: step}
        for one in (to_see := [step]):
            yield one
            for reader in self._readers[one.node]:
                if reader.node not in found:
                    found[reader.node] = reader
                    to_see.append(reader)

    def _share(self, node: Node, reader: Step, last: Step, box: ZRange) -> float:
        """The part for a reader, when a box of the `last` of several steps is computed."""
        wanted: dict[Node, list[ZRange]] = defaultdict(list)
        wanted[last.node].append(box)
        own: Blocks = ()
        cuts = self._steps[node].cuts
        for number in range(self._number[last.node], self._number[node], -1):
            step = self._steps[self._order[number]]
            if step.node not in wanted or not self._is_made_of(step.node, node):
                continue
            for made in merged([_whole_blocks(step.cuts, part) for part in wanted[step.node]]):
                for x, part in _read(step, made):
                    if x is node and step is reader:
                        own = (*own, block_range(cuts, part))
                    elif x is not step.node:
                        wanted[x].append(part)
        awaited = [block_range(cuts, part) for part in wanted[node]]
        return _blocks_without(awaited, own) / self._steps[node].count


def _end_boxes(step: Step) -> list[ZRange]:
    """The first and the last block of a step."""
    last = tuple([c.count - 1 for c in step.cuts])
    return [block_box(step.cuts, end) for end in dict.fromkeys([(0,) * len(last), last])]


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


def _blocks_without(blocks: Blocks, others: Blocks) -> int:
    """How many blocks are in some boxes of them and not in others.

    Of very many, those that are in several boxes are counted as often.
    """
    boxes = dict.fromkeys(blocks)
    count = sum([prod(map(len, box)) for box in boxes])
    if count <= MOST_HANDOVER_BLOCKS:
        inside = set().union(*[product(*box) for box in boxes])
        return len(inside.difference(*[product(*box) for box in others]))
    return max(0, count - sum([_common(one, other) for one in boxes for other in set(others)]))


def _common(one: Sequence[range], other: Sequence[range]) -> int:
    """How many blocks are in two boxes of them."""
    pairs = zip(one, other, strict=True)
    return prod([max(0, min(a.stop, b.stop) - max(a.start, b.start)) for a, b in pairs])
