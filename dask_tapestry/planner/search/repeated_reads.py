"""Repeated reads: whether a step under a grid takes long to read again what it needs."""

from __future__ import annotations

from dask_tapestry.planner.cost.cost import StepCost
from dask_tapestry.planner.search.tuning import CARRIED_SHARE, LONG_STEP_SECONDS, READ_AGAIN


def reads_again(
    cost: StepCost, once: StepCost, times: float = READ_AGAIN, least: float = LONG_STEP_SECONDS
) -> bool:
    """Whether a step, that reads all `once` under another grid, takes long to read it again."""
    takes_long = max(cost.network, cost.store) > CARRIED_SHARE * cost.seconds
    return cost.seconds > least and takes_long and cost.carried > times * once.carried
