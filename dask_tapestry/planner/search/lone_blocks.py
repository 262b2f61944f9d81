"""Lone blocks: larger ones, one at a time on a worker, where smaller ones read stored chunks again.

A worker's threads compute blocks side by side, each in a part of its memory. Where that is too
little for whole stored chunks, blocks are cut through these, and each of them is read for several
blocks. Then blocks of whole chunks, of which a worker computes one at a time, may be faster.
"""

from __future__ import annotations

from dataclasses import replace

from dask_tapestry.planner.cost.rank import Rank, preferred
from dask_tapestry.planner.search.choices import State
from dask_tapestry.planner.search.local_search import improve
from dask_tapestry.planner.search.plan_evaluator import PlanEvaluator
from dask_tapestry.planner.search.plan_spaces import one_by_one
from dask_tapestry.planner.search.pricing import PricedGroup, Pricing
from dask_tapestry.planner.search.repeated_reads import reads_again
from dask_tapestry.planner.search.tuning import (
    LIGHTER_SHARE,
    SMALLER_TASKS_GAIN,
    WORTH_LONE_SECONDS,
)
from dask_tapestry.planner.search.worst_blocks import with_worst_cut


def with_lone_blocks(space: PlanEvaluator, state: State, costs: int) -> tuple[PlanEvaluator, State]:
    """A faster plan with lone blocks and the space that it is of, or those given.

    Parameters
    ----------
    costs
        Costs of steps that may be computed for it.
    """
    through = {n for n, priced in state.placed.items() if _is_cut_through(space.pricing, priced)}
    if not through:
        return space, state
    lone_space = one_by_one(space)
    grids = {n: grid for n, grid in state.choices.grids.items() if n not in through}
    kept = lone_space.state(state.choices), lone_space.state(replace(state.choices, grids=grids))
    starts = *kept, lone_space.seed(costs)  # whole chunks may want other forms than parts
    best, fitting = preferred(starts, _rank), preferred(starts, _rank, lone_space.fits_at_worst)
    for first in [best] if fitting is best else [best, fitting]:
        if not _is_better(first, state):  # looking for more took 3 of 4 seconds of a plan, in vain
            break
        other = with_worst_cut(lone_space, improve(lone_space, first, costs))
        if lone_space.fits_at_worst(other) and _is_better(other, state):
            return lone_space, other
    return space, state


def _rank(state: State) -> Rank:
    """The rank of a plan."""
    return state.rank


def _is_better(other: State, state: State) -> bool:
    return other.rank.with_seconds(1 / SMALLER_TASKS_GAIN) < state.rank


def _is_cut_through(pricing: Pricing, priced: PricedGroup) -> bool:
    """Whether a step reads stored chunks again, as blocks are smaller than these."""
    cost = priced.cost
    once, times = pricing.uncut_cost(priced), 1 / LIGHTER_SHARE
    return cost.read > 0 and reads_again(cost, once, times, WORTH_LONE_SECONDS)
