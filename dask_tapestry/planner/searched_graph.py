"""The graph that is searched for a plan: what the user wrote, rewritten, for some machines."""

from __future__ import annotations

from functools import partial

from dask_tapestry.planner.machine.resources import Resources
from dask_tapestry.planner.rewriting.passes import simplified
from dask_tapestry.planner.search.plan_spaces import is_large_result, only_in_rounds
from dask_tapestry.rewrite.trace import Trace
from dask_tapestry.rules.results_apart import with_results_apart
from dask_tapestry.teg import Graph


def searched_graph(written: Graph, resources: Resources, trace: Trace) -> Graph:
    """The graph that is searched for a plan.

    Results that machines cannot hold are apart from what steps read of them.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> x = dt.placeholder((10**5, 10**5), "f8")
    >>> written = Graph([x.node, x.max().node])
    >>> for memory in ("1 GiB", "1 TiB"):
    ...     found = searched_graph(written, dt.Resources(2, 2, memory), Trace())
    ...     print([root.operator.name for root in found.roots])
    ['view', 'reduce']
    ['placeholder', 'reduce']
    """
    graph = simplified(written, trace)
    if only_in_rounds(graph, resources):
        graph = with_results_apart(graph, partial(is_large_result, resources), trace)
    return graph
