"""Roomy blocks: of plans that take about as long, the one that leaves workers memory.

The fastest plan may have blocks as large as they may be, for the sake of fewer tasks. What is left
of a worker's memory is for blocks that come unevenly, for other jobs, and for what nobody counted:
so blocks that take much of what they may are cut in two, as long as that takes hardly longer.
"""

from __future__ import annotations

from collections.abc import Iterator

from dask_tapestry.planner.search.choices import Choices, State
from dask_tapestry.planner.search.moves import halved, in_chunks
from dask_tapestry.planner.search.plan_evaluator import PlanEvaluator
from dask_tapestry.planner.search.pricing import PricedGroup
from dask_tapestry.planner.search.tuning import (
    COSTS_A_CHANGE,
    HALVINGS,
    HEAVY,
    LEAST_ONCE_FOUND,
    LIGHTER_SHARE,
    ROOMY_SHARE,
    WORTH_ROOM_BYTES,
)


def with_room(space: PlanEvaluator, state: State, costs: int) -> State:
    """The plan, or one about as fast whose largest blocks are smaller, so that workers hold less.

    It is busy for no longer, reads and moves no more, and fits as this one does.

    Parameters
    ----------
    costs
        Costs of steps that may be computed for it.
    """
    if state.shortfall or not space.fits_at_worst(state):
        return state
    first, last = state, space.pricing.evaluated + costs - COSTS_A_CHANGE
    for _ in range(HALVINGS):
        found = list(_roomier(space, first, state, last))
        if not found:
            break
        state = min(found, key=lambda other: space.peak_at_worst(other))
    return state


def _roomier(space: PlanEvaluator, first: State, state: State, last: int) -> Iterator[State]:
    """Plans that differ in one choice, about as good as the `first` one, and hold less."""
    for choices in _finer(space, state):
        if space.pricing.evaluated > last:
            return
        other = space.state_within(choices, first.as_good, last + LEAST_ONCE_FOUND)
        if other is None:
            continue
        is_as_good = other.is_as_good_as(first) and space.fits_at_worst(other)
        if is_as_good and _holds_less(space, state, other):
            yield other


def _holds_less(space: PlanEvaluator, state: State, other: State) -> bool:
    """Whether workers hold much less in another plan.

    On the user's own machine also where blocks alone take so much less: of what lies between steps
    as many blocks are counted as ever wait, and mostly there are fewer.
    """
    now, before = (space.peak_at_worst(one) for one in (other, state))
    if now <= LIGHTER_SHARE * before:
        return True
    saved = sum(p.cost.work for p in state.placed.values())
    saved -= sum(p.cost.work for p in other.placed.values())
    threads = space.pricing.machine.threads
    is_less = threads * saved >= (1 - LIGHTER_SHARE) * before
    return space.resources.local and now <= before and is_less


def _finer(space: PlanEvaluator, state: State) -> Iterator[Choices]:
    """Choices in which steps, whose blocks take much of what they may, have more of them.

    Twice as many, or one for each stored chunk.
    """
    alike: dict[object, list[PricedGroup]] = {}
    for priced in state.placed.values():
        if priced.cost.work > _large_bytes(space, state, priced):
            alike.setdefault((priced.group.node.type, priced.grid), []).append(priced)
    for some in sorted(alike.values(), key=lambda some: -max(p.cost.work for p in some))[:HEAVY]:
        yield from in_chunks(state, some)
        yield from halved(state, some)


def _large_bytes(space: PlanEvaluator, state: State, priced: PricedGroup) -> float:
    """Bytes from which on a block of a step is cut in two, if that takes about as long.

    A part of what a task may take. On the user's own machine it is that of which half is what a
    plan must spare to hold much less, as all threads have such a block: its memory is theirs, too.
    But not of large results: they may be kept, and of small blocks their readers join copies.
    """
    of_task = ROOMY_SHARE * priced.limits.task
    if not space.resources.local:
        return of_task
    peak, node = space.peak_at_worst(state), priced.group.node
    little = (1 - LIGHTER_SHARE) * peak
    if peak < WORTH_ROOM_BYTES or (node in state.graph.roots and node.type.nbytes > little):
        return of_task
    return min(of_task, 2 * little / space.pricing.machine.threads)
