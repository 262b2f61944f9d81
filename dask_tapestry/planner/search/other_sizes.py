"""Other sizes: plans whose operators take the forms that they have taken in other sizes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from dask_tapestry.planner.search.choices import Choices, State
from dask_tapestry.planner.search.exchanges import in_other_sizes_exchanged
from dask_tapestry.planner.search.moves import resize
from dask_tapestry.planner.search.plan_evaluator import PlanEvaluator
from dask_tapestry.planner.search.tuning import COSTS_A_CHANGE, LEAST_GAIN, LEAST_ONCE_FOUND
from dask_tapestry.teg import Node


def resized(space: PlanEvaluator, state: State, costs: int) -> State:
    """The best plan near one whose operators take their forms in other sizes.

    A form is chosen before its steps are put together: what was held then may be computed in them
    now, so that another size of parts is best.
    """
    last = space.pricing.evaluated + costs - COSTS_A_CHANGE
    tried: set[object] = set()
    improved = True
    while improved and space.pricing.evaluated <= last:
        improved = False
        for choices in chain(in_other_sizes(space, state), in_other_sizes_exchanged(space, state)):
            if choices.key in tried or space.pricing.evaluated > last:
                continue
            tried.add(choices.key)
            enough = state.rank.with_seconds(LEAST_GAIN)
            candidate = space.state_within(choices, enough, last + LEAST_ONCE_FOUND)
            if candidate is not None and candidate.rank < enough and space.fits(candidate):
                state, improved = candidate, True
                break
    return state


def in_other_sizes(space: PlanEvaluator, state: State) -> Iterator[Choices]:
    """Choices in which operators that have taken forms take one in another size.

    Those that are alike first do so together, as the folds of several parts of an array: one after
    the other takes as many changes, and each gains a part. Then the first one alone, as that of a
    loop: what pays for it is tried for the next one then.
    """
    alike: dict[object, list[Node]] = {}
    for node, forms in state.choices.forms.items():
        alike.setdefault((node.operator, node.input_types, tuple(forms)), []).append(node)
    together = [nodes for nodes in alike.values() if len(nodes) > 1]
    for nodes in (*together, *[some[:1] for some in alike.values()]):
        yield from resize(space, state, nodes)
