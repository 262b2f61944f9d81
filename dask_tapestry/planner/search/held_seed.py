"""Held seed: all that several steps compute is held at once, where else workers lack memory.

As the least distances to the points of a loop, which each step has of the step before and of a fold
of its own: one by one they save next to nothing, and none makes the folds fit of all steps, which
each step reads again as long as nothing is held between.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from dask_tapestry.planner.fusion.group import members_of
from dask_tapestry.planner.search.choices import State
from dask_tapestry.planner.search.plan_evaluator import PlanEvaluator
from dask_tapestry.planner.search.tuning import SEED_LOSS
from dask_tapestry.teg import Node, Source


def with_shared_held(space: PlanEvaluator, state: State) -> State:
    """The plan, or that in which all is held that several steps compute, if that alone fits."""
    if not state.shortfall and space.fits(state):
        return state
    shared = _shared(state)
    if not shared:
        return state
    choices = state.choices
    held, fused = choices.held | shared, choices.fused - shared
    enough = state.rank.with_seconds(SEED_LOSS)
    other = space.state_within(replace(choices, held=held, fused=fused), enough)
    fits = other is not None and not other.shortfall and space.fits(other)
    return other if other is not None and fits and other.rank < enough else state


def _shared(state: State) -> frozenset[Node]:
    """What several steps compute; formulas too that became parts of who reads them."""
    held = frozenset(state.placed)
    counts = Counter([x for node in held for x in members_of(node, held - {node})])
    computed = (x for x, count in counts.items() if count > 1 and not x.operator.is_selector)
    return frozenset([x for x in computed if not isinstance(x.operator, Source)])
