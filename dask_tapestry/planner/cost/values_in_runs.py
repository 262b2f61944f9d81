"""Values in runs: those of a plan of whose blocks a worker has some that follow each other."""

from __future__ import annotations

from dask_tapestry.planner.access.worker_runs import keeps_runs
from dask_tapestry.planner.cost.step import PlannedSteps
from dask_tapestry.planner.fusion.group import lies_in_runs
from dask_tapestry.teg import Node, Sink


def values_in_runs(plan: PlannedSteps) -> set[Node]:
    """The values that lie in runs: given ones, and those that are computed where such ones lie.

    Examples
    --------
    >>> import numpy as np
    >>> import dask_tapestry as dt
    >>> x = dt.asarray(np.ones((4000, 1000)))
    >>> workers = dt.Resources(workers=2, threads=1, local=False)
    >>> plans = [(x + 1).plan(resources=workers), dt.ones((4000, 1000)).plan(resources=workers)]
    >>> [plan.core.graph.roots[0] in values_in_runs(plan.core) for plan in plans]
    [True, False]
    """
    workers = plan.resources.workers
    found = {node for node in plan.graph.nodes if lies_in_runs(node)}
    for node, step in plan.steps.items():
        in_runs = tuple([x in found for x in step.inputs])
        if workers == 1 or not any(in_runs) or isinstance(node.operator, Sink):
            continue
        if keeps_runs(step.program, step.cuts, tuple(step.held), in_runs, workers):
            found.add(node)
    return found
