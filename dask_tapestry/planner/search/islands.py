"""Islands: a long search in several parts, each with its own chance, that meet after each epoch.

What an island finds depends on its seed and on what the last meeting gave it alone: so the plan is
the same on a laptop as on a cluster, whose workers run the islands at the same time.

Source: Tapestry whitepaper, "Parallel Optimization".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from dask_tapestry.planner.fusion.group import is_external
from dask_tapestry.planner.machine.limits import Limits
from dask_tapestry.planner.machine.machine import Machine
from dask_tapestry.planner.machine.resources import Resources, live_client
from dask_tapestry.planner.search.budget import SearchBudget
from dask_tapestry.planner.search.choices import Choices
from dask_tapestry.planner.search.evolve import Evolution
from dask_tapestry.planner.search.plan_evaluator import PlanEvaluator
from dask_tapestry.planner.search.pricing import Pricing
from dask_tapestry.planner.search.tuning import EPOCHS, ISLANDS, UNSURE_SHARE
from dask_tapestry.teg import Graph


class Island(NamedTuple):
    """One part of a search during an epoch.

    Attributes
    ----------
    graph, resources, limits
        What is planned for what.
    seeds
        Choices to start from, the best first.
    effort
        Costs of the epoch.
    seed
        Of what chance decides.
    """

    graph: Graph
    resources: Resources
    limits: Limits
    seeds: tuple[Choices, ...]
    effort: SearchBudget
    seed: tuple[int, int, int]


Run = Callable[[Sequence[Island]], Sequence[tuple[Choices, ...]]]


def evolve_on_islands(
    evolution: Evolution, effort: SearchBudget, seed: int, run: Run | None = None
) -> None:
    """Spend an effort of several islands on a search that has begun.

    Parameters
    ----------
    run
        Runs the islands of an epoch; by default on the workers of the live client, if there is one.
    """
    space, best_evolution = evolution.space, evolution
    each = SearchBudget((effort.costs or 0) // (ISLANDS * EPOCHS), to_the_end=True)
    run = run or _runner(space)
    pricing = space.pricing
    for epoch in range(EPOCHS):
        seeds = _known_plans(best_evolution)
        parts = [
            Island(space.graph, space.resources, pricing.limits, seeds, each, (seed, epoch, number))
            for number in range(ISLANDS)
        ]
        before = best_evolution.best
        for choices in run(parts):
            best_evolution.begin(map(space.state, choices))
        pricing.evaluated += ISLANDS * (each.costs or 0)
        enough = best_evolution.best.rank < before.rank.with_seconds(1 - UNSURE_SHARE)
        if not effort.to_the_end and not enough:
            break


def epoch_of(island: Island) -> tuple[Choices, ...]:
    """What an island finds: its best plan, then its frontier."""
    pricing = Pricing(Machine.of(island.resources), island.limits)
    evolution = Evolution(PlanEvaluator(island.graph, pricing, island.resources), island.seed)
    evolution.begin(map(evolution.space.state, island.seeds))
    evolution.run(island.effort)
    return _known_plans(evolution)


def _known_plans(evolution: Evolution) -> tuple[Choices, ...]:
    points = [point.state.choices for point in evolution.frontier]
    return (evolution.best.choices, *points)


def _runner(space: PlanEvaluator) -> Run:
    """What runs islands: the live client's workers; this process if there are none, or has data."""
    client: Any = live_client()
    if client is None or any(is_external(node) for node in space.graph.nodes):
        return _run_in_process
    return lambda islands: list(client.gather(client.map(epoch_of, islands, pure=False)))


def _run_in_process(islands: Sequence[Island]) -> Sequence[tuple[Choices, ...]]:
    return [epoch_of(island) for island in islands]
