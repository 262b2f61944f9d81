"""Cost of a plan: estimates by resource, from the steps' needs.

A first, simple model: each resource is summed over blocks and spread over the workers evenly, and a
step's time is that of its busiest resource.
"""

from __future__ import annotations

from math import prod

from dask_tapestry.plan.machine import (
    FLOPS_A_SECOND,
    MEMORY_BYTES_A_SECOND,
    SECONDS_A_TASK,
)
from dask_tapestry.plan.memory import peak_worker_bytes, resident_bytes
from dask_tapestry.plan.step import PlannedSteps, Step
from dask_tapestry.teg import Sink
from dask_tapestry.zspace import ZRange


def plan_cost(plan: PlannedSteps) -> dict[str, float]:
    """Estimate bytes, seconds and tasks of a plan.

    ``bytes_read`` and ``bytes_written`` count stores, ``bytes_moved`` values that go from step to
    step, ``memory_bytes`` all values held, ``peak_worker_bytes`` the most that a worker holds
    at a time, ``peak_worker_compute`` operations of one worker; the wastes are the shares of memory
    and slots that stay unused. Resources that users' operators name are added.
    """
    steps = list(plan.steps.values())
    slots, workers = plan.resources.slots, plan.resources.workers
    seconds = [_step_seconds(step, plan) for step in steps]
    flops = sum(step.needs.flops * _blocks(step) for step in steps)
    peak = peak_worker_bytes(plan)
    busy = sum(min(step.count, slots) * s for step, s in zip(steps, seconds, strict=True))
    total = sum(seconds)
    return _own_costs(steps) | {
        "seconds": total + sum(step.count for step in steps) * SECONDS_A_TASK,
        "compute_seconds": flops / FLOPS_A_SECOND / slots,
        "bytes_read": round(sum(_stored(step) for step in steps)),
        "bytes_written": sum(
            s.node.type.nbytes for s in steps if isinstance(s.node.operator, Sink)
        ),
        "bytes_moved": round(
            sum((step.needs.read - step.needs.stored) * _blocks(step) for step in steps)
        ),
        "memory_bytes": sum(resident_bytes(step, plan) for step in steps),
        "peak_worker_bytes": peak,
        "peak_worker_compute": flops / workers,
        "memory_waste": max(0.0, 1 - peak / plan.resources.memory_bytes),
        "compute_waste": 1 - busy / (total * slots) if total else 0.0,
        "tasks": sum(step.count for step in steps),
    }


def _own_costs(steps: list[Step]) -> dict[str, float]:
    """Totals of the resources that operators name themselves."""
    totals: dict[str, float] = {}
    for step in steps:
        largest = ZRange((0,) * len(step.cuts), tuple(c.longest for c in step.cuts))
        for work in step.program.schedule(largest).works:
            instruction = step.program.instructions[work.value - len(step.program.inputs)]
            costs = instruction.operator.own_costs(instruction.types, work.box)
            for name, amount in costs.items():
                totals[name] = totals.get(name, 0) + amount * _blocks(step)
    return totals


def _blocks(step: Step) -> float:
    """Number of blocks; a clipped one counts by its share of a full one."""
    largest = prod(c.longest for c in step.cuts)
    return step.node.type.size / largest if largest else step.count


def _stored(step: Step) -> float:
    return step.needs.stored * _blocks(step)


def _step_seconds(step: Step, plan: PlannedSteps) -> float:
    parallel = min(plan.resources.slots, step.count)
    written = step.node.type.nbytes if isinstance(step.node.operator, Sink) else 0
    blocks = _blocks(step)
    compute = step.needs.flops * blocks / FLOPS_A_SECOND / parallel
    memory = (step.needs.work + step.needs.read) * blocks / MEMORY_BYTES_A_SECOND / parallel
    carried = (_stored(step) + written) / int(plan.resources.bandwidth)
    return max(compute, memory, carried / min(plan.resources.workers, parallel))
