"""Ample memory: plans that workers can hold though all values were held whole at all times.

Most plans are of so little data that this is all there is to know, and it is known in a tenth of
the time that it takes to find what is held together.
"""

from __future__ import annotations

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
    needs = [step.needs for step in steps]
    total = reserve + sum(step.node.type.nbytes for step in steps if not _is_write(step))
    total += sum(x.type.nbytes for x in {x for s in steps for x in s.inputs if is_external(x)})
    total += sum(root.type.nbytes for root in plan.graph.roots if root not in plan.steps)
    total += kind.threads * max((one.work for one in needs), default=0)
    total += sum(_most_waiting(step) for step in steps if step.machine.workers > 1)
    idle = max((one.used for one in needs), default=0) + max((one.fresh for one in needs), default=0)
    total += min(resources.kept_bytes, kind.threads * idle)
    return total <= resources.usable_bytes


def _is_write(step: Step) -> bool:
    return isinstance(step.node.operator, Sink)


def _most_waiting(step: Step) -> int:
    """Bytes of slices that wait on a worker for all blocks that it computes of a step."""
    return ceil(step.count / step.machine.hosts) * (step.needs.read - step.needs.stored)
