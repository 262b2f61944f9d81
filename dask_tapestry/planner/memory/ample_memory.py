"""Ample memory: plans that workers can hold though all values were held whole at all times.

Most plans are of so little data that this is all there is to know, and it is known in a tenth of
the time that it takes to find what is held together.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil

from dask_tapestry.planner.cost.step import PlannedSteps, Step
from dask_tapestry.planner.fusion.group import is_external
from dask_tapestry.teg import Sink


def is_ample(plan: PlannedSteps, reserve: int = 0) -> bool:
    """Whether no worker can hold more than it may, if some bytes are held in reserve.

    Of workers that are not alike or have devices nothing is said: False.
    """
    resources, steps = plan.resources, plan.steps.values()
    if resources.groups or any(step.machine.device for step in steps):
        return False
    (kind,) = resources.kinds
    work, used, fresh = _largest_needs(steps)
    total = reserve + sum(step.node.type.nbytes for step in steps if not _is_write(step))
    total += sum(x.type.nbytes for x in {x for s in steps for x in s.inputs if is_external(x)})
    total += sum(root.type.nbytes for root in plan.graph.roots if root not in plan.steps)
    total += kind.threads * work + min(resources.kept_bytes, kind.threads * (used + fresh))
    total += sum(_most_waiting(step) for step in steps if step.machine.workers > 1)
    return total <= resources.usable_bytes


def _largest_needs(steps: Iterable[Step]) -> tuple[int, int, int]:
    """Bytes that a block of any step takes at most: in all, used again, and fresh."""
    work = used = fresh = 0
    for step in steps:
        needs = step.needs
        work, used, fresh = max(work, needs.work), max(used, needs.used), max(fresh, needs.fresh)
    return work, used, fresh


def _is_write(step: Step) -> bool:
    return isinstance(step.node.operator, Sink)


def _most_waiting(step: Step) -> int:
    """Bytes of slices that wait on a worker for all blocks that it computes of a step."""
    return ceil(step.count / step.machine.hosts) * (step.needs.read - step.needs.stored)
