"""Plan spaces: the plans of a graph whose tasks may take a share of memory, from large to small.

Plans of large tasks are looked at first: they read and move least. Where workers cannot hold these,
smaller ones follow, as long as they can decode a stored chunk, then blocks that are computed one at
a time, and results fetched in rounds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import Protocol

from dask_tapestry.planner.cost.rank import Rank
from dask_tapestry.planner.fusion.group import is_external
from dask_tapestry.planner.machine.limits import Limits
from dask_tapestry.planner.machine.machine import Machine
from dask_tapestry.planner.machine.resources import Resources
from dask_tapestry.planner.memory.memory import least_share
from dask_tapestry.planner.search.choices import State
from dask_tapestry.planner.search.plan_evaluator import PlanEvaluator
from dask_tapestry.planner.search.pricing import Pricing
from dask_tapestry.planner.search.tuning import (
    CROWDING_RESULTS,
    FAR_BETTER,
    LITTLE_RESULTS,
    MANY_ROUNDS,
    SMALLER_TASKS_GAIN,
)
from dask_tapestry.planner.tuning import TASK_SHARES
from dask_tapestry.rules.results_apart import results_read
from dask_tapestry.teg import Graph, Node, Sink, Source
from dask_tapestry.zspace import ZRange


class FoundPlan(Protocol):
    """What was found, which has a plan."""

    @property
    def state(self) -> State:
        """The plan."""


def plan_spaces(graph: Graph, resources: Resources, method: str) -> list[PlanEvaluator]:
    """The plans whose tasks may take less and less of the memory."""
    first, *others = _limits(resources, method)
    widest = Pricing(Machine.of(resources), first)
    least = _least_read_bytes(graph)
    smaller = [one for one in others if least <= max(one.most, one.few)]
    pricings = [widest, *[Pricing(widest.machine, one, widest) for one in smaller]]
    return [PlanEvaluator(graph, one, resources) for one in pricings]


def _least_read_bytes(graph: Graph) -> int:
    """Bytes that a block takes at least which reads from the store of the largest chunks."""
    found = 0
    for node in graph.nodes:
        if isinstance(node.operator, Source) and node.type.size:
            rank = node.type.ndim
            cell = ZRange((0,) * rank, (1,) * rank)
            found = max(found, node.operator.strided_scratch_bytes(cell))
    return found


def _limits(resources: Resources, method: str) -> list[Limits]:
    """Limits of tasks that may take less and less of the memory."""
    each = [Limits.of(resources, share) for share in TASK_SHARES]
    return [one.uncut for one in each] if method == "none" else each


def smaller_may_gain(found: Sequence[tuple[Rank, Rank | None]], reserve: int) -> bool:
    """Whether plans of smaller tasks may be better than those found, of smaller and smaller ones.

    They are if something better did not fit, unless the last ones brought no more than those
    before, and what did not fit was no better, either: then values take the memory, not tasks.
    Where blocks that take most had to be given a `reserve`, tasks do; and what takes half the
    seconds is worth more searches.

    Parameters
    ----------
    found
        Ranks of the plans, each with that of the best one that did not fit beside it.
    """
    *before, (rank, hope) = found
    best = min(one for one, _ in found)
    if hope is None or hope >= best.with_seconds(SMALLER_TASKS_GAIN):
        return False
    if reserve or not before or hope < best.with_seconds(FAR_BETTER):
        return True
    hoped = before[-1][1]
    best_before = min(one for one, _ in before)
    gains = rank < best_before.with_seconds(SMALLER_TASKS_GAIN)
    return gains or hoped is None or hope < hoped.with_seconds(SMALLER_TASKS_GAIN)


def fits_there(found: FoundPlan, *spaces: PlanEvaluator) -> bool:
    """Whether a plan that was found fits where something else is allowed, cut as it is."""
    grids = {node: priced.grid for node, priced in found.state.placed.items()}
    same = replace(found.state.choices, grids=grids)
    plans = [(space, space.state(same)) for space in spaces]
    return any(not one.shortfall and space.fits_at_worst(one) for space, one in plans)


def one_by_one(space: PlanEvaluator) -> PlanEvaluator:
    """The plans of a graph in which blocks that are too large are computed one at a time."""
    limits = space.pricing.limits.with_alone(space.resources)
    pricing = Pricing(space.pricing.machine, limits)
    return PlanEvaluator(space.graph, pricing, space.resources)


def ways_to_fit(
    ways: Iterable[Sequence[PlanEvaluator]], rounds: Iterable[int]
) -> Iterator[list[PlanEvaluator]]:
    """The searches if no plan fits: for each set of limits, and for few or many fetch rounds."""
    for spaces, most in product(filter(None, ways), rounds):
        yield [space.in_rounds(most) for space in spaces]


def may_hold_results(space: PlanEvaluator) -> bool:
    """Whether workers can hold the results that any plan holds to its end, if they held no more.

    That is all of each; of those that are fetched in rounds, each that a step reads. Of workers
    that are not alike, and of devices, nothing is known.
    """
    graph, resources = space.graph, space.resources
    if resources.groups or any(node.format is not None for node in graph.nodes):
        return True
    kept = [
        x.type.nbytes
        for x in dict.fromkeys(graph.roots)
        if (space.rounds == 1 or any(not c.is_sequence_point for c in graph.consumers[x]))
        and not (x.is_sequence_point or _is_taken(x) or is_external(x))
    ]
    return least_share(sum(kept), resources.workers) <= resources.usable_bytes


def fetch_rounds(graph: Graph, resources: Resources) -> list[int]:
    """In how many rounds results may be fetched: in one if workers can hold them, or in many.

    In one alone, where what is held till then is next to nothing.
    """
    roots = [x for x in dict.fromkeys(graph.roots) if not _is_taken(x)]
    held = _share_held(resources, sum(x.type.nbytes for x in roots))
    if resources.local or held <= LITTLE_RESULTS:
        return [1] if held <= 1 else []
    return [1, MANY_ROUNDS] if held <= 1 else [MANY_ROUNDS]


def only_in_rounds(graph: Graph, resources: Resources) -> bool:
    """Whether results can be fetched in rounds alone, as workers cannot hold them."""
    return fetch_rounds(graph, resources) == [MANY_ROUNDS]


def is_large_result(resources: Resources, node: Node) -> bool:
    """Whether a result takes more of workers than is next to nothing."""
    return not _is_taken(node) and _share_held(resources, node.type.nbytes) > LITTLE_RESULTS


def crowding_results(graph: Graph, resources: Resources) -> tuple[Node, ...]:
    """Results that steps read, if holding them leaves workers little memory for anything else."""
    found = tuple([node for node in results_read(graph) if is_large_result(resources, node)])
    held = _share_held(resources, sum([node.type.nbytes for node in found]))
    return found if held > CROWDING_RESULTS and not resources.local else ()


def _share_held(resources: Resources, nbytes: int) -> float:
    """The part of a worker's memory that its part of some bytes takes."""
    return least_share(nbytes, resources.workers) / max(1, resources.usable_bytes)


def _is_taken(result: Node) -> bool:
    """Whether a result is in a store, or with others, block by block: workers hold none of it."""
    return isinstance(result.operator, Sink) or result.operator.hands_on
