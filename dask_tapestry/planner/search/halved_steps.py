"""Halved steps: a step that takes more than a task may is computed in two, and then in more.

As a recurrence over many stored images, each of whose chunks is read whole: no block of it is small
enough to read all of them, and nothing is computed twice that might be held. What half of the step
is made for alone is held, as the state of the recurrence halfway.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace

from dask_tapestry.planner.cost.cost import StepCost
from dask_tapestry.planner.fusion.group import members_of
from dask_tapestry.planner.search.choices import State
from dask_tapestry.planner.search.plan_evaluator import PlanEvaluator
from dask_tapestry.planner.search.tuning import HALVED_GAIN, HALVED_READS, HALVED_SECONDS, LEAST_HALF
from dask_tapestry.teg import Node, Source


def with_steps_halved(space: PlanEvaluator, state: State) -> State:
    """The plan, or that in which steps are halved until they fit, and none reads long again.

    Where no task is too large before, it has to fit and to take at most a part of the seconds.
    """
    first, enough = state, state.rank.with_seconds(HALVED_GAIN)
    while halves := _halves(space, state):
        more, fused = state.choices.held | halves, state.choices.fused - halves
        choices = replace(state.choices, held=more, fused=fused)
        if state.shortfall:
            state = space.state(choices)
            continue
        halved = space.state_within(choices, state.rank)
        if halved is None or halved.rank >= state.rank:
            break
        state = halved
    is_better = state.rank < enough and not state.shortfall
    return state if is_better and (first.shortfall or space.fits(state)) else first


def _halves(space: PlanEvaluator, state: State) -> frozenset[Node]:
    """Values that half of a step is computed for, of each step that takes too much.

    Of several that compute one of these, the first alone: the others may fit without.
    """
    found = set[Node]()
    for node in _large(space, state):
        members = members_of(node, state.placed.keys() - {node})
        half = None if found.intersection(members) else _half_of(members)
        found |= set() if half is None else {half}
    return frozenset(found)


def _large(space: PlanEvaluator, state: State) -> list[Node]:
    """What is computed by steps of which no block fits, or whose small ones read stores again."""
    return [
        node
        for node, priced in state.placed.items()
        if priced.rank.excess or _reads_again(priced.cost, space.pricing.uncut_cost(priced))
    ]


def _reads_again(cost: StepCost, once: StepCost) -> bool:
    """Whether a step takes long to read again what is stored."""
    return cost.store > HALVED_SECONDS and cost.read > HALVED_READS * once.read


def _half_of(members: Sequence[Node]) -> Node | None:
    """What about half of the members of a step is computed for; None if nothing is."""
    made_for = _made_for(members)
    values = [x for x in members[:-1] if x.operator.is_formula or not x.operator.transparent]
    half = len(members) / 2
    best = min(values, key=lambda one: abs(made_for[one] - half), default=None)
    if best is None or min(made_for[best], len(members) - made_for[best]) < LEAST_HALF * half:
        return None
    return best


def _made_for(members: Sequence[Node]) -> Counter[Node]:
    """For each member of a step how many are computed for it alone, itself counted.

    `members` are in an order of computing them, the value of the step is the last.
    """
    above: dict[Node, Node | None] = {members[-1]: None}
    depth = {members[-1]: 0}
    readers = defaultdict[Node, list[Node]](list)
    for member in reversed(members):
        for one in readers[member]:
            above[member] = _shared(above.get(member, one), one, above, depth)
        if member in above and (over := above[member]) is not None:
            depth[member] = depth[over] + 1
        for x in member.inputs:
            readers[x].append(member)
    found = Counter(members)
    for member in members:
        over = above[member]
        if over is not None:
            found[over] += found[member]
    return found


def _shared(
    one: Node | None, other: Node | None, above: dict[Node, Node | None], depth: dict[Node, int]
) -> Node | None:
    """The nearest of the members that all ways from two of them to the step's value go through."""
    while one is not other:
        assert one is not None
        assert other is not None
        if depth[one] >= depth[other]:
            one = above[one]
        else:
            other = above[other]
    return one
