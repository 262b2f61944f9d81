"""Roomy blocks: of plans that take about as long, the one that leaves workers memory.

The fastest plan may have blocks as large as they may be, for the sake of fewer tasks. What is left
of a worker's memory is for blocks that come unevenly, for other jobs, and for what nobody counted:
so blocks that take much of what they may are cut in two, as long as that takes hardly longer.

On the user's own machine memory has a price in seconds: there forms, too, fold in other parts, and
of all these plans the one is taken that costs least with what it holds.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from dask_tapestry.planner.search.choices import Choices, State
from dask_tapestry.planner.search.moves import halved, in_chunks, resize
from dask_tapestry.planner.search.plan_evaluator import PlanEvaluator
from dask_tapestry.planner.search.pricing import PricedGroup
from dask_tapestry.planner.tuning import (
    ALIKE_SECONDS,
    COSTS_A_CHANGE,
    HALVINGS,
    HEAVY,
    LIGHTER_SHARE,
    MEMORY_PRICE,
    MOST_FOR_MEMORY,
    ROOM_COSTS,
    ROOMY_SHARE,
    SIZES_TRIED,
    WORTH_ROOM_BYTES,
)


def with_room(space: PlanEvaluator, state: State, costs: int) -> State:
    """The plan, or one about as fast whose largest blocks are smaller, so that workers hold less.

    It is busy for no longer, reads and moves no more, and fits as this one does.

    Parameters
    ----------
    costs
        Costs of steps that may be computed for it; some more on the user's own machine.
    """
    if state.shortfall or not space.fits_at_worst(state):
        return state
    costs = max(costs, ROOM_COSTS) if costs and space.resources.local else costs
    first, last = state, space.pricing.evaluated + costs - COSTS_A_CHANGE
    for _ in range(HALVINGS):
        found = list(_roomier(space, first, state, last))
        if not found:
            break
        state = min(found, key=partial(_price, space, first))
    return state


def _price(space: PlanEvaluator, first: State, other: State) -> float:
    """What a plan costs beside the first one: the memory of its workers, here also its seconds."""
    if not space.resources.local:
        return space.fullest_at_worst(other).bytes
    memory, before = (_bytes_of_blocks(space, one) for one in (other, first))
    return other.seconds / first.seconds + MEMORY_PRICE * memory / before


def _bytes_of_blocks(space: PlanEvaluator, state: State) -> int:
    """Bytes that this process holds at most, and those of a block of each step for each thread.

    Of what lies between steps as many blocks are counted as ever wait, and mostly there are fewer:
    so smaller blocks count where they take nothing of the most.
    """
    work = sum(priced.cost.work for priced in state.placed.values())
    return space.fullest_at_worst(state).bytes + space.pricing.machine.threads * work


def _roomier(space: PlanEvaluator, first: State, state: State, last: int) -> Iterator[State]:
    """Plans that differ in one choice, about as good as the `first` one, and hold less."""
    longest = MOST_FOR_MEMORY if space.resources.local else ALIKE_SECONDS
    most = first.rank.with_seconds(longest)
    for choices in _finer(space, state):
        if space.pricing.evaluated > last:
            return
        other = space.state_within(choices, most)
        if other is None or not other.is_as_good_as(first, longest):
            continue
        if space.fits_at_worst(other) and _holds_less(space, first, state, other):
            yield other


def _holds_less(space: PlanEvaluator, first: State, state: State, other: State) -> bool:
    """Whether workers hold much less in another plan; here, whether that is worth its seconds."""
    now, before = (space.fullest_at_worst(one).bytes for one in (other, state))
    if space.resources.local:
        return now <= before and _price(space, first, other) < _price(space, first, state)
    return now <= LIGHTER_SHARE * before


def _finer(space: PlanEvaluator, state: State) -> Iterator[Choices]:
    """Choices in which steps, whose blocks take much of what they may, have more of them.

    Twice as many, or one for each stored chunk; here also those of a form that has other parts.
    """
    alike: dict[object, list[PricedGroup]] = {}
    for priced in state.placed.values():
        if priced.cost.work > _large_bytes(space, state, priced):
            alike.setdefault((priced.group.node.type, priced.grid), []).append(priced)
    for some in sorted(alike.values(), key=lambda some: -max(p.cost.work for p in some))[:HEAVY]:
        yield from in_chunks(state, some)
        yield from halved(state, some)
    if alike and space.resources.local:
        for node in list(state.choices.forms)[:HEAVY]:
            yield from resize(space, state, [node], SIZES_TRIED)


def _large_bytes(space: PlanEvaluator, state: State, priced: PricedGroup) -> float:
    """Bytes from which on a block of a step is cut in two, if that takes about as long.

    A part of what a task may take. On the user's own machine it is that of which half is what a
    plan must spare to hold much less, as all threads have such a block: its memory is theirs, too.
    But not of large results: they may be kept, and of small blocks their readers join copies.
    """
    of_task = ROOMY_SHARE * priced.limits.task
    if not space.resources.local:
        return of_task
    peak, node = space.fullest_at_worst(state).bytes, priced.group.node
    little = (1 - LIGHTER_SHARE) * peak
    if peak < WORTH_ROOM_BYTES or (node in state.graph.roots and node.type.nbytes > little):
        return of_task
    return min(of_task, 2 * little / space.pricing.machine.threads)
