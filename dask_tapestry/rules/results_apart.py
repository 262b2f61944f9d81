"""Results apart from what steps read: values that are fetched need not be held for their readers.

A result that a step reads is held until that is done, and so to the end where it is fetched in
rounds. Apart from it, what is read may be computed again, or held block by block, as any value.
"""

from __future__ import annotations

from collections.abc import Callable

from dask_tapestry.operators.views.view import View, identity_axes
from dask_tapestry.rewrite.trace import Trace
from dask_tapestry.teg import Graph, Node, Sink, apply
from dask_tapestry.teg.node import written_as

RESULTS_APART = "results apart"


def with_results_apart(
    graph: Graph, is_large: Callable[[Node], bool], trace: Trace | None = None
) -> Graph:
    """``x, f(x) -> view(x), f(x)``: results of which some are large are read by no step.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> x = dt.placeholder((60, 5), "f8")
    >>> graph = Graph([x.node, x.max(axis=0).node])
    >>> print(with_results_apart(graph, lambda node: node.type.nbytes > 100))
    %0 = placeholder() : float64[60, 5]
    %1 = view(%0, [0+1*o0, 0+1*o1]) : float64[60, 5]
    %2 = reduce(%0, max, axes=(0,)) : float64[5]
    return %1, %2
    """
    read = {root for root in results_read(graph) if is_large(root)}
    if not read:
        return graph
    roots = [_apart(root) if root in read else root for root in graph.roots]
    if trace is not None:
        trace.begin(RESULTS_APART, "graph")
        for before, after in zip(graph.roots, roots, strict=True):
            if before is not after:
                trace.record("with_results_apart", before, after)
        trace.record_results(graph.roots, roots)
    return Graph(roots)


def results_read(graph: Graph) -> tuple[Node, ...]:
    """The results that are fetched and that steps read."""
    return tuple(
        [
            root
            for root in dict.fromkeys(graph.roots)
            if not (root.is_sequence_point or isinstance(root.operator, Sink))
            and any(not reader.is_sequence_point for reader in graph.consumers[root])
        ]
    )


def _apart(node: Node) -> Node:
    shape = node.type.shape
    with written_as(node):
        return apply(View(shape, identity_axes(shape)), node, line=node.line)
