"""Plans that compute each result in one block, for work so short that it is not worth cutting.

Such a plan is one cost to evaluate, where cuts, forms and held values take hundreds. It is taken at
once where the best of all others could save less, over some uses, than looking for it takes; in
other short jobs it is one of the plans that are compared.
"""

from __future__ import annotations

from collections.abc import Set
from math import sqrt

from dask_tapestry.planner.fusion.fuse import required
from dask_tapestry.planner.search.budget import SearchBudget
from dask_tapestry.planner.search.choices import Choices, State
from dask_tapestry.planner.search.grid import uncut
from dask_tapestry.planner.search.plan_evaluator import PlanEvaluator
from dask_tapestry.planner.search.tuning import (
    FORM_SECONDS,
    NODE_SECONDS,
    ONE_BLOCK_BYTES,
    ONE_BLOCK_BYTES_A_NODE,
    USES_OF_A_PLAN,
)
from dask_tapestry.teg import Graph, Node, Source


def in_one_block(space: PlanEvaluator) -> State | None:
    """The plan of one block a result; None where that is too large, or the user wants blocks."""
    graph = space.graph
    most = max(ONE_BLOCK_BYTES, ONE_BLOCK_BYTES_A_NODE * len(graph.nodes))
    if space.pricing.limits.block is not None or _bytes_of(graph) > most:
        return None
    held = required(graph)
    grids = {n: uncut(n.type.shape) for n in held if n.operator.layout is None}
    state = space.state(Choices(fused=_of_one_result(graph, held), grids=grids))
    return state if state.rank.is_allowed and space.fits_at_worst(state) else None


def taken_at_once(space: PlanEvaluator, effort: SearchBudget) -> State | None:
    """The plan of one block a result, where no other is worth looking for."""
    state = in_one_block(space)
    is_enough = state is not None and saves_less_than_planning(state, space, effort)
    return state if is_enough else None


def saves_less_than_planning(state: State, space: PlanEvaluator, effort: SearchBudget) -> bool:
    """Whether the best plan there may be saves less, in some uses, than it takes to find it.

    A search that is asked for is done.
    """
    if effort.costs is not None:
        return False
    machine, costs = space.pricing.machine, [p.cost for p in state.placed.values()]
    kinds = ("compute", "store", "link")
    busy: float = max(sum(getattr(cost, kind) for cost in costs) for kind in kinds)
    blocks = min(machine.slots, max(1.0, sqrt(busy / machine.task)))  # more would take longer
    least = busy / blocks + machine.task * blocks + sum(cost.overhead for cost in costs)
    nodes = space.graph.nodes
    formed = sum(bool(n.operator.forms(n.input_types)) for n in nodes)
    planning = NODE_SECONDS * len(nodes) + FORM_SECONDS * formed
    return USES_OF_A_PLAN * effort.times * (state.seconds - least) < planning


def _bytes_of(graph: Graph) -> int:
    """Bytes of all values, but of sources of which selections alone are read."""
    return sum(n.type.nbytes for n in graph.nodes if not _is_read_in_part(graph, n))


def _is_read_in_part(graph: Graph, node: Node) -> bool:
    readers = graph.consumers[node]
    return isinstance(node.operator, Source) and all(r.operator.is_selector for r in readers)


def _of_one_result(graph: Graph, held: Set[Node]) -> frozenset[Node]:
    """The nodes that a single one of the `held` values is computed of."""
    owner: dict[Node, Node | None] = {}
    for node in reversed(graph.nodes):
        owners = {r if r in held else owner.get(r) for r in graph.consumers[node]}
        owner[node] = owners.pop() if len(owners) == 1 else None
    return frozenset(n for n, one in owner.items() if one is not None and n not in held)
