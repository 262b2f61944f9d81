"""Worst blocks: a plan that workers can hold but for the blocks that take most is cut finer there.

The search compares plans by their usual blocks, which are computed in pieces and take as little
however large they are. What cannot be cut into pieces, as a sum along rows that is read again in
the same block, may lie in a few blocks alone.
"""

from __future__ import annotations

from dask_tapestry.planner.search.choices import State
from dask_tapestry.planner.search.moves import halved
from dask_tapestry.planner.search.plan_evaluator import PlanEvaluator
from dask_tapestry.planner.search.tuning import HALVINGS


def with_worst_cut(space: PlanEvaluator, state: State) -> State:
    """The plan, or one whose worst blocks are halved, and halved again, that workers can hold."""
    if state.shortfall or not space.fits(state):
        return state
    finer = state
    for _ in range(HALVINGS):
        if space.fits_at_worst(finer):
            return finer
        steps = space.sketch_at_worst(finer).steps
        worst = max(finer.placed, key=lambda node: steps[node].needs.work)
        halves = map(space.state, halved(finer, [finer.placed[worst]]))
        fitting = [one for one in halves if not one.shortfall and space.fits(one)]
        finer = min(fitting, key=space.peak_at_worst, default=finer)
    return finer if space.fits_at_worst(finer) else state
