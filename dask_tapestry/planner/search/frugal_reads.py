"""Frugal reads: of plans that take about as long, the one that reads and moves less.

The fastest plan may read a table again for each block where workers could hand it on, or decode a
chunk for each of two blocks, for the sake of a hundredth of its time. Stores have other users: so
what is read again is held, or blocks are larger, as long as much less is carried and that takes
hardly longer.
"""

from __future__ import annotations

from collections.abc import Iterator

from dask_tapestry.planner.search.choices import Choices, State
from dask_tapestry.planner.search.moves import hold, recut
from dask_tapestry.planner.search.plan_evaluator import PlanEvaluator
from dask_tapestry.planner.search.shared_values import held_as_read, hold_shared, shared_values
from dask_tapestry.planner.search.tuning import (
    COSTS_A_CHANGE,
    LEAST_ONCE_FOUND,
    LIGHTER_SHARE,
    LITTLE_MEMORY,
)
from dask_tapestry.planner.tuning import ALIKE_SECONDS


def with_frugal_reads(space: PlanEvaluator, state: State, costs: int) -> State:
    """The plan, or one about as fast and as large that reads and moves much less.

    Parameters
    ----------
    costs
        Costs of steps that may be computed for it.
    """
    if state.shortfall or not space.fits_at_worst(state):
        return state
    first, last = state, space.pricing.evaluated + costs - COSTS_A_CHANGE
    while True:
        found = list(_more_frugal(space, first, state, last))
        if not found:
            return state
        state = min(found, key=lambda other: other.carried)


def _more_frugal(space: PlanEvaluator, first: State, state: State, last: int) -> Iterator[State]:
    """Plans that differ in one choice, about as good as the `first` one, and carry much less."""
    for choices in _with_less_read(space, state):
        if space.pricing.evaluated > last:
            return
        other = space.state_within(choices, first.as_good, last + LEAST_ONCE_FOUND)
        if other is None:
            continue
        if other.carried <= LIGHTER_SHARE * state.carried and _is_as_good(space, first, other):
            yield other


def _with_less_read(space: PlanEvaluator, state: State) -> Iterator[Choices]:
    """Choices in which fewer blocks read a chunk, or values are held that are read again."""
    for priced in state.placed.values():
        once = space.pricing.uncut_cost(priced).read
        if once < LIGHTER_SHARE * priced.cost.read:
            yield from recut(state, priced, finer=False)
    for priced in state.placed.values():
        if priced.cost.read:
            yield from hold(state, priced)
    for node in shared_values(state):
        yield hold_shared(state, node)
        yield from held_as_read(space, state, node)


def _is_as_good(space: PlanEvaluator, first: State, other: State) -> bool:
    """Whether a plan takes about as long as the first one, and no more memory, or little."""
    if not (other.is_as_good_as(first) and space.fits_at_worst(other)):
        return False
    before, now = (space.peak_at_worst(plan) for plan in (first, other))
    return now <= max(ALIKE_SECONDS * before, LITTLE_MEMORY * space.resources.usable_bytes)
