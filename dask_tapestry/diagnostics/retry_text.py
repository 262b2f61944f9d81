"""Retries of requests to stores, as text."""

from __future__ import annotations

from collections.abc import Iterator

from dask_tapestry.io.stores.retries import retries
from dask_tapestry.planner.plan import PlannedGraph
from dask_tapestry.teg.node import topological


def retry_lines(plan: PlannedGraph) -> Iterator[str]:
    """Yield a line for each store of a plan that was asked again, since the process began."""
    known = retries()
    if not known:
        return
    told = set[str]()
    for node in topological(plan.written.roots):
        source = getattr(node.operator, "location", node.operator)  # stores: imported with one
        told |= getattr(source, "retry_names", frozenset()) & set(known)
    for name in sorted(told):
        times = "once" if known[name].times == 1 else f"{known[name].times} times"
        yield f"asked again {times}, of {name}: the last time after {known[name].last}"
