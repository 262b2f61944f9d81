"""Replans for another number of workers than a plan was made for, where that is worth it.

A plan is right on any number of workers. But one for many has small blocks and values in many
parts, one for few has too few blocks to go round; beyond a factor of two that costs more than
planning again. A job that runs is watched by `lower/worker_changes.py`.
"""

from __future__ import annotations

from dataclasses import replace
from logging import getLogger
from typing import Any

from dask_tapestry.planner.build import build_plan
from dask_tapestry.planner.machine.resources import Resources, workers_of
from dask_tapestry.planner.plan import PlannedGraph
from dask_tapestry.planner.tuning import REPLANNED_RATIO, WORTH_REPLANNING_SECONDS


def differs(planned: int, there: int) -> bool:
    """Whether there are more than twice as many workers as planned for, or less than half.

    Examples
    --------
    >>> differs(4, 8), differs(4, 9), differs(9, 4)
    (False, True, True)
    """
    return there > REPLANNED_RATIO * planned or planned > REPLANNED_RATIO * there


def is_worth_it(plan: PlannedGraph, there: Resources) -> bool:
    """Whether a job takes long enough on the workers that are there to be planned for them."""
    return plan.cost["seconds"] * plan.resources.slots / there.slots >= WORTH_REPLANNING_SECONDS


def coming(client: Any, there: int) -> int | None:
    """How many workers the cluster of a client was asked for; None where that is not known."""
    asked = getattr(getattr(client, "cluster", None), "plan", None)
    return None if asked is None else max(len(asked), there)


def as_there(planned: Resources, there: Resources) -> Resources:
    """What is there; of workers that are alike their number alone, all else stays as declared."""
    if planned.groups or there.groups or planned.local:
        return there
    has_store = planned.temporary_store and there.temporary_store
    return replace(planned, workers=there.workers, temporary_store=has_store)


def fitted(plan: PlannedGraph, client: Any) -> PlannedGraph:
    """A plan that is about to run, or one for the workers of `client` if they are others.

    Workers that were asked for and have not come yet are taken to come.
    """
    if client is None or client.asynchronous or not plan.steps:
        return plan
    if plan.cost["seconds"] * plan.resources.slots < WORTH_REPLANNING_SECONDS:
        return plan
    workers = workers_of(client)
    if workers is None or not differs(plan.resources.workers, workers.workers):
        return plan
    if workers.workers < plan.resources.workers:
        expected = coming(client, workers.workers)
        if expected is None or not differs(plan.resources.workers, expected):
            return plan
    return replanned(plan, workers) if is_worth_it(plan, workers) else plan


def replanned(plan: PlannedGraph, there: Resources) -> PlannedGraph:
    """The plan of the same values for the workers that are there; it is told in the log."""
    getLogger(__name__).warning(
        "there are %d workers, not the %d that were planned for: what is left is planned again",
        there.workers,
        plan.resources.workers,
    )
    return build_plan(plan.written.roots, as_there(plan.resources, there))
