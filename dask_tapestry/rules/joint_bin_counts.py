"""Rule on counts by bin: one pass over the cells that they share computes them all.

It takes whole graphs, as it must know that no count needs another.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import replace

from dask_tapestry.io.sources.numpy_source import NumpySource
from dask_tapestry.operators.cells.field import field
from dask_tapestry.operators.reductions.bincount import BinCount
from dask_tapestry.operators.reductions.joint_bin_counts import JointBinCounts
from dask_tapestry.operators.reductions.joint_reductions import field_name
from dask_tapestry.operators.tuning import CELLS_A_BIN, COUNTED_LEAF_CELLS
from dask_tapestry.operators.views.view import View, ViewAxis
from dask_tapestry.rewrite.driver import rewrite
from dask_tapestry.rewrite.trace import Trace
from dask_tapestry.rules.shared_cells import ranks_of, sharing_cells
from dask_tapestry.rules.tuning import MOST_JOINT_REDUCTIONS
from dask_tapestry.teg import Graph, Node, Source, apply
from dask_tapestry.teg.annotations import joined
from dask_tapestry.teg.node import reapply, written_as
from dask_tapestry.teg.stored_grid import stored_spacing
from dask_tapestry.teg.users_line import said_together
from dask_tapestry.zspace import ZRange


def join_bin_counts(graph: Graph, trace: Trace | None = None) -> Graph:
    """``bincount(x), bincount(y) -> r.f0, r.f1 with r = bincounts(x, y)``, of shared cells."""
    if not any(isinstance(node.operator, BinCount) for node in graph.nodes):
        return graph
    ranks = ranks_of(graph, (BinCount, JointBinCounts))
    alike: dict[tuple[object, ...], list[Node]] = defaultdict(list)
    for node in graph.nodes:
        if isinstance(node.operator, BinCount) and _may_join(node):
            alike[ranks[node], node.input_types[0].shape, _size(node)].append(node)
    joint: dict[Node, Node] = {}
    for nodes in alike.values():
        for sharing in sharing_cells(nodes, MOST_JOINT_REDUCTIONS, _is_known, _chunks_read):
            for group in _of_one_tree(sharing):
                if len(group) > 1 and joined(node.annotations for node in group) is not None:
                    joint |= _joined(group)

    def joint_count(node: Node) -> Node | None:
        return joint.get(node)

    return rewrite(graph, (joint_count,), trace, "joint bin counts", carry=False)


def _may_join(node: Node) -> bool:
    operator = _count(node)
    is_here = node.format is None and not node.after
    return operator.is_whole and is_here and bool(node.type.size and node.input_types[0].size)


def _is_known(node: Node) -> bool:
    """Whether cells are those of an array of the client's: such edges are no reason to join."""
    return isinstance(node.operator, NumpySource)


def _chunks_read(node: Node) -> Hashable:
    """What is read of stored data for a view of it, as of one of its columns; else the node."""
    if not isinstance(node.operator, View) or not isinstance(node.inputs[0].operator, Source):
        return node
    (source,) = node.inputs
    (box,) = node.operator.demand(node.input_types, ZRange.of_shape(node.type.shape))
    sides = [None if chunk is None else chunk.side for chunk in stored_spacing(source)]
    ends = zip(box.lo, box.hi, sides, strict=True)
    return source, tuple([(a, b) if n is None else (a // n, -(-b // n)) for a, b, n in ends])


def _count(node: Node) -> BinCount:
    assert isinstance(node.operator, BinCount)
    return node.operator


def _size(node: Node) -> int:
    """Bins of a table that is longer than usual leaves are worth: others share none as long."""
    count = _count(node).count
    return count if CELLS_A_BIN * count > COUNTED_LEAF_CELLS else 0


def _of_one_tree(nodes: Sequence[Node]) -> list[list[Node]]:
    """Groups of one tree; whole numbers have one sum in any, so they go with the others."""
    weighted = [node for node in nodes if _count(node).state.kind != "i"]
    groups: dict[object, list[Node]] = {}
    for node in weighted:
        groups.setdefault(_count(node).tree, []).append(node)
    counts = [node for node in nodes if node not in set(weighted)]
    found = list(groups.values()) or [[]]
    found[0] += counts
    return found


def _joined(group: Sequence[Node]) -> dict[Node, Node]:
    inputs = list(dict.fromkeys(x for node in group for x in node.inputs))
    tree = _count(group[0]).tree
    parts = tuple([replace(_count(node), tree=tree) for node in group])
    reads = tuple([tuple(inputs.index(x) for x in node.inputs) for node in group])
    with written_as(next((node for node in group if node.line), group[0])):
        line = said_together(node.line for node in group)
        together = apply(JointBinCounts(parts, reads), *inputs, line=line)
    together = reapply(together, inputs, annotations=joined(n.annotations for n in group))
    fields = {}
    for number, node in enumerate(group):
        with written_as(node):
            value = field(together, field_name(number))
            fields[node] = value if node.type.shape == value.type.shape else _first_of(value, node)
    return fields


def _first_of(value: Node, node: Node) -> Node:
    """As many of the first bins of a table as a node has."""
    return apply(View(node.type.shape, (ViewAxis(0, 0, 1),)), value)
