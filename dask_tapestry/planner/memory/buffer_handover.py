"""Buffer handover: values of which each block is made of one of another value, and takes its place.

A matrix that is changed step by step is held once, not once for each step: a block of it is freed
when the next one has been made of it, whatever the order in which a scheduler takes blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import product
from math import prod
from operator import add, sub

from dask_tapestry.planner.access.access import Access, ClassLeaf
from dask_tapestry.planner.cost.step import Step
from dask_tapestry.planner.tuning import MOST_HANDOVER_BLOCKS, MOST_HANDOVER_CLASSES
from dask_tapestry.steps.program import Program
from dask_tapestry.teg import Node
from dask_tapestry.zspace import Cuts, block_box

Block = tuple[int, ...]
EndsBefore = Callable[[Node, Node], bool]


def relays(
    steps: Mapping[Node, Step], kept: set[Node], ends_before: EndsBefore
) -> dict[Node, Node]:
    """For each value that takes the place of another: which one, the largest of several.

    Parameters
    ----------
    kept
        The values that nobody frees.
    ends_before
        Whether a step has ended when the first block of another can be computed.
    """
    readers: dict[Node, list[Step]] = {node: [] for node in steps}
    for step in steps.values():
        for x in step.inputs:
            if x in steps and x is not step.node:
                readers[x].append(step)
    handovers = {}
    for step in steps.values():
        freed = [
            x
            for x in step.inputs
            if x in readers
            and x not in kept
            and _takes_place(step, steps[x], readers[x], ends_before)
        ]
        if freed:
            handovers[step.node] = max(freed, key=lambda x: x.type.nbytes)
    return handovers


def _takes_place(step: Step, x: Step, readers: Sequence[Step], ends_before: EndsBefore) -> bool:
    """Whether a block of `x` is needed no more when the one block of `step` that reads it is made.

    What no block of `step` reads must be needed no more when its first one is made. As each of its
    blocks takes others of `x`, which are no smaller, it has no more of them, nor more bytes.
    """
    is_larger = step.node.type.nbytes > x.node.type.nbytes
    if is_larger or not 1 < step.count <= x.count <= MOST_HANDOVER_BLOCKS:
        return False
    late = list[Step]()
    for reader in reversed(readers):  # of many the last ones end late
        if reader is not step and not ends_before(reader.node, step.node):
            if reader.node not in step.inputs or reader.count > MOST_HANDOVER_BLOCKS:
                return False
            late.append(reader)
    at, itemsize = step.inputs.index(x.node), x.node.type.dtype.itemsize
    taken = _handed_over_blocks(step.program, step.cuts, at, x.cuts, itemsize)
    return taken is not None and all(_reads_before(step, x, taken, reader) for reader in late)


def _reads_before(
    step: Step, x: Step, taken: Mapping[Block, frozenset[Block]], reader: Step
) -> bool:
    """Whether a block of `step` waits for those of `reader`, which it reads, that read the same."""
    by = {block: number for number, blocks in taken.items() for block in blocks}
    waited = blocks_read(step, reader)
    return all(
        block in by and number in waited[by[block]]
        for number, blocks in blocks_read(reader, x).items()
        for block in blocks
    )


@lru_cache(maxsize=1024)
def _handed_over_blocks(
    program: Program,
    cuts: tuple[Cuts, ...],
    number: int,
    input_cuts: tuple[Cuts, ...],
    itemsize: int,
) -> Mapping[Block, frozenset[Block]] | None:
    """The blocks that each block reads, if it alone does and takes no more bytes than they do."""
    own = program.type.dtype.itemsize
    if cuts == input_cuts and own <= itemsize and _reads_own_cells(program, cuts, number):
        return {block: frozenset((block,)) for block in product(*[range(c.count) for c in cuts])}
    handed_over = dict[Block, frozenset[Block]]()
    consumed = set[Block]()
    for block, input_blocks in _each_read(program, cuts, number, input_cuts):
        if not consumed.isdisjoint(input_blocks):
            return None
        if own * _cells(cuts, block) > itemsize * sum(
            [_cells(input_cuts, one) for one in input_blocks]
        ):
            return None
        consumed |= input_blocks
        handed_over[block] = input_blocks
    return handed_over if consumed else None


def _reads_own_cells(program: Program, cuts: tuple[Cuts, ...], number: int) -> bool:
    """Whether each block reads the cells of an input that lie where its own do, and no others."""
    if program.type.shape != program.inputs[number].shape:
        return False
    if _is_read_by_formulas(program, number):
        return True
    leaves = enumerate(Access.of(program, cuts).each_leaf())
    return all(at < MOST_HANDOVER_CLASSES and _is_own(leaf, cuts, number) for at, leaf in leaves)


@lru_cache(maxsize=1024)
def _is_read_by_formulas(program: Program, number: int) -> bool:
    """Whether an input is read by formulas alone, whose cells are read by formulas up to the end.

    Then no class of blocks is to be looked at, of which a product beside has hundreds.
    """
    first, last = len(program.inputs), len(program.types) - 1
    in_place, elsewhere = {last}, set[int]()
    for value in range(last, first - 1, -1):
        instruction = program.instructions[value - first]
        is_whole = not instruction.operator.is_formula or value in elsewhere
        (elsewhere if is_whole else in_place).update(instruction.inputs)
    return number in in_place and number not in elsewhere


def _is_own(leaf: ClassLeaf, cuts: tuple[Cuts, ...], number: int) -> bool:
    first, boxes = leaf.domain.first, leaf.moving[number]
    own = block_box(cuts, first)
    if len(boxes) != 1 or boxes[0].box != own:
        return False
    for way, shift in zip(leaf.domain.ways, boxes[0].shifts, strict=True):
        if way.count > 1:
            there = block_box(cuts, tuple(map(add, first, way.step)))
            if tuple(map(sub, there.lo, own.lo)) != tuple(shift):
                return False
    return True


def _cells(cuts: Sequence[Cuts], block: Block) -> int:
    ends = [cut.block(at) for cut, at in zip(cuts, block, strict=True)]
    return prod([hi - lo for lo, hi in ends])


def blocks_read(reader: Step, step: Step) -> Mapping[Block, frozenset[Block]]:
    """For each block of a step, the blocks of another that it reads."""
    return _blocks_read(reader.program, reader.cuts, reader.inputs.index(step.node), step.cuts)


@lru_cache(maxsize=4096)  # the plans that a search compares have most steps in common
def _blocks_read(
    program: Program, cuts: tuple[Cuts, ...], number: int, held: tuple[Cuts, ...]
) -> Mapping[Block, frozenset[Block]]:
    return dict(_each_read(program, cuts, number, held))


def _each_read(
    program: Program, cuts: tuple[Cuts, ...], number: int, input_cuts: tuple[Cuts, ...]
) -> Iterator[tuple[Block, frozenset[Block]]]:
    """The blocks, one after the other, each with what it reads of an input."""
    access = Access.of(program, cuts)
    for index in product(*[range(cut.count) for cut in cuts]):
        yield index, _read_by(access, index, number, input_cuts)


def _read_by(access: Access, index: Block, number: int, held: tuple[Cuts, ...]) -> frozenset[Block]:
    """The blocks of an input that a block reads."""
    read = set[Block]()
    for box in access.boxes_of(index, number):
        if not box.is_empty:
            ends = zip(held, box.lo, box.hi, strict=True)
            read.update(product(*[range(*cut.overlapping(lo, hi)) for cut, lo, hi in ends]))
    return frozenset(read)
