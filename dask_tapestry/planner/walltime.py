"""Walltime: plans for workers with a time limit, of which a task takes a part at most.

A task that a time limit ends is computed again elsewhere, so long ones lose much, and one that is
longer than a worker lives never ends.
"""

from __future__ import annotations

from collections.abc import Callable
from math import ceil
from typing import TYPE_CHECKING, Any

import dask.config

from dask_tapestry.amounts import walltime
from dask_tapestry.errors import PlanError
from dask_tapestry.planner.machine.resources import live_client
from dask_tapestry.planner.tuning import WALLTIME_PART, WALLTIME_TRIES
from dask_tapestry.settings import setting

if TYPE_CHECKING:
    from dask_tapestry.planner.cost.step import Step
    from dask_tapestry.planner.plan import PlannedGraph

_looks: list[Callable[[Any], Any]] = []


def knows_lifetime(look: Callable[[Any], Any]) -> None:
    """Have `look` say how long workers of a client's cluster live; None where it is not said."""
    _looks[:] = [look]


def walltime_in_force() -> float | None:
    """Seconds that a worker has: as was set, else as the live cluster starts its workers."""
    given = setting("walltime")
    if given is None:
        client = live_client()
        given = _looks[0](client) if client is not None and _looks else None
    return None if given is None else walltime("walltime", given)


def task_seconds(step: Step) -> float:
    """Seconds that one task of a step is predicted to take."""
    return step.cost.seconds / ceil(step.count / step.machine.slots)


def ending_in_time(plan: PlannedGraph, again: Callable[[], PlannedGraph]) -> PlannedGraph:
    """`plan`, or one with smaller blocks that `again` makes, whose tasks end in time.

    Raises
    ------
    PlanError
        If a task takes too long however small its block is.
    """
    limit = walltime_in_force()
    if limit is None:
        return plan
    for _ in range(WALLTIME_TRIES):
        step = _longest(plan)
        if step is None or task_seconds(step) <= WALLTIME_PART * limit:
            return plan
        aim = max(1, int(0.8 * step.cost.work * WALLTIME_PART * limit / task_seconds(step)))
        with dask.config.set({"tapestry.block-bytes": aim}):
            plan = again()
    step = _longest(plan)
    if step is None or task_seconds(step) <= WALLTIME_PART * limit:
        return plan
    where = f" ({step.node.line})" if step.node.line else ""
    raise PlanError(
        f"tasks_end_in_time: a task of {step.node.operator.label} {step.node.type} is predicted to "
        f"take {task_seconds(step):.3g} s however small its block is; of a walltime of "
        f"{limit:.3g} s it may take {WALLTIME_PART * limit:.3g} s: ask for more time, or see "
        f"dt.plan(x).explain(){where}"
    )


def _longest(plan: PlannedGraph) -> Step | None:
    return max(plan.steps.values(), key=task_seconds, default=None)
