"""Planning: from the graph the user wrote to verified steps."""

from __future__ import annotations

from collections.abc import Sequence

from dask.utils import parse_bytes

from dask_tapestry.config import setting
from dask_tapestry.plan.expand import expand
from dask_tapestry.plan.grid import Aim
from dask_tapestry.plan.machine import BLOCKS_A_SLOT, MEMORY_BYTES_A_SECOND
from dask_tapestry.plan.passes import rewritten
from dask_tapestry.plan.plan import Plan
from dask_tapestry.plan.resources import Resources, current
from dask_tapestry.plan.settle import settle
from dask_tapestry.plan.step import with_first
from dask_tapestry.rewrite.trace import Trace
from dask_tapestry.rules.effects import followed_points, keep_effects
from dask_tapestry.teg import Graph, Node, Sink
from dask_tapestry.teg.check import check, writes_that_meet_are_ordered

METHODS = ("auto", "none")
SMALLEST_BLOCK = 2**20  # bytes; cutting smaller ones costs more time than it saves
MOST_BLOCKS = 10_000  # of one step, or two a slot; a scheduler takes 50 µs a task before it starts
MOST_EDGES = 200_000  # blocks read by the blocks of one step; each costs a scheduler some 10 µs


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
    ConstraintError
        If two writes meet in a stored piece and neither follows the other.
    MemoryLimitError
        If a block cannot be made small enough.
    """
    if method not in METHODS:
        raise ValueError(f"method {method!r}: there are {METHODS}")
    machines = resources or current()
    aim = _aim(machines, method)
    trace = Trace()
    written = Graph(roots)
    if any(isinstance(node.operator, Sink) for node in written):
        check(written, (writes_that_meet_are_ordered,))
    points = followed_points(written)
    graph = Graph([*written.roots, *points]) if points else written
    graph = expand(rewritten(graph, trace), aim, trace)
    graph = keep_effects(written, points, graph, trace)
    steps = settle(graph, aim, machines.memory_bytes * machines.workers)
    return Plan(written, graph, with_first(steps), machines, trace)


def _aim(resources: Resources, method: str) -> Aim:
    limit = resources.task_bytes
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
        slots=resources.slots,
        bytes_a_second=MEMORY_BYTES_A_SECOND
        if resources.workers == 1
        else resources.bandwidth_bytes,
    )
