"""Exchanged reads: what takes most of a plan to read again goes through a store once.

Ways through a store come last among the changes of a plan: where each of the steps reads a source
dozens of times, as quantiles of long columns do that are stored in rows, the effort that the plan
is worth may end before them, or they lack a few bytes as they are.
"""

from __future__ import annotations

from dask_tapestry.planner.search.choices import State
from dask_tapestry.planner.search.exchanges import exchanges
from dask_tapestry.planner.search.local_search import Missed, improve, second_chance
from dask_tapestry.planner.search.plan_evaluator import PlanEvaluator
from dask_tapestry.planner.search.repeated_work import repeated_seconds
from dask_tapestry.planner.search.tuning import (
    CHANGE_COSTS,
    GAIN_OF_LAST_EXCHANGE,
    MOSTLY_REPEATED,
    SECOND_CHANCES,
)
from dask_tapestry.planner.search.worst_blocks import with_worst_cut


def with_reads_exchanged(space: PlanEvaluator, state: State, costs: int) -> State:
    """The plan, or one that is clearly faster as what it reads again goes through a store.

    Parameters
    ----------
    costs
        Costs of steps that may be computed for what follows from that.
    """
    if state.shortfall or not _is_mostly_repeated(space, state):
        return state
    missed = [Missed(space.state(one), GAIN_OF_LAST_EXCHANGE) for one in exchanges(space, state)]
    last = space.pricing.evaluated + SECOND_CHANCES * CHANGE_COSTS
    found = second_chance(space, state, missed, last)
    if found is state:
        return state
    better = with_worst_cut(space, improve(space, found, costs))
    return better if space.fits_at_worst(better) or not space.fits_at_worst(state) else state


def _is_mostly_repeated(space: PlanEvaluator, state: State) -> bool:
    """Whether most of the seconds go into having one value again."""
    again = repeated_seconds(state, space.pricing.machine)
    return max(again.values(), default=0.0) > MOSTLY_REPEATED * state.seconds
