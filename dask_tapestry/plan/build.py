"""Planning: from the graph the user wrote to verified steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import prod

from dask.utils import parse_bytes

from dask_tapestry.config import get as setting
from dask_tapestry.errors import MemoryLimitError, PlanError
from dask_tapestry.operators.elementwise import Map
from dask_tapestry.operators.rechunk import Rechunk
from dask_tapestry.plan.expand import expand
from dask_tapestry.plan.fuse import held_values, is_external, program_of
from dask_tapestry.plan.grid import Aim, choose_grid
from dask_tapestry.plan.machine import MEMORY_BYTES_A_SECOND
from dask_tapestry.plan.needs import Needs, met_blocks, needs_of
from dask_tapestry.plan.plan import Plan, Step, with_first
from dask_tapestry.plan.resources import Resources, current
from dask_tapestry.rewrite.driver import rewrite
from dask_tapestry.rewrite.trace import Trace
from dask_tapestry.rules.constants import CONSTANT_RULES
from dask_tapestry.rules.linear import LINEAR_RULES
from dask_tapestry.rules.slice_pushdown import push_slices
from dask_tapestry.rules.views import VIEW_RULES
from dask_tapestry.teg import Graph, Node, Source
from dask_tapestry.zspace import Cuts, ZRange

METHODS = ("auto", "none")
BLOCKS_A_SLOT = 4  # so that slots stay busy when blocks take unequal time
SMALLEST_BLOCK = 2**20  # bytes below which a task costs more than the work it saves
MOST_BLOCKS = 10_000  # of one step, or two a slot; a scheduler takes 50 µs a task before it starts
MOST_EDGES = 200_000  # blocks read by the blocks of one step; each costs a scheduler some 10 µs
READ_BY_ALL = 4_096  # edges to one step's blocks from which it is held in fewer, larger ones
SOME_BLOCKS = 8  # a block that reads no more of another step than this reads its neighbourhood
HEAVY_INPUT = 4  # times the bytes it writes that a sink may read before its input is held
MOST_ATTEMPTS = 64  # rounds in which steps adapt to each other
RECOMPUTED = 2.0  # times a fused formula may be computed before it is held instead
RECOMPUTED_CELLS = 1 << 20  # below so many cells, computing again is cheaper than a task

RULES = (*VIEW_RULES, *CONSTANT_RULES)


def build_plan(
    roots: Sequence[Node], resources: Resources | None = None, method: str = "auto"
) -> Plan:
    """Plan the values `roots` together.

    Parameters
    ----------
    resources
        What to plan for; by default what is configured, live, or this machine.
    method
        ``"auto"``, or ``"none"``: one block an operator.

    Raises
    ------
    MemoryLimitError
        If a block cannot be made small enough.
    """
    if method not in METHODS:
        raise ValueError(f"method {method!r}: there are {METHODS}")
    machines = resources or current()
    aim = _aim(machines, method)
    trace = Trace()
    written = Graph(roots)
    graph = rewrite(written, (*RULES, *LINEAR_RULES), trace)
    pushed = push_slices(graph, trace)
    if pushed is not graph:
        graph = rewrite(pushed, RULES, trace)
    graph = expand(graph, aim, trace)
    steps = _settle(graph, aim, machines.memory_bytes * machines.workers)
    _check_after(graph)
    return Plan(written, graph, with_first(steps), machines, trace)


@dataclass
class _Wishes:
    """What steps want of each other; grown until nobody wants more.

    Attributes
    ----------
    held
        Nodes to hold besides those that fusion holds.
    whole
        Held nodes to cut as little as memory allows, as every reader's block reads all of them.
    counts
        Blocks that a held node should have at least, as many as its finest reader.
    """

    held: set[Node] = field(default_factory=set)
    whole: set[Node] = field(default_factory=set)
    counts: dict[Node, int] = field(default_factory=dict)


def _settle(graph: Graph, aim: Aim, memory: int) -> dict[Node, Step]:
    """Steps and grids, chosen again until they suit each other."""
    wishes = _Wishes()
    for attempt in range(MOST_ATTEMPTS):
        held = held_values(graph, memory, wishes.held)
        try:
            steps = _steps(graph, held, aim, wishes)
        except _HoldInput as hold:
            wishes.held.add(hold.node)
            continue
        if attempt == MOST_ATTEMPTS - 1 or not _wish(steps, held, wishes, graph):
            return steps
    raise PlanError("the steps' grids do not come to rest")


def _wish(steps: dict[Node, Step], held: set[Node], wishes: _Wishes, graph: Graph) -> bool:
    """Note what the steps want of each other; return whether it is anything new."""
    finer = _finer(steps, graph, wishes)
    if finer:
        wishes.counts |= finer
        return True
    recomputed = {n for step in steps.values() for n in _recomputed(step, held)} - wishes.held
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
            if reader.count > step.count and _blocks_read(reader, step) <= SOME_BLOCKS:
                counts[node] = max(counts.get(node, 0), min(reader.count, 2 * step.count))
    return {n: c for n, c in counts.items() if c > wishes.counts.get(n, 0)}


def _aim(resources: Resources, method: str) -> Aim:
    limit = max(1, resources.memory_bytes // (2 * resources.threads))
    largest = min(int(parse_bytes(setting("block-bytes"))), limit)
    if method == "none":
        return Aim(count=1, smallest=limit, largest=limit, limit=limit, most=1, edges=MOST_EDGES)
    return Aim(
        count=BLOCKS_A_SLOT * resources.slots if resources.slots > 1 else 1,
        smallest=min(SMALLEST_BLOCK, largest),
        largest=largest,
        limit=limit,
        most=max(MOST_BLOCKS, 2 * resources.slots),
        edges=MOST_EDGES,
        local=resources.workers == 1,
        bytes_a_second=MEMORY_BYTES_A_SECOND
        if resources.workers == 1
        else resources.bandwidth_bytes,
    )


def _steps(graph: Graph, held: set[Node], aim: Aim, wishes: _Wishes) -> dict[Node, Step]:
    """Program and grid of each held value."""
    steps: dict[Node, Step] = {}
    for node in graph.nodes:
        if node not in held or _external_cuts(node) is not None:
            continue
        program, inputs, members = program_of(node, held)
        chunks = [steps[x].cuts if x in steps else _external_cuts(x) for x in inputs]
        if isinstance(node.operator, Rechunk):
            cuts, reason = node.operator.cuts, "as the user asked"
        else:
            try:
                cuts, reason = choose_grid(
                    program,
                    chunks,
                    _own_aim(node, aim, wishes),
                    f"{node.operator.name} {node.type}" + (f" ({node.line})" if node.line else ""),
                )
            except MemoryLimitError:
                if node.operator.category == "sink" and node.inputs[0] not in held:
                    raise _HoldInput(node.inputs[0]) from None
                raise
        largest = ZRange((0,) * len(cuts), tuple(c.longest for c in cuts))
        needs = needs_of(program, largest, chunks, aim.local)
        if _pieces_are_too_large(node, cuts, needs, aim) and node.inputs[0] not in held:
            raise _HoldInput(node.inputs[0])
        steps[node] = Step(node, program, inputs, members, cuts, reason, needs, name="")
    return steps


def _external_cuts(node: Node) -> tuple[Cuts, ...] | None:
    """Cuts in which blocks from outside the plan come; None where they do not."""
    return getattr(node.operator, "cuts", None) if is_external(node) else None


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
    """Whether a sink's pieces make its blocks few or large, by what it takes to compute them."""
    if node.operator.category != "sink":
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


def _blocks_read(reader: Step, step: Step) -> int:
    """Blocks of `step` that the first block of `reader` reads."""
    boxes = reader.program.input_boxes(reader.box((0,) * len(reader.cuts)))
    return sum(met_blocks(b, step.cuts) for b in boxes[reader.inputs.index(step.node)])


def _recomputed(step: Step, held: set[Node]) -> set[Node]:
    """Formulas and stored cells that the blocks of a step together take several times over."""
    largest = prod(c.longest for c in step.cuts)
    if step.count == 1 or not largest:
        return set()
    blocks = step.node.type.size / largest
    first = len(step.program.inputs)
    schedule = step.program.schedule(
        ZRange((0,) * len(step.cuts), tuple(c.longest for c in step.cuts))
    )
    found = set()
    for value, (member, instruction) in enumerate(
        zip(step.members, step.program.instructions, strict=True), start=first
    ):
        cells = blocks * sum(box.size for box in schedule.boxes[value])
        operator = instruction.operator
        heavy = isinstance(operator, Map | Source) or not operator.transparent
        often = cells > RECOMPUTED * instruction.type.size and cells > RECOMPUTED_CELLS
        if heavy and often and member not in held:
            found.add(member)
    return found


def _check_after(graph: Graph) -> None:
    """Sequence points may order sinks and whatever they reach; nothing to check beyond types."""
    for node in graph.nodes:
        if any(not a.is_sequence_point for a in node.after) and not node.is_sequence_point:
            raise PlanError(f"{node!r} may follow sequence points only")
