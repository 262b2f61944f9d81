"""Improvement: choices changed one at a time, as long as that makes the plan cheaper.

The moves are tried in the order of the steps, the costliest first; no chance is in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from dask_tapestry.plan.search.budget import A_CHANGE
from dask_tapestry.plan.search.choices import Choices, State
from dask_tapestry.plan.search.moves import elsewhere, fuse_sets, hold, pull, share, shared, split
from dask_tapestry.plan.search.space import Space

GAIN: Final = 0.99  # of the seconds before: a change must save a hundredth


def improve(space: Space, state: State, costs: int) -> State:
    """The best plan that single changes lead to, and that a worker's memory fits.

    Parameters
    ----------
    costs
        Costs of steps that may be computed for it.
    """
    last = space.pricing.evaluated + costs - A_CHANGE  # from then on none is begun
    tried: set[object] = set()
    improved = True
    while improved and space.pricing.evaluated <= last:
        improved = False
        for choices in moves(state):
            if choices.key in tried:
                continue
            tried.add(choices.key)
            other = space.state(choices)
            better = other.rank < state.rank.with_seconds(GAIN)
            if better and (space.fits(other) or not space.fits(state)):
                state, improved = other, True
                break
            if space.pricing.evaluated > last:
                break
    return state


def moves(state: State) -> Iterator[Choices]:
    """Choices that differ in one."""
    by_cost = sorted(state.placed.values(), key=lambda p: -p.cost.seconds)
    for priced in by_cost:
        yield from hold(state, priced)
    yield from (share(state, node) for node in shared(state))
    for priced in by_cost:
        yield from split(state, priced)
    yield from fuse_sets(state)
    for priced in by_cost:
        yield from pull(state, priced)
    for priced in by_cost:
        yield from elsewhere(state, priced)
