"""Rule on order statistics of the same lanes: one operator finds the cells of all their ranks.

As percentiles that are asked for one by one. It takes whole graphs, as it must know all of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from dask_tapestry.imports import LateModule
from dask_tapestry.io.sources.numpy_source import constant
from dask_tapestry.operators.indexing.index_ranges import IndexRanges
from dask_tapestry.operators.sorting.order_statistics import OrderStatistics, ranks
from dask_tapestry.operators.views.view import View, ViewAxis
from dask_tapestry.rewrite.driver import rewrite
from dask_tapestry.rewrite.rule import Rules
from dask_tapestry.rewrite.trace import Trace
from dask_tapestry.rules.views import VIEW_RULES
from dask_tapestry.teg import Graph, Node, apply
from dask_tapestry.teg.node import written_as

if TYPE_CHECKING:
    from dask_tapestry.operators.indexing import take
else:
    take = LateModule("dask_tapestry.operators.indexing.take")


def join_order_statistics(graph: Graph, trace: Trace | None = None) -> Graph:
    """``ranks(x, a), ranks(x, b) -> r[of a], r[of b] with r = ranks(x, a and b)``."""
    same: dict[tuple[Node, int], list[Node]] = defaultdict(list)
    for node in graph.nodes:
        match node.operator:
            case OrderStatistics(axis) if _may_join(node):
                same[node.inputs[0], axis].append(node)
    joint: dict[Node, Node] = {}
    for (x, axis), nodes in same.items():
        if len(nodes) > 1:
            joint |= _joined(x, axis, nodes)
    if not joint:
        return graph

    def joint_ranks(node: Node) -> Node | None:
        return joint.get(node)

    graph = rewrite(graph, (joint_ranks,), trace, "joint order statistics", carry=False)
    return rewrite(graph, Rules(VIEW_RULES), trace, "joint order statistics")


def _may_join(node: Node) -> bool:
    return not (node.after or node.annotations) and node.format is None and node.type.size > 0


def _joined(x: Node, axis: int, nodes: Sequence[Node]) -> dict[Node, Node]:
    """What replaces each that has fewer ranks than all together: its own among those."""
    chosen = dict[Node, tuple[int, ...]]()
    for node in nodes:
        assert isinstance(node.operator, OrderStatistics)
        chosen[node] = node.operator.ranks
    every = sorted({rank for own in chosen.values() for rank in own})
    with written_as(next((node for node in nodes if node.line), nodes[0])):
        found = ranks(x, every, axis)
    replaced = {}
    for node, own in chosen.items():
        if node != found:
            with written_as(node):
                replaced[node] = _some(found, axis, np.searchsorted(every, own))
    return replaced


def _some(found: Node, axis: int, places: np.ndarray[tuple[int, ...], np.dtype[np.int64]]) -> Node:
    """Cells along the axis: a view, where they follow each other."""
    if (np.diff(places) != 1).any():
        return take.take_places(found, [constant(places)], [axis], axis, IndexRanges.of([places]))
    shape = list(found.type.shape)
    shape[axis] = len(places)
    axes = [ViewAxis(dim, 0, 1) for dim in range(len(shape))]
    axes[axis] = ViewAxis(axis, int(places[0]), 1)
    return apply(View(tuple(shape), tuple(axes)), found)
