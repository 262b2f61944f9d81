"""Budget: how long a plan is searched for, by what it may save.

A search is counted in costs of steps that it computes, so that the same question always has the
same answer; seconds are converted by what one cost takes.
"""

from __future__ import annotations

from math import sqrt
from typing import Final, NamedTuple

from dask_tapestry.planner.machine.resources import live_client
from dask_tapestry.planner.search.choices import State
from dask_tapestry.planner.search.tuning import (
    COSTS_A_CHANGE,
    LEAST_ONCE_FOUND,
    LONG_SEARCHED_SECONDS,
    MOST_ALONE,
    MOST_IN_VAIN,
    SECONDS_A_COST,
    SHARE,
    USES_OF_A_PLAN,
)


class SearchBudget(NamedTuple):
    """What a search may spend.

    Attributes
    ----------
    costs
        Costs of steps that it may compute; None for what the plan is worth.
    to_the_end
        Whether all of them are spent, however little that gains.
    times
        How many times as long the job takes as the plan that is searched, of a part of it.
    forms
        Costs that choosing forms may take; None for what each of them is worth.
    """

    costs: int | None
    to_the_end: bool = False
    times: float = 1.0
    forms: int | None = None

    @staticmethod
    def of(seconds: float | None) -> SearchBudget:
        """What can be computed in so many seconds; what a plan is worth if they are not given."""
        return WORTH if seconds is None else SearchBudget(int(seconds / SECONDS_A_COST), True)

    def for_plan(self, state: State) -> SearchBudget:
        """The effort for a plan like this one: seconds here, minutes where workers take part."""
        if self.costs is not None:
            return self
        worth = costs_worth(state, self.times)
        alone = worth > MOST_ALONE and live_client() is None
        return SearchBudget(MOST_ALONE if alone else worth)

    def less(self, costs: int) -> SearchBudget:
        """What is left after some costs."""
        return self._replace(costs=max(0, (self.costs or 0) - costs))

    def once_found(self, state: State) -> int:
        """Costs that are worth to compute from when a plan is found, to find a better one.

        A few in any case: of short jobs, changes still lead from one to the next.
        """
        return max(LEAST_ONCE_FOUND, self.for_plan(state).costs or 0)

    @property
    def patience(self) -> int:
        """Costs that changes of one plan may take until one leads to a better one."""
        return MOST_IN_VAIN if self.costs is None else self.costs

    def no_more_than(self, costs: int) -> SearchBudget:
        """The effort, or so many costs if they are fewer."""
        return self._replace(costs=min(self.costs or 0, costs))


WORTH: Final = SearchBudget(None)
TO_FIT: Final = SearchBudget(
    int(SHARE * LONG_SEARCHED_SECONDS / SECONDS_A_COST)
)  # where no plan fits that costs less
NO_EFFORT: Final = SearchBudget(0)


def costs_in(seconds: float) -> int:
    """Costs that what takes so many seconds is worth to compute, at first.

    Examples
    --------
    >>> costs_in(0.001), costs_in(10.0) > 100
    (0, True)
    """
    return int(SHARE * seconds / SECONDS_A_COST)


def costs_worth(state: State, times: float = 1.0) -> int:
    """Costs that a plan is worth to compute: none for work of milliseconds, minutes for a week's.

    It is for a job that takes so many times as long. None is worth less than one change takes. A
    plan that does not fit is worth as much as one of `LONG_SEARCHED_SECONDS` seconds.
    """
    seconds = times * state.seconds
    seconds = max(seconds, LONG_SEARCHED_SECONDS) if state.shortfall else seconds
    most = min(seconds, LONG_SEARCHED_SECONDS) * sqrt(max(1.0, seconds / LONG_SEARCHED_SECONDS))
    costs = costs_in(most)
    return costs if costs >= COSTS_A_CHANGE else 0


def repays_planning(planning: float, most_saved: float) -> bool:
    """Whether what a plan may save, in some uses of it, is worth so many seconds of planning."""
    return not planning or USES_OF_A_PLAN * most_saved >= planning
