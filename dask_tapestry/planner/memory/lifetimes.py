"""Lifetimes: which steps have ended before others begin, and what is held together then.

Steps are numbered, and a set of them is an integer with a bit for each: hundreds are compared in
pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache, reduce
from itertools import pairwise, product
from operator import and_, or_
from typing import Any

import numpy as np

from dask_tapestry.planner.access.access import Access, UncountableError
from dask_tapestry.planner.cost.footprint import met_blocks
from dask_tapestry.planner.cost.step import Step
from dask_tapestry.planner.memory.buffer_handover import Block, relays
from dask_tapestry.planner.tuning import MOST_HANDOVER_BLOCKS
from dask_tapestry.steps.program import Program
from dask_tapestry.teg import Node
from dask_tapestry.zspace import Cuts, block_box

Flags = np.ndarray[Any, np.dtype[np.bool_]]
Bytes = np.ndarray[Any, np.dtype[np.float64]]
Words = np.ndarray[Any, np.dtype[np.uint64]]
Running = Callable[[Flags], Bytes]


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
        numbers = enumerate(self._readers)
        self._shared = [(x, some) for x, some in numbers if some & (some - 1)]  # by several readers
        self._ended = self._ended_before(steps)
        never = 1 << len(steps)  # a step that has not ended when all have
        pairs = zip(steps, self._readers, strict=True)
        self._until = [never if node in kept else readers for node, readers in pairs]
        self._steps, self._kept = steps, frozenset(kept)

    def _read_blocks(self, reader: Step, steps: Mapping[Node, Step]) -> dict[int, frozenset[Block]]:
        """Blocks that a step reads of others, by their numbers."""
        read = [x for x in reader.inputs if x in steps and x is not reader.node]
        return {self._number[x]: _blocks_read_together(reader, steps[x]) for x in read}

    def _ended_before(self, steps: Mapping[Node, Step]) -> list[int]:
        """For each step, the steps that have ended when its first block can be computed."""
        ended_masks = list[int]()
        needed = list[int]()  # when its last block has been computed
        nodes = list(steps)
        for step, reads in zip(steps.values(), self._reads, strict=True):
            ended_mask = whole = 0
            for x, blocks_read in reads.items():
                all_of_it = 1 << x | needed[x]
                fewest = _fewest_read(step, steps[nodes[x]])
                ended_mask |= ended_masks[x] if fewest else 0
                if fewest == self._counts[x]:
                    ended_mask |= all_of_it
                if len(blocks_read) == self._counts[x] or _reads_all(step, nodes[x]):
                    whole |= all_of_it
            while more := self._read_by_several(ended_mask):
                ended_mask = reduce(or_, [1 << x | needed[x] for x in more], ended_mask)
            ended_masks.append(ended_mask)
            needed.append(ended_mask | whole)
        return ended_masks

    def _read_by_several(self, over: int) -> list[int]:
        """Steps of which those that have ended have read all blocks together."""
        inputs = []
        for x, readers in self._shared:
            several = readers & over
            if several & (several - 1) and not over >> x & 1:
                met = frozenset().union(*(self._reads[reader][x] for reader in _bits(several)))
                inputs += [x] if len(met) == self._counts[x] else []
        return inputs

    def ends_before(self, one: Node, other: Node) -> bool:
        """Whether a step has ended when the first block of another can be computed."""
        return bool(self._ended[self._number[other]] >> self._number[one] & 1)

    @cached_property
    def _relays(self) -> Mapping[Node, Node]:
        """Which value each takes the place of that takes another's: it takes long to find them."""
        return relays(self._steps, set(self._kept), self.ends_before)

    @cached_property
    def _first(self) -> list[int]:
        """For each value the first one of those that take each other's place."""
        first = list(range(len(self._ended)))
        for node, last in self._relays.items():
            first[self._number[node]] = first[self._number[last]]
        return first

    def takes_place(self, node: Node) -> bool:
        """Whether blocks of a value take the place of another's."""
        return node in self._relays

    def most_together(
        self,
        bytes_of: Mapping[Node, float],
        running: Running,
        whole: Mapping[Node, float] | None = None,
    ) -> float:
        """The most bytes at a time: of values, and of blocks that are computed.

        Parameters
        ----------
        held
            Bytes of each value while it is held.
        running
            Bytes of blocks that may be computed at a time, for each row of flags that say of which
            steps, in their order.
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
        sizes, largest = np.zeros(len(self._ended)), np.zeros(len(self._ended))
        for node, size in bytes_of.items():
            sizes[self._number[node]] = size
        for node, size in (whole or {}).items():
            largest[self._number[node]] = size
        if not len(sizes):
            return 0.0
        held = (self._held(there, sizes, largest if whole else None) for there, _ in self._moments)
        bounds = zip(held, self._moments, strict=True)
        return min(float((some + running(may_run)).max()) for some, (_, may_run) in bounds)

    @cached_property
    def _sets(self) -> tuple[Flags, Flags]:
        """For each step, which others have ended when it begins, and which values are still needed.

        A last row is for the time before any step begins, a last column for the end of all.
        """
        steps = len(self._ended)
        ended, until = _packed([*self._ended, 0], steps + 1), _packed(self._until, steps + 1)
        needed = np.array([(until & one).any(axis=1) for one in ~ended])
        return _flags(ended, steps + 1), needed.reshape(steps + 1, steps)

    @cached_property
    def _moments(self) -> tuple[tuple[Flags, Flags], tuple[Flags, Flags]]:
        """While each step begins, and between those of a chain: values held, and what may run.

        A plan's memory is asked for several times, the sets of it are the same.
        """
        steps = range(len(self._ended))
        chain = [*pairwise([None, *self._longest_chain, None])]
        return self._between([(n, n) for n in steps]), self._between(chain)

    def _between(self, times: Sequence[tuple[int | None, int | None]]) -> tuple[Flags, Flags]:
        """Values that are held, and steps that may run, between the beginnings of two steps."""
        steps = len(self._ended)
        begun, to_come = (
            [steps if n is None else n for n in some] for some in zip(*times, strict=True)
        )
        ended, needed = self._sets
        later = np.ascontiguousarray(ended[:steps, to_come].T)
        return needed[begun] & ~later, ~(ended[begun, :steps] | later)

    def _held(self, there: Flags, sizes: Bytes, largest: Bytes | None) -> Bytes:
        """Bytes of the values of each row, of which those that take each other's place are one."""
        if largest is None or not self._relays:
            return np.asarray(there @ sizes)
        together: dict[int, list[int]] = {}
        for number, first in enumerate(self._first):
            together.setdefault(first, []).append(number)
        alone = [numbers[0] for numbers in together.values() if len(numbers) == 1]
        total: Bytes = np.dot(there[:, alone], np.minimum(sizes[alone], largest[alone]))
        for numbers in together.values():
            if len(numbers) > 1:
                of_group: Bytes = np.where(there[:, numbers], largest[numbers], 0.0)
                most = of_group.max(axis=1)
                total = total + np.minimum(np.dot(there[:, numbers], sizes[numbers]), most)
        return total

    @cached_property
    def _longest_chain(self) -> list[int]:
        """Steps of which each has ended when the next begins."""
        ended, _ = self._sets
        length, last = np.zeros(len(self._ended), int), list[int | None]()
        for number, over in enumerate(ended[:-1]):
            before = np.flatnonzero(over)
            best = int(before[length[before].argmax()]) if len(before) else None
            last.append(best)
            length[number] = 1 if best is None else length[best] + 1
        at = int(length.argmax()) if len(length) else None
        chain = list[int]()
        while at is not None:
            chain.append(at)
            at = last[at]
        return chain[::-1]


def _packed(sets: Sequence[int], width: int) -> Words:
    """Sets of numbers below `width`, each a row of words of 64."""
    words = -(-width // 64)
    packed = b"".join([one.to_bytes(8 * words, "little") for one in sets])
    return np.frombuffer(packed, "<u8").reshape(len(sets), words)


def _flags(sets: Words, width: int) -> Flags:
    """The same as a flag for each number."""
    rows = np.ascontiguousarray(sets).view(np.uint8)
    return np.unpackbits(rows, axis=1, count=width, bitorder="little").astype(bool)


def _bits(number: int) -> Iterator[int]:
    """The places of ones."""
    while number:
        low = number & -number
        yield low.bit_length() - 1
        number ^= low


def _reads_all(reader: Step, x: Node) -> bool:
    """Whether all blocks of `reader` together read all cells of one of its inputs."""
    return _reads_whole(reader.program, reader.inputs.index(x))


@lru_cache(maxsize=2**15)
def _reads_whole(program: Program, number: int) -> bool:
    boxes = program.input_boxes(program.type.box)[number]
    return any(box.contains(program.inputs[number].box) for box in boxes)


def _blocks_read_together(reader: Step, step: Step) -> frozenset[Block]:
    """Blocks of `step` that all blocks of `reader` read together; none of a step of very many."""
    if step.count > MOST_HANDOVER_BLOCKS:
        return frozenset()
    return _all_blocks_read(reader.program, reader.inputs.index(step.node), step.cuts)


@lru_cache(maxsize=2**15)  # the plans that a search compares have most steps in common
def _all_blocks_read(program: Program, number: int, held: tuple[Cuts, ...]) -> frozenset[Block]:
    found = set[Block]()
    for box in program.input_boxes(program.type.box)[number]:
        spans = [c.overlapping(*edges) for c, *edges in zip(held, box.lo, box.hi, strict=True)]
        found.update(product(*[range(*span) for span in spans]))
    return frozenset(found)


def _fewest_read(reader: Step, step: Step) -> int:
    """Fewest blocks of `step` that the first or the last block of `reader` reads; 0 if any may not.

    Blocks without cells are not read: a task that is told their type alone waits for the first one.
    """
    at = reader.inputs.index(step.node)
    return _fewest_blocks(reader.program, reader.cuts, at, step.cuts)


@lru_cache(maxsize=2**15)  # the plans that a search compares have most steps in common
def _fewest_blocks(
    program: Program, cuts: tuple[Cuts, ...], number: int, held: tuple[Cuts, ...]
) -> int:
    ends = (0,) * len(cuts), tuple([c.count - 1 for c in cuts])
    boxes = [program.input_boxes(block_box(cuts, end))[number] for end in ends]
    fewest = min(sum(met_blocks(b, held) for b in found) for found in boxes)
    return fewest if fewest and _all_read(program, cuts, number) else 0


@lru_cache(maxsize=2**15)
def _all_read(program: Program, cuts: tuple[Cuts, ...], number: int) -> bool:
    """Whether no block of a grid leaves an input out, as those of a concatenation do."""
    if number in _always_read(program):
        return True
    try:
        leaves = Access.of(program, cuts).few_leaves
    except UncountableError:
        return False  # of more classes nothing is known
    return not any(all(m.box.is_empty for m in leaf.moving[number]) for leaf in leaves)


@lru_cache(maxsize=1024)
def _always_read(program: Program) -> frozenset[int]:
    """The inputs that every block reads, whichever of their inputs operators on the way choose."""
    read = [1 << number for number in range(len(program.inputs))]  # by value, as sets of inputs
    for instruction in program.instructions:
        each = [read[x] for x in instruction.inputs]
        operator = instruction.operator
        chooses = len(each) > 1 and operator.is_selector and not operator.meets_all_inputs
        read.append(reduce(and_ if chooses else or_, each, -1 if chooses else 0))
    return frozenset(_bits(read[-1]))
