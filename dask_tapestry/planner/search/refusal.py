"""Refusal: why no plan fits the workers, and how much memory of a worker would do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import prod
from typing import NamedTuple

from dask.utils import format_bytes, parse_bytes

from dask_tapestry.amounts import MOST
from dask_tapestry.errors import MemoryLimitError
from dask_tapestry.planner.machine.resources import Resources
from dask_tapestry.planner.machine.worker_group import workers_text
from dask_tapestry.planner.memory.bound import lack_of_memory
from dask_tapestry.planner.memory.memory import PeakWorkers
from dask_tapestry.planner.search.choices import State
from dask_tapestry.planner.search.moves import optional
from dask_tapestry.planner.search.plan_evaluator import PlanEvaluator
from dask_tapestry.planner.search.plan_spaces import may_hold_results
from dask_tapestry.planner.search.pricing import PricedGroup
from dask_tapestry.planner.search.tuning import (
    ENOUGH_TRIES,
    MEMORY_GROWTH,
    MEMORY_HALVINGS,
    MEMORY_ROOM,
    SLOWLY_FITTED,
)
from dask_tapestry.teg import Source
from dask_tapestry.zspace import largest_box


class Misfit(NamedTuple):
    """A plan that workers cannot hold, and where it was found."""

    space: PlanEvaluator
    state: State

    @property
    def fullest(self) -> PeakWorkers:
        """The workers whose memory is fullest."""
        return self.space.fullest_at_worst(self.state)

    @property
    def tasks_may_fit(self) -> bool:
        """Whether tasks may that are computed side by side: its own, or none was looked for."""
        return not self.state.shortfall or not self.is_searched

    @property
    def is_searched(self) -> bool:
        """Whether more than a seed was looked for: workers may hold the results at least."""
        return may_hold_results(self.space)


def lightest_of(space: PlanEvaluator, state: State) -> list[Misfit]:
    """A plan that does not fit, and that in which nothing is held of what need not be."""
    fused = space.state(state.choices.fusing(frozenset(optional(state))))
    return [Misfit(space, one) for one in (state, fused)]


def fit_only_slowly(fitting: Sequence[State], misfits: Sequence[Misfit]) -> bool:
    """Whether plans that fit take far longer than some that do not, which may fit in other ways.

    Those found do without what takes little time, as they would hold all results side by side.
    """
    least = min([state.seconds for state in fitting])
    faster = (one.state for one in misfits if not one.state.shortfall)
    return any(SLOWLY_FITTED * state.seconds < least for state in faster)


def refusal(
    misfits: Sequence[Misfit], resources: Resources, *fits: Callable[[Resources], bool]
) -> MemoryLimitError:
    """The error that says why none of the plans that were found fits.

    Where tasks of all of them are too large, it names the step whose blocks are largest; else what
    is held at a time by the plan that needs least.

    Parameters
    ----------
    fits
        Whether a plan is found that fits other resources; several ways to tell, the quickest first.
        Of resources that have more none is asked: these are filled before others are looked for.
    """
    lightest = min(misfits, key=lambda one: one.fullest.bytes)
    enough = "" if resources.has_more else _enough(resources, lightest.fullest, fits)
    together = [one for one in misfits if not one.state.shortfall]
    if together:
        lightest = min(together, key=lambda one: one.fullest.bytes)
        plan = lightest.space.sketch_at_worst(lightest.state)
        return MemoryLimitError(lack_of_memory(plan, lightest.fullest, enough))
    worst = max(misfits[-1].state.placed.values(), key=lambda priced: priced.cost.work)
    return MemoryLimitError(_too_large(worst) + enough)


def _enough(
    resources: Resources, fullest: PeakWorkers, ways: Sequence[Callable[[Resources], bool]]
) -> str:
    """The memory of workers that would do, in words; nothing where none does."""
    if fullest.device:
        return ""
    times = _times_that_hold(resources, fullest.bytes)
    sizes = [times * MEMORY_GROWTH**n for n in range(ENOUGH_TRIES)] if times else []
    tried = [_with_memory(resources, size) for size in sizes]
    for fits in ways:
        for larger in tried:
            if fits(larger):
                return f"; {_workers(larger)} would do"
    return ""


def _times_that_hold(resources: Resources, needed: int) -> float:
    """By how much the memory of workers must grow to hold so much; 0 where it cannot grow."""

    def holds(times: float) -> bool:
        return _with_memory(resources, times).usable_bytes >= needed

    if 4 * needed > MOST or _with_memory(resources, 2.0).usable_bytes <= resources.usable_bytes:
        return 0.0  # no machine has so much, or a limit of the user's is in force
    least = most = 1.0
    while not holds(most):
        least, most = most, 2 * most
    for _ in range(MEMORY_HALVINGS):
        middle = (least + most) / 2
        least, most = (least, middle) if holds(middle) else (middle, most)
    return MEMORY_ROOM * most


def _with_memory(resources: Resources, times: float) -> Resources:
    """The same workers with so many times the memory, as much as a text says."""

    def larger(memory: int | str) -> int:
        return int(parse_bytes(format_bytes(int(int(memory) * times))))

    groups = [replace(group, memory=larger(group.memory)) for group in resources.kinds]
    if resources.groups:
        return replace(resources, groups=groups)
    return replace(resources, memory=larger(resources.memory))


def _workers(resources: Resources) -> str:
    """Workers by their memory."""
    if resources.groups:
        return str(resources)
    text = "a machine" if resources.local else workers_text(resources.workers, resources.threads)
    each = "" if resources.local or resources.workers == 1 else " each"
    return f"{text} of {format_bytes(int(resources.memory))}{each}"


def _too_large(priced: PricedGroup) -> str:
    """Why a step does not fit, however it is cut."""
    node = priced.group.node
    where = f" ({node.line})" if node.line else ""
    way_out = node.operator.way_out()
    return (
        f"{node.operator.label} {node.type}{where}: its smallest block, "
        f"{largest_box(priced.grid)} of {node.type}, needs {priced.cost.work:,} bytes of memory; "
        f"the limit a task is {priced.limits.most:,}"
        + _large_chunks(priced)
        + (f"; {way_out}" if way_out else "")
    )


def _large_chunks(priced: PricedGroup) -> str:
    """What a step reads whose stored chunks alone are too large."""
    for node in priced.group.members:
        chunks = node.operator.chunks if isinstance(node.operator, Source) else None
        size = prod(chunks or ()) * node.type.dtype.itemsize
        if chunks and size > priced.limits.most:
            where = f" ({node.line})" if node.line else ""
            return f"; it reads an array that is stored in chunks of {size:,} bytes{where}"
    return ""
