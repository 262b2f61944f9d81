"""Retries of requests to stores, as text."""

from __future__ import annotations

from collections.abc import Iterator

from dask_tapestry.io.stores.retries import retries
from dask_tapestry.planner.plan import PlannedGraph
from dask_tapestry.teg.node import topological


def retry_lines(plan: PlannedGraph) -> Iterator[str]:
    """Yield a line for each store of a plan that was asked again, since the process began."""
    retried = retries()
    if not retried:
        return
    store_names = set[str]()
    for node in topological(plan.written.roots):
        source = getattr(node.operator, "location", node.operator)  # stores: imported with one
        store_names |= getattr(source, "retry_names", frozenset()) & set(retried)
    for name in sorted(store_names):
        times = "once" if retried[name].times == 1 else f"{retried[name].times} times"
        yield f"asked again {times}, of {name}: the last time after {retried[name].last}"
