"""Roomy blocks: of plans that take about as long, the one that leaves workers memory.

The fastest plan may have blocks as large as they may be, for the sake of fewer tasks. What is left
of a worker's memory is for blocks that come unevenly, for other jobs, and for what nobody counted:
so blocks that take much of what they may are cut in two, as long as that takes hardly longer.
"""

from __future__ import annotations

from collections.abc import Iterator

from dask_tapestry.planner.search.choices import Choices, State
from dask_tapestry.planner.search.moves import halved
from dask_tapestry.planner.search.plan_evaluator import PlanEvaluator
from dask_tapestry.planner.search.pricing import PricedGroup
from dask_tapestry.planner.tuning import (
    HALVINGS,
    HEAVY,
    LIGHTER_SHARE,
    ROOMY_SHARE,
)


def with_room(space: PlanEvaluator, state: State) -> State:
    """The plan, or one about as fast whose largest blocks are smaller, so that workers hold less.

    It is busy for no longer, reads and moves no more, and fits as this one does.
    """
    if state.shortfall or not space.fits_at_worst(state):
        return state
    first = state
    for _ in range(HALVINGS):
        roomier = next(_roomier(space, first, state), None)
        if roomier is None:
            break
        state = roomier
    return state


def _roomier(space: PlanEvaluator, first: State, state: State) -> Iterator[State]:
    """Plans that differ in one choice, about as good as the `first` one, and hold less."""
    for choices in _finer(state):
        other = space.state(choices)
        if other.is_as_good_as(first) and space.fits_at_worst(other):
            peaks = [space.fullest_at_worst(one).bytes for one in (other, state)]
            if peaks[0] <= LIGHTER_SHARE * peaks[1]:
                yield other


def _finer(state: State) -> Iterator[Choices]:
    """Choices in which steps, whose blocks take much of what they may, have twice as many."""
    alike: dict[object, list[PricedGroup]] = {}
    for priced in state.placed.values():
        if priced.cost.work > ROOMY_SHARE * priced.limits.task:
            alike.setdefault((priced.group.node.type, priced.grid), []).append(priced)
    for some in sorted(alike.values(), key=lambda some: -max(p.cost.work for p in some))[:HEAVY]:
        yield from halved(state, some)
