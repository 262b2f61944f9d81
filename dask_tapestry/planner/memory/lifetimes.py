"""Lifetimes: which steps have ended before others begin, and what is held together then.

Steps are numbered, and a set of them is an integer with a bit for each: hundreds are compared in
pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import lru_cache, reduce
from itertools import islice, pairwise, product
from operator import or_

from dask_tapestry.planner.access.access import MOST_CLASSES, Access
from dask_tapestry.planner.cost.footprint import met_blocks
from dask_tapestry.planner.cost.step import Step
from dask_tapestry.planner.memory.buffer_handover import MOST_BLOCKS, Block, relays
from dask_tapestry.steps.program import Program
from dask_tapestry.teg import Node
from dask_tapestry.zspace import Cuts

Running = Callable[[Callable[[Node], bool]], float]


class Lifetimes:
    """When the values of steps are held, whatever the order in which a scheduler takes blocks.

    Parameters
    ----------
    steps
        Those of a plan, producers first.
    kept
        The values that nobody frees.
    """

    def __init__(self, steps: Mapping[Node, Step], kept: Collection[Node]) -> None:
        self._number = {node: number for number, node in enumerate(steps)}
        self._reads = [self._read_blocks(step, steps) for step in steps.values()]
        self._counts = [step.count for step in steps.values()]
        self._readers = [0] * len(steps)
        for number, reads in enumerate(self._reads):
            for x in reads:
                self._readers[x] |= 1 << number
        self._ended = self._before(steps)
        never = 1 << len(steps)  # a step that has not ended when all have
        pairs = zip(steps, self._readers, strict=True)
        self._until = [never if node in kept else readers for node, readers in pairs]
        self._relays = relays(steps, set(kept), self.ends_before)
        self._first = list(range(len(steps)))  # of the values that take each other's place
        for node, last in self._relays.items():
            self._first[self._number[node]] = self._first[self._number[last]]

    def _read_blocks(self, reader: Step, steps: Mapping[Node, Step]) -> dict[int, frozenset[Block]]:
        """Blocks that a step reads of others, by their numbers."""
        read = [x for x in reader.inputs if x in steps and x is not reader.node]
        return {self._number[x]: _blocks_read_together(reader, steps[x]) for x in read}

    def _before(self, steps: Mapping[Node, Step]) -> list[int]:
        """For each step, the steps that have ended when its first block can be computed."""
        ended, needed = list[int](), list[int]()  # needed: when its last block has been computed
        nodes = list(steps)
        for step, reads in zip(steps.values(), self._reads, strict=True):
            over = whole = 0
            for x, met in reads.items():
                all_of_it = 1 << x | needed[x]
                fewest = _fewest_read(step, steps[nodes[x]])
                over |= ended[x] if fewest else 0
                if fewest == self._counts[x]:
                    over |= all_of_it
                if len(met) == self._counts[x] or _reads_all(step, nodes[x]):
                    whole |= all_of_it
            while more := self._read_by_several(over):
                over = reduce(or_, [1 << x | needed[x] for x in more], over)
            ended.append(over)
            needed.append(over | whole)
        return ended

    def _read_by_several(self, over: int) -> list[int]:
        """Steps of which those that have ended have read all blocks together."""
        inputs = []
        for x, readers in enumerate(self._readers):
            several = readers & over
            if several & (several - 1) and not over >> x & 1:
                met = frozenset().union(*(self._reads[reader][x] for reader in _bits(several)))
                inputs += [x] if len(met) == self._counts[x] else []
        return inputs

    def ends_before(self, one: Node, other: Node) -> bool:
        """Whether a step has ended when the first block of another can be computed."""
        return bool(self._ended[self._number[other]] >> self._number[one] & 1)

    def takes_place(self, node: Node) -> bool:
        """Whether blocks of a value take the place of another's."""
        return node in self._relays

    def most_together(
        self,
        held: Mapping[Node, float],
        running: Running,
        whole: Mapping[Node, float] | None = None,
    ) -> float:
        """The most bytes at a time: of values, and of blocks that are computed.

        Parameters
        ----------
        held
            Bytes of each value while it is held.
        running
            Bytes of blocks that may be computed at a time, of the steps for which it is told True.
        whole
            Bytes of each value if all of it is held: values that take each other's place take no
            more than the largest of them. By default nothing is said of these.

        Notes
        -----
        Two bounds hold, and the lower is taken. While a step begins, there is no value that is made
        of all of it, or whose readers have all ended before. And at any time some step of a chain,
        of which each ends before the next begins, was the last to begin: a step that depends on
        nothing may then run at any time, but not at all times at once.
        """
        values = [(size, self._number[node]) for node, size in held.items()]
        largest = {self._number[node]: size for node, size in (whole or {}).items()}

        def most(begun: int | None, to_come: int | None) -> float:
            """Bytes between the beginnings of two steps, or of one and the same."""
            over = 0 if begun is None else self._ended[begun]
            later = 0 if to_come is None else 1 << to_come
            there = [
                (b, n) for b, n in values if self._until[n] & ~over and not self._ended[n] & later
            ]

            def may_run(node: Node) -> bool:
                number = self._number[node]
                return not (over >> number & 1 or self._ended[number] & later)

            return self._held(there, largest) + running(may_run)

        single = max((most(number, number) for number in self._number.values()), default=0.0)
        chain = [None, *self._longest_chain(), None]
        return min(single, max(most(a, b) for a, b in pairwise(chain)))

    def _held(self, values: Collection[tuple[float, int]], largest: Mapping[int, float]) -> float:
        """Bytes of values, of which those that take each other's place are held once."""
        if not (largest and self._relays):
            return sum([size for size, _ in values])
        together, most = dict[int, float](), dict[int, float]()
        for size, number in values:
            first = self._first[number]
            together[first] = together.get(first, 0.0) + size
            most[first] = max(most.get(first, 0.0), largest[number])
        return sum([min(size, most[first]) for first, size in together.items()])

    def _longest_chain(self) -> list[int]:
        """Steps of which each has ended when the next begins."""
        length, last = list[int](), list[int | None]()
        for over in self._ended:
            best = max(_bits(over), key=length.__getitem__, default=None)
            last.append(best)
            length.append(1 if best is None else length[best] + 1)
        at = max(range(len(length)), key=length.__getitem__, default=None)
        chain = list[int]()
        while at is not None:
            chain.append(at)
            at = last[at]
        return chain[::-1]


def _bits(number: int) -> Iterator[int]:
    """The places of ones."""
    while number:
        low = number & -number
        yield low.bit_length() - 1
        number ^= low


def _reads_all(reader: Step, x: Node) -> bool:
    """Whether all blocks of `reader` together read all cells of one of its inputs."""
    boxes = reader.program.input_boxes(reader.node.type.box)[reader.inputs.index(x)]
    return any(box.contains(x.type.box) for box in boxes)


def _blocks_read_together(reader: Step, step: Step) -> frozenset[Block]:
    """Blocks of `step` that all blocks of `reader` read together; none of a step of very many."""
    if step.count > MOST_BLOCKS:
        return frozenset()
    at = reader.inputs.index(step.node)
    boxes = reader.program.input_boxes(reader.node.type.box)[at]
    found = set[Block]()
    for box in boxes:
        spans = [c.overlapping(*edges) for c, *edges in zip(step.cuts, box.lo, box.hi, strict=True)]
        found.update(product(*[range(*span) for span in spans]))
    return frozenset(found)


def _fewest_read(reader: Step, step: Step) -> int:
    """Fewest blocks of `step` that the first or the last block of `reader` reads; 0 if any may not.

    Blocks without cells are not read: a task that is told their type alone waits for the first one.
    """
    at = reader.inputs.index(step.node)
    ends = (0,) * len(reader.cuts), tuple(n - 1 for n in reader.grid_shape)
    boxes = [reader.program.input_boxes(reader.box(end))[at] for end in ends]
    fewest = min(sum(met_blocks(b, step.cuts) for b in found) for found in boxes)
    return fewest if fewest and _all_read(reader.program, reader.cuts, at) else 0


@lru_cache(maxsize=4096)
def _all_read(program: Program, cuts: tuple[Cuts, ...], number: int) -> bool:
    """Whether no block of a grid leaves an input out, as those of a concatenation do."""
    if number in _always_read(program):
        return True
    classes = Access.of(program, cuts).each_leaf()
    for leaf in islice(classes, MOST_CLASSES):
        if all(m.box.is_empty for m in leaf.moving[number]):
            return False
    return next(classes, None) is None  # of more classes nothing is known


@lru_cache(maxsize=1024)
def _always_read(program: Program) -> frozenset[int]:
    """The values that every block reads: no operator on the way chooses among its inputs."""
    first, values = len(program.inputs), {len(program.types) - 1}
    for value in range(len(program.types) - 1, first - 1, -1):
        instruction = program.instructions[value - first]
        chooses = len(instruction.inputs) > 1 and instruction.operator.is_selector
        if value in values and not chooses:
            values.update(instruction.inputs)
    return frozenset(values)
