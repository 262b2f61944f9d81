"""Frontier: the plans found of which none is better than another in every resource.

Source: Tapestry whitepaper, "Stochastic Pareto Frontier Optimization".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import log1p
from typing import NamedTuple

from dask_tapestry.planner.memory.user_resource_peaks import plan_amounts
from dask_tapestry.planner.search.choices import State
from dask_tapestry.planner.search.plan_evaluator import PlanEvaluator
from dask_tapestry.planner.search.tuning import CLOSE_POINTS, MOST_FRONTIER_POINTS, SLOWEST_RATIO


class Point(NamedTuple):
    """A plan, and what it takes of each resource."""

    state: State
    cost: Mapping[str, float]


class ParetoFrontier:
    """Points that are kept as long as no other is as good in all resources and better in one.

    The fastest is the first. A plan that a worker's memory does not fit, or that the user's limits
    forbid, is no point.
    """

    def __init__(self, space: PlanEvaluator) -> None:
        self.space = space
        self.points: list[Point] = []

    def __iter__(self) -> Iterator[Point]:
        return iter(self.points)

    def add(self, state: State) -> bool:
        """Take a plan among the points, if it is better than each of them in something."""
        if not state.rank.is_allowed or self._is_beaten(quick_cost(state)):
            return False
        if not self.space.fits(state):
            return False
        cost = full_cost(self.space, state)
        if self._is_beaten(cost):
            return False
        kept = [p for p in self.points if not _beats(cost, p.cost, 0.0)]
        kept.append(Point(state, cost))
        kept.sort(key=lambda point: point.cost["seconds"])
        most = SLOWEST_RATIO * kept[0].cost["seconds"]
        self.points = [p for p in kept[:MOST_FRONTIER_POINTS] if p.cost["seconds"] <= most]
        return any(point.state is state for point in self.points)

    def _is_beaten(self, cost: Mapping[str, float]) -> bool:
        slow = (
            bool(self.points) and cost["seconds"] > SLOWEST_RATIO * self.points[0].cost["seconds"]
        )
        return slow or any(_beats(point.cost, cost, CLOSE_POINTS) for point in self.points)

    def distance(self, cost: Mapping[str, float]) -> float:
        """How far a cost is from the nearest point: the logarithm of how often as much it takes."""
        return min((_is_dominated_by(cost, point.cost) for point in self.points), default=0.0)


def quick_cost(state: State) -> dict[str, float]:
    """What a plan takes of all resources but memory."""
    costs = [priced.cost for priced in state.placed.values()]
    return {
        "seconds": state.seconds,
        "bytes_read": sum(c.read for c in costs),
        "bytes_moved": sum(c.moved for c in costs),
        "tasks": sum(c.tasks for c in costs),
    }


def full_cost(space: PlanEvaluator, state: State) -> dict[str, float]:
    """What a plan takes of all resources, those that the user named included."""
    peak = {"peak_worker_bytes": float(space.usual_peak(state))}
    return quick_cost(state) | peak | plan_amounts(space.sketch(state))


def _beats(one: Mapping[str, float], other: Mapping[str, float], margin: float) -> bool:
    """Whether `one` takes no more of anything, but for a `margin`; missing costs count as worse."""
    return all(one[name] <= (1 + margin) * other.get(name, -1.0) for name in one)


def _is_dominated_by(cost: Mapping[str, float], point: Mapping[str, float]) -> float:
    return max(log1p(cost[name]) - log1p(point.get(name, 0.0)) for name in cost)
