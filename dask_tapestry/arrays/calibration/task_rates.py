"""Rates of schedulers: many small blocks, computed and handed on."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

import numpy as np

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.planning.joint_planning import plan
from dask_tapestry.arrays.tuning import BLOCKS_READ, LEAST_TASK_SECONDS, TASK_REPEATS, TIMED_TASKS
from dask_tapestry.planner.machine.resources import Resources


def task_rates(resources: Resources) -> dict[str, float]:
    """Seconds a task, a block that a task reads, and a task that slices, where `resources` say.

    Blocks are of a few cells, in a layout that is given, so that handling them is all there is.
    """
    cells = asarray(np.ones((TIMED_TASKS, 2))) + 1
    parts = cells.rechunk((1, 2))
    few = cells.rechunk((TIMED_TASKS // 10, 2))
    joined = (parts + 1).rechunk((BLOCKS_READ, 2))
    one, ten, read = [_seconds(x, resources) for x in (parts, few, joined)]
    task = max(LEAST_TASK_SECONDS, (one - ten) / (TIMED_TASKS - 10))
    edge = max(LEAST_TASK_SECONDS, (read - one - task * TIMED_TASKS / BLOCKS_READ) / TIMED_TASKS)
    return {"task": task, "edge": edge, "slice": task + edge}


def _seconds(x: Array, resources: Resources) -> float:
    planned = plan(x, resources=resources)
    return least(lambda: planned.compute(), TASK_REPEATS)


def least(run: Callable[[], object], repeats: int) -> float:
    """Least seconds of several runs; the first one, which makes things ready, does not count."""
    run()
    times = []
    for _ in range(repeats):
        start = perf_counter()
        run()
        times.append(perf_counter() - start)
    return min(times)
