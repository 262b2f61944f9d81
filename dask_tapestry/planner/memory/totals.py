"""Totals of a plan: the costs of its steps, and its memory."""

from __future__ import annotations

from math import prod

from dask_tapestry.planner.cost.step import PlannedSteps
from dask_tapestry.planner.memory.memory import peak_worker_bytes
from dask_tapestry.planner.memory.resident_values import resident_bytes
from dask_tapestry.planner.memory.result_transfer import gathered
from dask_tapestry.planner.memory.user_resource_peaks import plan_amounts
from dask_tapestry.teg import Node, Sink


def plan_cost(plan: PlannedSteps) -> dict[str, float]:
    """Estimate bytes, seconds and tasks of a plan.

    ``bytes_read`` and ``bytes_written`` count stores, ``bytes_moved`` what goes from worker to
    worker, ``bytes_within_hosts`` what of that stays on a host, ``memory_bytes`` all values held,
    ``peak_worker_bytes`` the most that a worker holds at a time, ``peak_worker_compute`` operations
    of one worker; the wastes are the shares of memory and slots that stay unused. ``result_bytes``
    come to the client of a cluster when results are computed, and take it ``result_seconds`` after
    the last step; ``seconds`` are without them, as results may stay on the workers. ``tasks`` are
    all but those that join the blocks of a result. Resources that users' operators name are added:
    those with limits as what is taken at a time.
    """
    steps = list(plan.steps.values())
    costs = [step.cost for step in steps]
    slots, workers = plan.resources.slots, plan.resources.workers
    total = sum(cost.seconds for cost in costs)
    flops = sum(cost.flops for cost in costs)
    busy = sum(min(cost.blocks * cost.coding, slots) * cost.seconds for cost in costs)
    peak, results = peak_worker_bytes(plan), gathered(plan)
    return plan_amounts(plan) | {
        "seconds": total,
        "compute_seconds": sum(cost.compute for cost in costs),
        "bytes_read": round(sum(cost.read for cost in costs)),
        "bytes_written": round(sum(cost.written for cost in costs)),
        "bytes_moved": round(sum(cost.moved for cost in costs)),
        "bytes_within_hosts": round(sum(step.moved_within_hosts for step in steps)),
        "memory_bytes": sum(resident_bytes(plan).values()),
        "peak_worker_bytes": peak,
        "peak_worker_compute": flops / workers,
        "memory_waste": max(0.0, 1 - peak / plan.resources.memory_bytes),
        "compute_waste": 1 - busy / (total * slots) if total else 0.0,
        "result_bytes": results.bytes,
        "result_seconds": results.seconds,
        "tasks": sum(cost.tasks for cost in costs) + _effect_tasks(plan),
    }


def _effect_tasks(plan: PlannedSteps) -> int:
    """Tasks that make stores ready, complete them, and wait for what comes before an effect."""
    tasks, awaited = 0, set[Node]()
    for node in plan.graph.nodes:
        if node.is_sequence_point:
            tasks += 1
            awaited.update(x for x in node.after if not x.is_sequence_point)
        elif isinstance(node.operator, Sink):
            tasks += 2
    values = [x for x in awaited if not isinstance(x.operator, Sink)]
    grids = [plan.steps[x].cuts if x in plan.steps else x.operator.layout or () for x in values]
    return tasks + sum(prod([c.count for c in grid]) for grid in grids)
