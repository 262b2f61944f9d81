"""Bound: a plan whose workers would hold more than they may is refused, and why is said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from dask.utils import format_bytes

from dask_tapestry.errors import MemoryLimitError
from dask_tapestry.planner.cost.step import PlannedSteps, Step
from dask_tapestry.planner.machine.resources import Resources
from dask_tapestry.planner.memory.memory import PeakWorkers, fullest_workers
from dask_tapestry.planner.memory.results import ResultMemory, joined_bytes, may_be_fetched
from dask_tapestry.teg import Graph, Node


class _Filled(NamedTuple):
    """A plan whose workers may be filled."""

    steps: Mapping[Node, Step]
    graph: Graph
    resources: Resources


def with_workers_filled(plan: PlannedSteps) -> PlannedSteps:
    """A plan of the same steps, beside which workers may hold all that they can of its results."""
    return _Filled(plan.steps, plan.graph, replace(plan.resources, filled=True))


def peak_memory_is_bounded(
    plan: PlannedSteps, results: ResultMemory = ResultMemory.FETCHED
) -> None:
    """Raise `MemoryLimitError` if a worker would hold more than it may."""
    if results is ResultMemory.FETCHED and holds(plan):
        return
    plan = with_workers_filled(plan)
    fullest = fullest_workers(plan)
    if not fullest.fits:
        raise MemoryLimitError(lack_of_memory(plan, fullest))
    joined, usable = joined_bytes(plan), plan.resources.usable_bytes
    if results is ResultMemory.JOINED and joined > usable:
        raise MemoryLimitError(
            "peak_memory_is_bounded: joining the blocks of the result takes "
            f"{format_bytes(joined)} on one worker, which has {format_bytes(usable)} for it; "
            "x.persist() keeps blocks where they are, dt.to_zarr writes them, and x.compute() or "
            "dt.compute(x) brings them here one by one"
        )


def holds(plan: PlannedSteps) -> bool:
    """Whether workers can hold what a plan holds, whose results are fetched."""
    return may_be_fetched(plan)


def lack_of_memory(plan: PlannedSteps, fullest: PeakWorkers, enough: str = "") -> str:
    """Why the workers of a plan cannot hold it.

    Parameters
    ----------
    fullest
        Those whose memory is fullest.
    enough
        How much memory of a worker would do, if that is known.
    """
    one = f"worker ({fullest.place})" if fullest.place else "worker"
    one = f"{fullest.device} device of a {one}" if fullest.device else one
    return (
        f"peak_memory_is_bounded: the plan needs {format_bytes(fullest.bytes)} on one {one}, "
        f"which has {format_bytes(fullest.usable)} for it; {_way_out(plan, fullest.device)}"
        f"{enough}{_most_taken(plan, fullest.device)}"
    )


def _way_out(plan: PlannedSteps, device: str) -> str:
    """What a user can do for a plan that does not fit."""
    if device:
        return "use devices of more memory or more workers, or write to a store"
    held = plan.resources.held
    first = f"let go of persisted arrays, which hold {held:.0%} of its memory, or " if held else ""
    return first + "give it more memory or more workers, or write to a store"


def _most_taken(plan: PlannedSteps, device: str = "") -> str:
    """The step whose value and blocks take most memory of a worker, with the user's line.

    Of those that a device computes, if one is named; nothing of results that are there already.
    """
    steps = [s for s in plan.steps.values() if s.machine.device == device or not device]
    if not steps:
        return ""

    def bytes_taken(step: Step) -> float:
        together = 1 if step.machine.alone else min(plan.resources.threads, step.count)
        return step.node.type.nbytes / step.machine.hosts + together * step.needs.work

    step = max(steps, key=bytes_taken)
    value, block = format_bytes(step.node.type.nbytes), format_bytes(step.needs.work)
    node = step.node
    where = f" ({node.line})" if node.line else ""
    text = f"{node.operator.name} {node.type}{where}"
    return f"; most is taken by {text}: its value is {value}, and each of its tasks takes {block}"
