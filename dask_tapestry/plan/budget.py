"""Budget: how long a plan is searched for, by what it may save.

A search is counted in costs of steps that it computes, so that the same question always has the
same answer; seconds are converted by what one cost takes.
"""

from __future__ import annotations

from math import sqrt
from typing import Final

from dask_tapestry.plan.choices import State

SECONDS_A_COST: Final = 3e-4  # of one core, with all that a search does beside
SHARE: Final = 0.03  # of a job's seconds that may be spent on its plan, at first
A_CHANGE: Final = 10  # costs that one change of a plan takes: of a step whose grid is searched
LONG: Final = 50.0  # seconds of a job from which on the budget grows with their root only


def costs_worth(state: State) -> int:
    """Costs that a plan is worth to compute: none for work of milliseconds, minutes for a week's.

    None is worth less than one change takes. A plan that does not fit is worth as much as one of
    `LONG` seconds.
    """
    seconds = max(state.seconds, LONG) if state.shortfall else state.seconds
    most = min(seconds, LONG) * sqrt(max(1.0, seconds / LONG))
    costs = int(SHARE * most / SECONDS_A_COST)
    return costs if costs >= A_CHANGE else 0


def costs_within(seconds: float) -> int:
    """Costs that can be computed in so many seconds."""
    return int(seconds / SECONDS_A_COST)
