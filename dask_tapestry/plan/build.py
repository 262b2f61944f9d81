"""Planning: from the graph the user wrote to verified steps."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from dask.utils import parse_bytes

from dask_tapestry import config
from dask_tapestry.errors import PlanError
from dask_tapestry.operators.elementwise import Map
from dask_tapestry.operators.rechunk import Rechunk
from dask_tapestry.plan.expand import expand
from dask_tapestry.plan.fuse import held_values, is_external, program_of
from dask_tapestry.plan.grid import Aim, choose_grid, needs_of
from dask_tapestry.plan.plan import Plan, Step, step_name
from dask_tapestry.plan.resources import Resources, current
from dask_tapestry.rewrite.driver import rewrite
from dask_tapestry.rewrite.trace import Trace
from dask_tapestry.rules.constants import CONSTANT_RULES
from dask_tapestry.rules.linear import LINEAR_RULES
from dask_tapestry.rules.slice_pushdown import push_slices
from dask_tapestry.rules.views import VIEW_RULES
from dask_tapestry.teg import Graph, Node
from dask_tapestry.zspace import Cuts, ZRange

METHODS = ("auto", "none")
BLOCKS_A_SLOT = 4  # so that slots stay busy when blocks take unequal time
SMALLEST_BLOCK = 2**20  # bytes below which a task costs more than the work it saves
MOST_BLOCKS = 20_000  # of one step; a scheduler takes 50 µs a task before the first one runs
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
    memory = machines.memory_bytes * machines.workers
    extra: set[Node] = set()
    while True:
        held = held_values(graph, memory, extra)
        steps = _steps(graph, held, aim)
        more = {n for step in steps.values() for n in _recomputed(step, held)} - extra
        if not more:
            break
        extra |= more
    _check_after(graph)
    return Plan(written, graph, steps, machines, trace)


def _aim(resources: Resources, method: str) -> Aim:
    limit = max(1, resources.memory_bytes // (2 * resources.threads))
    largest = min(int(parse_bytes(config.get("block-bytes"))), limit)
    if method == "none":
        return Aim(count=1, smallest=limit, largest=limit, limit=limit, most=1)
    return Aim(
        count=BLOCKS_A_SLOT * resources.slots if resources.slots > 1 else 1,
        smallest=min(SMALLEST_BLOCK, largest),
        largest=largest,
        limit=limit,
        most=MOST_BLOCKS,
    )


def _steps(graph: Graph, held: set[Node], aim: Aim) -> dict[Node, Step]:
    steps: dict[Node, Step] = {}
    for node in graph.nodes:
        if node not in held or _external_cuts(node) is not None:
            continue
        program, inputs, members = program_of(node, held)
        chunks = [steps[x].cuts if x in steps else _external_cuts(x) for x in inputs]
        if isinstance(node.operator, Rechunk):
            cuts, reason = node.operator.cuts, "as the user asked"
        else:
            cuts, reason = choose_grid(program, chunks, aim, f"{node.operator.name} {node.type}")
        names = tuple(steps[x].name if x in steps else x.digest for x in inputs)
        largest = ZRange((0,) * len(cuts), tuple(c.longest for c in cuts))
        needs = needs_of(program, largest, chunks)
        name = step_name(node, cuts, names)
        steps[node] = Step(node, program, inputs, members, cuts, reason, needs, name)
    return steps


def _external_cuts(node: Node) -> tuple[Cuts, ...] | None:
    """Cuts in which blocks from outside the plan come; None where they do not."""
    return getattr(node.operator, "cuts", None) if is_external(node) else None


def _recomputed(step: Step, held: set[Node]) -> set[Node]:
    """Formulas within a step that its blocks together compute several times over."""
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
        heavy = isinstance(instruction.operator, Map) or not instruction.operator.transparent
        often = cells > RECOMPUTED * instruction.type.size and cells > RECOMPUTED_CELLS
        if heavy and often and member not in held:
            found.add(member)
    return found


def _check_after(graph: Graph) -> None:
    """Sequence points may order sinks and whatever they reach; nothing to check beyond types."""
    for node in graph.nodes:
        if any(not a.is_sequence_point for a in node.after) and not node.is_sequence_point:
            raise PlanError(f"{node!r} may follow sequence points only")
