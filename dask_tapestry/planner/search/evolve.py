"""Evolution: a stochastic search for plans near the frontier.

A trial takes a plan near the frontier, on it or not, applies a mutator to it and evaluates what
comes out. A plan that nothing allows may be a parent, too: one that is allowed may be two changes
away. Mutators are drawn in proportion to what they have earned, here and in benchmarks before. The
same seed leads to the same plans: what a trial takes is counted in costs computed, not in seconds.

Source: Tapestry whitepaper, "Stochastic Pareto Frontier Optimization".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field
from math import exp, log1p
from typing import TypeVar

import numpy as np

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.memory.garbage_collection import collection_paused
from dask_tapestry.planner.search.budget import SearchBudget
from dask_tapestry.planner.search.choices import Choices, State
from dask_tapestry.planner.search.frontier import ParetoFrontier, quick_cost
from dask_tapestry.planner.search.mutators import Mutator, mutators_of
from dask_tapestry.planner.search.plan_evaluator import PlanEvaluator
from dask_tapestry.planner.search.tuning import (
    COSTS_A_TRIAL,
    CROSSED_SHARE,
    NODES_TRIED,
    PARENT_NEARNESS,
    PATIENCE_WINDOWS,
    POPULATION,
    PRIOR_TRIALS,
    SECONDS_A_COST,
    UNSURE_SHARE,
    WINDOW_TRIALS,
)
from dask_tapestry.teg import Node

T = TypeVar("T")


@dataclass
class Score:
    """How often a mutator was tried, and how often that led to the frontier."""

    mutator: Mutator
    tried: int = 0
    won: int = 0

    @property
    def weight(self) -> float:
        """The weight with which the mutator is drawn, which is always positive."""
        return self.mutator.prior * (self.won + PRIOR_TRIALS / 4) / (self.tried + PRIOR_TRIALS)


@dataclass
class _Member:
    """A plan that may be a parent."""

    state: State
    distance: float


@dataclass
class Evolution:
    """The search from some plans of a space.

    Attributes
    ----------
    space
        Where plans are evaluated.
    frontier
        The points that were found.
    scores
        Of the mutators.
    best
        The plan of the least rank, of those that a worker's memory fits if any does.
    """

    space: PlanEvaluator
    seed: int | Sequence[int]
    frontier: ParetoFrontier = field(init=False)
    scores: list[Score] = field(init=False)
    best: State = field(init=False)

    def __post_init__(self) -> None:
        self.rng = np.random.default_rng(self.seed)
        self.frontier = ParetoFrontier(self.space)
        self.scores = [Score(m) for m in mutators_of(self.space)]
        self._members: dict[object, _Member] = {}

    def begin(self, states: Iterable[State]) -> None:
        """Take plans to start from."""
        for state in states:
            if not self._members:
                self.best = state
            self._take(state)

    @collection_paused()
    def run(self, effort: SearchBudget) -> None:
        """Search until the effort is spent, or until what that gains is worth less than it."""
        pricing, idle = self.space.pricing, 0
        last = pricing.evaluated + (effort.costs or 0)
        while pricing.evaluated < last and (effort.to_the_end or idle < PATIENCE_WINDOWS):
            before, spent = self.best, pricing.evaluated
            for _ in range(WINDOW_TRIALS):
                self.trial()
                if pricing.evaluated >= last:
                    break
            gained = before.seconds - self.best.seconds
            took = SECONDS_A_COST * (pricing.evaluated - spent)
            worth = gained > max(took, UNSURE_SHARE * self.best.seconds)
            idle = 0 if worth or before.shortfall > self.best.shortfall else idle + 1

    def trial(self) -> bool:
        """Try one change of one plan; return whether it led to the frontier."""
        self.space.pricing.evaluated += COSTS_A_TRIAL
        if self.rng.random() < CROSSED_SHARE and len(self._members) > 1:
            return self._take(self.space.state(self._crossed()))
        score = self._drawn(self.scores, [s.weight for s in self.scores])
        score.tried += 1
        parent = self._parent()
        choices = self._child(parent, score.mutator)
        if choices is None or choices.key in self._members:
            return False
        won = self._take(self.space.state(choices))
        score.won += won
        return won

    def _child(self, parent: State, mutator: Mutator) -> Choices | None:
        places = mutator.places(parent)
        for _ in range(min(NODES_TRIED, len(places))):
            node = places[int(self.rng.integers(len(places)))]
            found: list[object] = list(mutator.moves(parent, node, self.rng))
            if found:
                choices = found[int(self.rng.integers(len(found)))]
                if not isinstance(choices, Choices):
                    kind = type(choices).__name__
                    raise TypeError(f"mutator {mutator.name}: it yields {kind}, not choices")
                return choices
        return None

    def _take(self, state: State) -> bool:
        """Take a plan among those that may be parents; return whether it is on the frontier."""
        won = self.frontier.add(state)
        if won:
            for member in self._members.values():
                member.distance = self._distance(member.state)
        distance = 0.0 if won else self._distance(state)
        self._members[state.choices.key] = _Member(state, distance)
        if len(self._members) > POPULATION:
            worst = max(self._members, key=lambda key: self._members[key].distance)
            del self._members[worst]
        if self._is_better(state):
            self.best = state
        return won

    def _is_better(self, state: State) -> bool:
        if state.rank >= self.best.rank and self.space.fits(self.best):
            return False
        return (not self.space.fits(state), state.rank) < (
            not self.space.fits(self.best),
            self.best.rank,
        )

    def _distance(self, state: State) -> float:
        """How far a plan is from the frontier, and from what is allowed."""
        short = log1p(state.shortfall / max(1, self.space.pricing.limits.task))
        return max(0.0, self.frontier.distance(quick_cost(state))) + short

    def _parent(self) -> State:
        members = list(self._members.values())
        return self._drawn(
            members, [exp(-m.distance / PARENT_NEARNESS) + 1e-6 for m in members]
        ).state

    def _drawn(self, items: Sequence[T], weights: Sequence[float]) -> T:
        edges = np.cumsum(weights)
        return items[int(np.searchsorted(edges, self.rng.random() * edges[-1], side="right"))]

    def _crossed(self) -> Choices:
        """For each node the choices of one parent or the other."""
        one, other = self._parent(), self._parent()
        first = one.choices
        second = self.space.in_forms(other.choices, first.forms)
        graph, _ = self.space.became(first.forms)
        decided = {*first.grids, *first.held, *first.fused, *second.grids, *second.held}
        mine = {n for n in graph.nodes if n in decided | second.fused and self.rng.random() < 0.5}

        def picked(a: frozenset[Node], b: frozenset[Node]) -> frozenset[Node]:
            return frozenset(n for n in a if n in mine) | frozenset(n for n in b if n not in mine)

        grids = {n: g for n, g in first.grids.items() if n in mine}
        grids |= {n: g for n, g in second.grids.items() if n not in mine}
        held, fused = picked(first.held, second.held), picked(first.fused, second.fused)
        return Choices(first.forms, held, fused, grids)
