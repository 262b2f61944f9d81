"""Fused seed: all that may be is computed where it is read, where that is far better at once.

As the layers of a network, or its steps in time, whose values are as large as what they read: one
by one they save little, or fit no better, before all of them are computed together.
"""

from __future__ import annotations

from collections.abc import Set

from dask_tapestry.planner.fusion.group import is_external
from dask_tapestry.planner.search.choices import Choices, State
from dask_tapestry.planner.search.moves import fuse, optional
from dask_tapestry.planner.search.plan_evaluator import PlanEvaluator
from dask_tapestry.planner.search.tuning import LARGE_VALUE_SHARE, SEED_GAIN, SEED_LOSS
from dask_tapestry.teg import Node


def with_all_fused(space: PlanEvaluator, state: State) -> State:
    """The plan, or that in which no optional value is held, or no large one, if it is far better.

    It has to fit, and to take at most a part of the seconds. Where the seed does not fit, one that
    reads no more may take longer: what is held less costs more in the end.
    """
    better, most = state.rank.with_seconds(SEED_GAIN), _read(state)
    enough = better if space.fits(state) else state.rank.with_seconds(SEED_LOSS)
    found = []
    for nodes in {frozenset(nodes): None for nodes in _sets(state) if nodes}:
        other = space.state_within(_fused(space, state, nodes), enough)
        if other is not None and (other.rank < better or _read(other) <= most):
            found += [other] if other.rank < enough and space.fits(other) else []
    return min(found, key=lambda other: other.rank, default=state)


def _read(state: State) -> float:
    """Bytes that a plan reads from stores."""
    return sum(priced.cost.read for priced in state.placed.values())


def _fused(space: PlanEvaluator, state: State, nodes: Set[Node]) -> Choices:
    """The choices in which nodes are not held, nor what would be held in their place.

    Costly formulas are that several steps read, as the cells of a network behind its products.
    """
    choices = fuse(state, nodes)
    least = LARGE_VALUE_SHARE * max(node.type.nbytes for node in nodes)
    while True:
        held = space.pricing.held(state.graph, choices.held, choices.fused)
        new = held - choices.fused - set(state.placed)
        instead = [n for n in new if not is_external(n) and n.type.nbytes >= least]
        if not instead:
            return choices
        choices = choices.fusing(frozenset(instead))


def _sets(state: State) -> tuple[Set[Node], Set[Node]]:
    """All values that need not be held, and the large ones: not the nodes of folds."""
    every = frozenset(optional(state))
    largest = max([node.type.nbytes for node in every], default=0)
    return every, frozenset([n for n in every if n.type.nbytes >= LARGE_VALUE_SHARE * largest])
