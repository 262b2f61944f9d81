"""Planning: from the graph the user wrote to verified steps."""

from __future__ import annotations

from collections.abc import Sequence

from dask.utils import parse_bytes

from dask_tapestry.config import setting
from dask_tapestry.plan.effects import followed_points, keep_effects
from dask_tapestry.plan.expand import expand
from dask_tapestry.plan.grid import Aim
from dask_tapestry.plan.machine import BLOCKS_A_SLOT, MEMORY_BYTES_A_SECOND
from dask_tapestry.plan.plan import Plan
from dask_tapestry.plan.resources import Resources, current
from dask_tapestry.plan.settle import settle
from dask_tapestry.plan.step import with_first
from dask_tapestry.rewrite.driver import rewrite
from dask_tapestry.rewrite.rule import Rules
from dask_tapestry.rewrite.trace import Trace
from dask_tapestry.rules.broadcasts import BROADCAST_RULES
from dask_tapestry.rules.constants import CONSTANT_RULES
from dask_tapestry.rules.fast_math import FAST_RULES
from dask_tapestry.rules.formulas import FORMULA_RULES
from dask_tapestry.rules.joint_reductions import join_reductions
from dask_tapestry.rules.linear import LINEAR_RULES
from dask_tapestry.rules.matrix_chains import CHAIN_RULES
from dask_tapestry.rules.products import PRODUCT_RULES, has_products
from dask_tapestry.rules.slice_pushdown import push_slices
from dask_tapestry.rules.views import VIEW_RULES
from dask_tapestry.teg import Graph, Node, Sink
from dask_tapestry.teg.check import check, writes_that_meet_are_ordered

METHODS = ("auto", "none")
SMALLEST_BLOCK = 2**20  # bytes; cutting smaller ones costs more time than it saves
MOST_BLOCKS = 10_000  # of one step, or two a slot; a scheduler takes 50 µs a task before it starts
MOST_EDGES = 200_000  # blocks read by the blocks of one step; each costs a scheduler some 10 µs

RULES = Rules((*VIEW_RULES, *CONSTANT_RULES, *FORMULA_RULES, *BROADCAST_RULES))
FIRST = Rules((*RULES, *LINEAR_RULES))
OF_PRODUCTS = Rules((*PRODUCT_RULES, *CHAIN_RULES, *RULES))  # once readers are known
FAST = Rules((*FAST_RULES, *FIRST))


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
    graph = rewrite(graph, FAST if setting("algebra") == "fast" else FIRST, trace)
    if has_products(graph):
        graph = rewrite(graph, OF_PRODUCTS, trace)
    pushed = push_slices(graph, trace)
    if pushed is not graph:
        graph = rewrite(pushed, RULES, trace)
    graph = expand(join_reductions(graph, trace), aim, trace)
    graph = keep_effects(written, points, graph)
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
