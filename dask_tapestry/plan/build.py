"""Planning: from the graph the user wrote to verified steps."""

from __future__ import annotations

from collections.abc import Sequence

from dask_tapestry.config import setting
from dask_tapestry.plan.effects import followed_points, keep_effects
from dask_tapestry.plan.machine import Machine
from dask_tapestry.plan.plan import Plan
from dask_tapestry.plan.resources import Resources, current
from dask_tapestry.plan.search import search, steps_of
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
    graph = keep_effects(written, points, join_reductions(graph, trace))
    state = search(graph, machines, method)
    return Plan(
        written, state.graph, with_first(steps_of(state, Machine.of(machines))), machines, trace
    )
