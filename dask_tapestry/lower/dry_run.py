"""Dry runs: what a script would run is planned and reported; nothing is computed or written.

In a dry run a plan is lowered to tasks that are known already: of a write that it has ended, of a
value that is kept on workers a stand-in for each block. So scripts go on behind writes and
`persist` as if these had run. Values cannot be stood in for: who is told of a plan raises there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dask.core import flatten

from dask_tapestry.lower.dask_private import DataNode, HighLevelGraph
from dask_tapestry.lower.dry_run_state import report_plan
from dask_tapestry.lower.graph import Lowered, Lowering
from dask_tapestry.planner.memory.results import ResultMemory
from dask_tapestry.planner.plan import PlannedGraph


class StandInBlock:
    """What a dry run has for a block that would lie on a worker."""


def report_dry_run(plan: PlannedGraph, results: ResultMemory, for_dask: bool) -> Lowered:
    """Tell of a plan, and return layers in which all is done."""
    report_plan(plan, results, for_dask)
    lowered = Lowering(plan, None).lower(results is ResultMemory.JOINED)
    ends = {key for node, key in _ends(plan, lowered)}
    known: dict[Any, Any] = {
        key: DataNode(key, None if key in ends else StandInBlock()) for key in flatten(lowered.keys)
    }
    by_name: dict[str, dict[Any, Any]] = {}
    for key, task in known.items():
        by_name.setdefault(str(key[0] if isinstance(key, tuple) else key), {})[key] = task
    graph = HighLevelGraph(by_name, {name: set() for name in by_name})
    return Lowered(graph, lowered.keys, lowered.layouts)


def _ends(plan: PlannedGraph, lowered: Lowered) -> Iterator[tuple[Any, Any]]:
    """The keys of what has no value: writes, and points in time."""
    for node, keys in zip(plan.graph.roots, lowered.keys, strict=True):
        if plan.is_effect(node):
            for key in flatten([keys]):
                yield node, key
