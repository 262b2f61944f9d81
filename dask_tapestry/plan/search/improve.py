"""Improvement: choices changed one at a time, as long as that makes the plan cheaper.

The moves are tried in the order of the steps, the costliest first; no chance is in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from dask_tapestry.plan.search.budget import A_CHANGE
from dask_tapestry.plan.search.choices import Choices, State
from dask_tapestry.plan.search.moves import (
    elsewhere,
    fuse_sets,
    halved,
    hold,
    pull,
    share,
    shared,
    split,
)
from dask_tapestry.plan.search.space import Space

GAIN: Final = 0.99  # of the seconds before: a change must save a hundredth
HEAVY: Final = 4  # steps whose blocks take most, that are cut more finely where memory lacks
HALVINGS: Final = 3  # of blocks, by which a plan that a worker cannot hold may come to fit


def improve(space: Space, state: State, costs: int) -> State:
    """The best plan that single changes lead to, and that a worker's memory fits.

    Parameters
    ----------
    costs
        Costs of steps that may be computed for it.
    """
    last = space.pricing.evaluated + costs - A_CHANGE  # from then on none is begun
    tried: set[object] = set()
    improved, state = True, relieved(space, state)
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


def relieved(space: Space, state: State) -> State:
    """The plan in smaller blocks, if workers can hold what it holds only then."""
    lighter = state
    for _ in range(HALVINGS):
        if lighter.shortfall or space.fits(lighter):
            return lighter
        heavy = sorted(lighter.placed.values(), key=lambda p: -p.cost.work)[:HEAVY]
        finer = [space.state(c) for priced in heavy for c in halved(lighter, priced)]
        fitting = [other for other in finer if space.fits(other)]
        if fitting:
            return min(fitting, key=lambda other: other.rank)
        lighter = min(finer, key=space.peak, default=lighter)
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
