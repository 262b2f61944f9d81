"""Settling: steps, programs and grids chosen again until they suit each other.

What is held decides the programs, the programs decide the grids, and the grids show what should
have been held or cut otherwise. Wishes only grow, so this comes to an end.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import prod

from dask_tapestry.errors import MemoryLimitError, PlanError
from dask_tapestry.plan.footprint import Needs, met_blocks, needs_of
from dask_tapestry.plan.fuse import HELD_SHARE, held_values, is_external, program_of
from dask_tapestry.plan.grid import Aim, choose_grid
from dask_tapestry.plan.program import Program
from dask_tapestry.plan.step import Step, memory_order
from dask_tapestry.teg import Graph, Node, Sink, Source
from dask_tapestry.zspace import Cuts, ZRange

READ_BY_ALL = 4_096  # edges to one step's blocks; with more it is cut into fewer, larger ones
SOME_BLOCKS = 8  # a block that reads no more of another step than this reads its neighbourhood
SMALL_VALUE = 2**20  # bytes; a smaller value stays whole rather than be cut as its readers
HEAVY_INPUT = 4  # a sink may read so many times the bytes it writes; else its input is held
MOST_ATTEMPTS = 64  # rounds in which steps adapt to each other
RECOMPUTED = 2.0  # a fused formula may be computed so many times; else it is held
RECOMPUTED_CELLS = 1 << 20  # below so many cells, computing again is cheaper than a task


@dataclass
class _Wishes:
    """What steps want of each other; it grows until no step wants more.

    Attributes
    ----------
    held
        Nodes to hold besides those that fusion holds.
    whole
        Held nodes to cut as little as memory allows, as every reader's block reads all of them.
    counts
        Blocks that a held node should have at least, as many as its finest reader.
    known
        Grids chosen before, by all that they depend on: most steps are the same in every round.
    """

    held: set[Node] = field(default_factory=set)
    whole: set[Node] = field(default_factory=set)
    counts: dict[Node, int] = field(default_factory=dict)
    known: dict[tuple[object, ...], tuple[tuple[Cuts, ...], str]] = field(default_factory=dict)


def settle(graph: Graph, aim: Aim, memory: int) -> dict[Node, Step]:
    """Steps and grids, chosen again until they suit each other."""
    wishes = _Wishes()
    for attempt in range(MOST_ATTEMPTS):
        held = held_values(graph, memory, wishes.held)
        try:
            steps = _steps(graph, held, aim, wishes)
        except _HoldInput as hold:
            wishes.held.add(hold.node)
            continue
        if attempt == MOST_ATTEMPTS - 1 or not _wish(steps, held, wishes, graph, memory):
            return steps
    raise PlanError("the steps' grids do not come to rest")


def _wish(
    steps: dict[Node, Step], held: set[Node], wishes: _Wishes, graph: Graph, memory: int
) -> bool:
    """Note what the steps want of each other; return whether it is anything new."""
    finer = _finer(steps, graph, wishes)
    if finer:
        wishes.counts |= finer
        return True
    recomputed = {n for s in steps.values() for n in _recomputed(s, held, memory)} - wishes.held
    whole = {s.node for s in steps.values() if _is_read_by_all(s, steps)} - wishes.whole
    wishes.held |= recomputed
    wishes.whole |= whole
    return bool(recomputed or whole)


def _finer(steps: dict[Node, Step], graph: Graph, wishes: _Wishes) -> dict[Node, int]:
    """Held values whose readers are cut finer than they are, and into how many blocks.

    At most twice as many at a time: the readers will be cut otherwise when they can follow.
    """
    counts: dict[Node, int] = {}
    for reader in steps.values():
        for node in reader.inputs:
            step = steps.get(node)
            if step is None or node in graph.roots or node.operator.holds or node in wishes.whole:
                continue
            if reader.count <= step.count or node.type.nbytes <= SMALL_VALUE:
                continue
            if _blocks_read(reader, step) <= SOME_BLOCKS and _reads_part(reader, step):
                counts[node] = max(counts.get(node, 0), min(reader.count, 2 * step.count))
    return {n: c for n, c in counts.items() if c > wishes.counts.get(n, 0)}


def _steps(graph: Graph, held: set[Node], aim: Aim, wishes: _Wishes) -> dict[Node, Step]:
    """Program and grid of each held value."""
    steps: dict[Node, Step] = {}
    for node in graph.nodes:
        if node not in held or _external_cuts(node) is not None:
            continue
        program, inputs, members = program_of(node, held)
        chunks = [steps[x].cuts if x in steps else _external_cuts(x) for x in inputs]
        try:
            suited = replace(aim, order=memory_order(node, inputs))
            cuts, reason = _grid(node, program, members, chunks, suited, wishes)
        except MemoryLimitError:
            if isinstance(node.operator, Sink) and node.inputs[0] not in held:
                raise _HoldInput(node.inputs[0]) from None
            raise
        largest = ZRange((0,) * len(cuts), tuple(c.longest for c in cuts))
        needs = needs_of(program, largest, chunks, aim.local)
        if _pieces_are_too_large(node, cuts, needs, aim) and node.inputs[0] not in held:
            raise _HoldInput(node.inputs[0])
        steps[node] = Step(node, program, inputs, members, cuts, reason, needs, name="")
    return steps


def _grid(
    node: Node,
    program: Program,
    members: tuple[Node, ...],
    chunks: list[tuple[Cuts, ...] | None],
    aim: Aim,
    wishes: _Wishes,
) -> tuple[tuple[Cuts, ...], str]:
    """Cuts of a step's output, and why."""
    if node.operator.layout is not None:
        return node.operator.layout, "as the user asked"
    own = _own_aim(node, aim, wishes)
    key = (node, members, tuple(chunks), own)
    if key not in wishes.known:
        name = f"{node.operator.name} {node.type}" + (f" ({node.line})" if node.line else "")
        wishes.known[key] = choose_grid(program, chunks, own, name)
    return wishes.known[key]


def _external_cuts(node: Node) -> tuple[Cuts, ...] | None:
    """Cuts of a node whose blocks come from outside the plan; None for others."""
    return node.operator.layout if is_external(node) else None


def _own_aim(node: Node, aim: Aim, wishes: _Wishes) -> Aim:
    if node in wishes.whole:
        return replace(aim, count=1, smallest=aim.largest)
    if node in wishes.counts:
        count = wishes.counts[node]
        return replace(aim, count=count, smallest=0, most=max(aim.most, count))
    return aim


class _HoldInput(Exception):  # noqa: N818
    """A sink's input must be held: computing it in the sink's pieces would be too coarse."""

    def __init__(self, node: Node) -> None:
        super().__init__(node)
        self.node = node


def _pieces_are_too_large(node: Node, cuts: tuple[Cuts, ...], needs: Needs, aim: Aim) -> bool:
    """Whether a sink's pieces are so large that few blocks, or large ones, compute its input."""
    if not isinstance(node.operator, Sink):
        return False
    written = prod(c.longest for c in cuts) * node.type.dtype.itemsize
    coarse = needs.touched > aim.largest or (
        prod(c.count for c in cuts) < aim.count and needs.touched > aim.smallest
    )
    return coarse and needs.read > HEAVY_INPUT * written


def _is_read_by_all(step: Step, steps: dict[Node, Step]) -> bool:
    """Whether the blocks of other steps read many of this step's small blocks each."""
    if step.count == 1:
        return False
    edges = 0
    for reader in steps.values():
        if step.node in reader.inputs and reader.count > 1:
            each = _blocks_read(reader, step)
            edges += each * reader.count if each > SOME_BLOCKS else 0
    return edges > READ_BY_ALL


def _reads_part(reader: Step, step: Step) -> bool:
    """Whether a block of `reader` needs no more than part of what `step` computes."""
    boxes = reader.program.input_boxes(reader.box((0,) * len(reader.cuts)))
    cells = sum(box.size for box in boxes[reader.inputs.index(step.node)])
    return cells < step.node.type.size


def _blocks_read(reader: Step, step: Step) -> int:
    """Blocks of `step` that the first block of `reader` reads."""
    boxes = reader.program.input_boxes(reader.box((0,) * len(reader.cuts)))
    return sum(met_blocks(b, step.cuts) for b in boxes[reader.inputs.index(step.node)])


def _recomputed(step: Step, held: set[Node], memory: int) -> set[Node]:
    """Formulas and stored cells that the blocks of a step together take several times over.

    Stored chunks are read whole; those that are more than a share of all workers' `memory` are
    rather read again than held.
    """
    largest = prod(c.longest for c in step.cuts)
    if step.count == 1 or not largest:
        return set()
    blocks = step.node.type.size / largest
    first = len(step.program.inputs)
    schedule = step.program.schedule(
        ZRange((0,) * len(step.cuts), tuple(c.longest for c in step.cuts))
    )
    found: set[int] = set()
    for value, instruction in enumerate(step.program.instructions, start=first):
        operator, itemsize = instruction.operator, max(1, instruction.type.dtype.itemsize)
        cells = blocks * sum(box.size for box in schedule.boxes[value])
        if instruction.type.nbytes <= HELD_SHARE * memory:
            stored = sum(operator.stored_bytes(box) for box in schedule.boxes[value])
            cells = max(cells, blocks * stored / itemsize)
        heavy = operator.is_formula or isinstance(operator, Source) or not operator.transparent
        often = cells > RECOMPUTED * instruction.type.size and cells > RECOMPUTED_CELLS
        if heavy and often and step.members[value - first] not in held:
            found.add(value)
    last = {v for v in found if not _feeds_only(v, found, step.program)}
    return {step.members[v - first] for v in last}


def _feeds_only(value: int, held: set[int], program: Program) -> bool:
    """Whether everything that reads a value, selectors skipped, is going to be held itself."""
    first = len(program.inputs)
    readers = [
        first + number
        for number, instruction in enumerate(program.instructions)
        if value in instruction.inputs
    ]
    return bool(readers) and all(
        r in held
        or (program.instructions[r - first].operator.is_selector and _feeds_only(r, held, program))
        for r in readers
    )
