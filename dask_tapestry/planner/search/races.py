"""Races: a plan that is changed beside a faster one is given up once it falls behind.

A second seed takes longer than what the first has led to, at times eight times as long. Where its
first changes gain much, as those of attention do, it may yet win; where they gain a part of one
percent each, as those of conjugate gradients, all of the costs change nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import log
from typing import NamedTuple

from dask_tapestry.planner.cost.rank import Rank
from dask_tapestry.planner.search.choices import State
from dask_tapestry.planner.search.plan_evaluator import PlanEvaluator
from dask_tapestry.planner.search.plan_spaces import FoundPlan
from dask_tapestry.planner.search.tuning import FAR_BEHIND, FAR_BETTER, SURE_OF_PACE


class Race(NamedTuple):
    """What is known of a plan when its changes begin.

    Attributes
    ----------
    space
        Where costs are counted.
    seconds
        Of the plan.
    goal
        Seconds of the one that it is beside of; 0 without one.
    begun
        Costs computed before.
    costs
        Those that its changes may take.
    """

    space: PlanEvaluator
    seconds: float
    goal: float
    begun: int
    costs: int

    @staticmethod
    def begun_by(space: PlanEvaluator, state: State, beside: State | None, costs: int) -> Race:
        """The race of a plan against one that is allowed, if there is one."""
        has_goal = beside is not None and beside.rank.is_allowed and state.rank.is_allowed
        goal = beside.seconds if beside is not None and has_goal else 0.0
        return Race(space, state.seconds, goal, space.pricing.evaluated, costs)

    def is_lost(self, state: State) -> bool:
        """Whether a plan at the pace of its gains so far would not reach the other one.

        Not before what its first changes took tells the pace.
        """
        spent = self.space.pricing.evaluated - self.begun
        if not self.goal or spent < SURE_OF_PACE or state.seconds <= self.goal:
            return False
        gained = log(self.seconds / state.seconds)
        return gained * self.costs < log(self.seconds / self.goal) * spent


def may_be_far_better(misfits: Iterable[FoundPlan], other: Rank) -> bool:
    """Whether plans that do not fit take so little beside another one that some may be made to."""
    best = other.with_seconds(FAR_BETTER).seconds
    return any(one.state.seconds < best for one in misfits)


def may_win(seed: State, best: State) -> bool:
    """Whether a seed is not so far behind a plan that changes of it would be of no use."""
    return seed.rank < best.rank.with_seconds(FAR_BEHIND) or not best.rank.is_allowed
