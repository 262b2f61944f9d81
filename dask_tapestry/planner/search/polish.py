"""Polish: of plans that take about as long, one change away, the one that takes less of the rest.

What the search compares is seconds. Of those within a hundredth one may read a table a fifth more
often, have twice as many tasks, or hold half as much again. So sizes of forms and cuts are changed,
one at a time, as long as that saves much of something and costs hardly any of the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from dask_tapestry.planner.machine.machine import Machine
from dask_tapestry.planner.search.alike import one_of_each
from dask_tapestry.planner.search.choices import Choices, State
from dask_tapestry.planner.search.moves import pull, push, recut
from dask_tapestry.planner.search.other_sizes import in_other_sizes
from dask_tapestry.planner.search.plan_evaluator import PlanEvaluator
from dask_tapestry.planner.search.pricing import PricedGroup
from dask_tapestry.planner.search.tuning import (
    COSTS_A_CHANGE,
    FEW_WAVES,
    HEAVY,
    LEAST_GAIN,
    LEAST_ONCE_FOUND,
    LIGHTER_SHARE,
    WORTH_SPARING_BYTES,
)
from dask_tapestry.planner.tuning import ALIKE_SECONDS


class _Taken(NamedTuple):
    """What a plan takes: seconds, tasks, and more bytes than any plan has anyway.

    No plan has fewer tasks than several a slot, where one had more: these would end apart. Of what
    is held nothing is said at first: it takes long to count.
    """

    seconds: float
    busy: float
    carried: float
    tasks: float
    fewest: float
    held: float = 0.0

    @staticmethod
    def by(state: State, machine: Machine) -> _Taken:
        """What a plan takes, but for what is held."""
        tasks = sum(priced.cost.tasks for priced in state.placed.values())
        return _Taken(
            state.seconds,
            state.rank.busy,
            state.carried + machine.workers * WORTH_SPARING_BYTES,
            tasks,
            min(tasks, FEW_WAVES * machine.slots),
        )

    def holding(self, held: int) -> _Taken:
        """The same with bytes that a worker holds at most."""
        return self._replace(held=held + WORTH_SPARING_BYTES)

    @property
    def _amounts(self) -> tuple[float, ...]:
        return self.seconds, self.busy, self.carried, self.tasks, self.held

    def is_within(self, other: _Taken) -> bool:
        """Whether it is hardly more of anything."""
        pairs = zip(self._amounts, other._amounts, strict=True)
        is_less = all(now <= ALIKE_SECONDS * most for now, most in pairs)
        return is_less and other.fewest <= ALIKE_SECONDS * self.tasks

    def spares(self, other: _Taken) -> bool:
        """Whether it is less in time, or much less of something else."""
        seconds, _, *rest = zip(self._amounts, other._amounts, strict=True)
        less = any(now <= LIGHTER_SHARE * before for now, before in rest)
        return less or seconds[0] < LEAST_GAIN * seconds[1]


def polished(space: PlanEvaluator, state: State, costs: int) -> State:
    """The plan, or one about as fast with fewer tasks, or less that is carried or held.

    Parameters
    ----------
    costs
        Costs of steps that may be computed for it.
    """
    if state.shortfall or not space.fits_at_worst(state):
        return state
    first, last = state, space.pricing.evaluated + costs - COSTS_A_CHANGE
    machine = space.pricing.machine
    most = now = _Taken.by(state, machine).holding(space.peak_at_worst(state))
    tried = set[object]()
    improved = True
    while improved:
        improved = False
        for choices in _changed(space, state):
            if space.pricing.evaluated > last:
                return state
            if choices.key in tried:
                continue
            tried.add(choices.key)
            other = space.state_within(choices, first.as_good, last + LEAST_ONCE_FOUND)
            if other is None or not other.is_as_good_as(first):
                continue
            taken = _Taken.by(other, machine)
            if not (taken.is_within(most) and taken.is_within(now) and space.fits_at_worst(other)):
                continue
            taken = taken.holding(space.peak_at_worst(other))
            if taken.is_within(most) and taken.is_within(now) and taken.spares(now):
                state, now, improved = other, taken, True
                break
    return state


def _changed(space: PlanEvaluator, state: State) -> Iterator[Choices]:
    """Choices that differ in the size of a form, or in the cuts of a step: the costliest first."""
    yield from in_other_sizes(space, state)
    for priced in _costliest(state.placed.values()):
        yield from pull(state, priced)
        yield from push(state, priced)
        yield from recut(state, priced)


def _costliest(steps: Iterable[PricedGroup]) -> list[PricedGroup]:
    """The costliest kinds of steps, one of each."""
    by_cost = sorted(steps, key=lambda priced: -priced.cost.seconds)
    alike = one_of_each(((p, p.group.program, p.held) for p in by_cost), 1)
    return [priced for priced, _ in alike][:HEAVY]
