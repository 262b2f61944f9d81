"""Rule on joined sources with gaps: they are made of the one without, where that is read as well.

Reductions fold files of unequal lengths as an array in which each begins with a chunk. Where others
read the same files, as anomalies do, what both read is one value, which may be held.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dask_tapestry.imports import LateModule
from dask_tapestry.io.sources.joined_source import JoinedSource
from dask_tapestry.io.sources.numpy_source import constant
from dask_tapestry.operators.indexing.index_ranges import IndexRanges
from dask_tapestry.rewrite.driver import rewrite
from dask_tapestry.rewrite.trace import Trace
from dask_tapestry.teg import Graph, Node
from dask_tapestry.teg.node import written_as

if TYPE_CHECKING:
    from dask_tapestry.operators.indexing import take
else:
    take = LateModule("dask_tapestry.operators.indexing.take")


def space_what_is_read(graph: Graph, trace: Trace | None = None) -> Graph:
    """``joined source with gaps -> take(joined source)``, if the graph reads this one too."""
    joined = {
        node.operator: node for node in graph.nodes if isinstance(node.operator, JoinedSource)
    }
    made: dict[Node, Node] = {}
    for operator, node in joined.items():
        assert isinstance(operator, JoinedSource)
        if operator.spaced is not None and operator.spaced in joined:
            made[joined[operator.spaced]] = _with_gaps(node, operator, operator.spaced)
    if not made:
        return graph

    def space_what_is_read(node: Node) -> Node | None:
        return made.get(node)

    return rewrite(graph, (space_what_is_read,), trace, "spaced sources", carry=False)


def _with_gaps(node: Node, operator: JoinedSource, spaced: JoinedSource) -> Node:
    """The cells of a source with gaps, each with the cells before it, taken of that without."""
    axis = operator.axis
    near = np.searchsorted(spaced.places, np.arange(spaced.type.shape[axis]), "right") - 1
    assert spaced.chunks is not None
    bounds = IndexRanges.of([near], span=spaced.chunks[axis])
    with written_as(node):
        return take.take_places(node, [constant(near)], [axis], axis, bounds)
