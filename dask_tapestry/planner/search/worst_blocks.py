"""Worst blocks: a plan that workers can hold but for the blocks that take most is changed there.

The search compares plans by their usual blocks, which are computed in pieces and take as little
however large they are. What cannot be cut into pieces, as a sum along rows that is read again in
the same block, may lie in a few blocks alone. These blocks are cut finer, or what they read besides
is held.
"""

from __future__ import annotations

from itertools import chain

from dask_tapestry.planner.cost.rank import preferred
from dask_tapestry.planner.search.choices import State
from dask_tapestry.planner.search.moves import halved, hold
from dask_tapestry.planner.search.plan_evaluator import PlanEvaluator
from dask_tapestry.planner.search.tuning import HALVINGS


def with_worst_cut(space: PlanEvaluator, state: State) -> State:
    """The plan, or one that workers can hold, whose worst blocks read less or are halved.

    They are halved again as often as need be.
    """
    if state.shortfall or not space.fits(state):
        return state
    finer = state
    for _ in range(HALVINGS):
        if space.fits_at_worst(finer):
            return finer
        steps = space.sketch_at_worst(finer).steps
        worst = finer.placed[max(finer.placed, key=lambda node: steps[node].needs.work)]
        others = map(space.state, chain(halved(finer, [worst]), hold(finer, worst)))
        fitting = [one for one in others if not one.shortfall and space.fits(one)]
        enough = [one for one in fitting if space.fits_at_worst(one)]
        if enough:
            return preferred(enough, lambda one: one.rank)
        finer = min(fitting, key=space.peak_at_worst, default=finer)
    return finer if space.fits_at_worst(finer) else state
