"""Rule on tables in any order that are sorted only to look many cells up in them.

Where both are long, cells and table are brought together by one exchange, whatever order they are
in. It takes whole graphs, as it must know all that reads a sorted table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from dask_tapestry.imports import LateModule
from dask_tapestry.rewrite.driver import rewrite
from dask_tapestry.rewrite.trace import Trace
from dask_tapestry.rules.tuning import LONG_TABLE_CELLS
from dask_tapestry.teg import Graph, Node
from dask_tapestry.teg.node import written_as

if TYPE_CHECKING:
    from dask_tapestry.operators.sorting import among
else:
    among = LateModule("dask_tapestry.operators.sorting.among")

SEARCHES: Final = ("searchsorted", "isin")


def search_unsorted(graph: Graph, trace: Trace | None = None) -> Graph:
    """``isin(x, sort(y)) -> among(x, y)``, where both are long; for searchsorted alike."""
    found: dict[Node, Node] = {}
    for node in graph.nodes:
        if node.operator.name in SEARCHES and _is_sorted_for(node, graph):
            with written_as(node):
                made = among.among_unsorted(node, node.inputs[1].inputs[0])
            if made is not None and made.type == node.type:
                found[node] = made
    if not found:
        return graph

    def in_any_order(node: Node) -> Node | None:
        return found.get(node)

    return rewrite(graph, (in_any_order,), trace, "tables in any order", carry=False)


def _is_sorted_for(node: Node, graph: Graph) -> bool:
    """Whether table and cells of a search are many, and the table is sorted for it alone."""
    table = node.inputs[1]
    bare = not any(one.after or one.annotations or one.format is not None for one in (node, table))
    is_alone = table not in graph.roots and set(graph.consumers[table]) == {node}
    is_long = min(table.type.size, node.type.size) >= LONG_TABLE_CELLS
    is_sorted = table.operator.name == "sort" and node.inputs[0] is not table
    return is_sorted and is_long and is_alone and bare
