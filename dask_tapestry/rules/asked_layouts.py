"""Rule on layouts that were asked for: values that workers cannot hold in those blocks are not.

A program that was written to be cut by hand asks for blocks of long columns before it folds these.
Where a column fits and all of them together do not, its reader may take it from what it is made of.
"""

from __future__ import annotations

from dask_tapestry.operators.layouts.rechunk import Rechunk
from dask_tapestry.teg import Graph, Node

LAYOUT_LEFT = "layout left"


def leave_layout(node: Node) -> Node:
    """``rechunk(x) -> x`` of what only other operators read."""
    return node.inputs[0] if _is_asked(node) else node


def layouts_within(graph: Graph) -> list[Node]:
    """The values whose layout was asked for, without those that are results.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> x = dt.ones((6, 4)).rechunk((6, 1))
    >>> [node.operator.name for node in layouts_within(Graph([x.sum().node]))]
    ['rechunk']
    >>> layouts_within(Graph([x.node]))
    []
    """
    results = frozenset(graph.roots)
    return [node for node in graph.nodes if _is_asked(node) and node not in results]


def _is_asked(node: Node) -> bool:
    held = isinstance(node.operator, Rechunk) and not node.operator.hands_on
    return held and not (node.after or node.annotations)
