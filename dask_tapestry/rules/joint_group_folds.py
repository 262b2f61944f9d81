"""Rule on folds by the same labels: one pass computes them all.

It takes whole graphs, as it must know that no fold needs another.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from math import prod

from dask_tapestry.cells import Tree
from dask_tapestry.io.sources.numpy_source import NumpySource
from dask_tapestry.operators.cells.field import field
from dask_tapestry.operators.reductions.group_fold import GroupFold
from dask_tapestry.operators.reductions.joint_group_folds import JointGroupFolds
from dask_tapestry.operators.reductions.joint_reductions import field_name
from dask_tapestry.operators.views.view import View, ViewAxis
from dask_tapestry.rewrite.driver import rewrite
from dask_tapestry.rewrite.trace import Trace
from dask_tapestry.rules.shared_cells import ranks_of, sharing_cells
from dask_tapestry.rules.tuning import MOST_JOINT_REDUCTIONS, REPEATED_TABLE
from dask_tapestry.teg import Graph, Node, apply
from dask_tapestry.teg.annotations import joined
from dask_tapestry.teg.node import reapply, written_as
from dask_tapestry.teg.users_line import said_together


def join_group_folds(graph: Graph, trace: Trace | None = None) -> Graph:
    """``f(x, labels), g(y, labels) -> r.f0, r.f1 with r = (f, g)(x, y, labels)``."""
    if not any(isinstance(node.operator, GroupFold) for node in graph.nodes):
        return graph
    ranks = ranks_of(graph, (GroupFold, JointGroupFolds))
    alike: dict[tuple[object, ...], list[Node]] = defaultdict(list)
    for node in graph.nodes:
        operator = node.operator
        if isinstance(operator, GroupFold) and _may_join(node):
            places = tuple([operator.axes.index(axis) for axis in operator.labelled])
            same = (ranks[node], operator.count, places, operator.tree.extents)
            alike[(node.inputs[1], *same)].append(node)
    joint: dict[Node, Node] = {}
    for nodes in alike.values():
        for sharing in sharing_cells(nodes, MOST_JOINT_REDUCTIONS, _is_known):
            group = _of_one_pass(sharing)
            if len(group) > 1 and joined(node.annotations for node in group) is not None:
                joint |= _joined(group)

    def joint_fold(node: Node) -> Node | None:
        return joint.get(node)

    return rewrite(graph, (joint_fold,), trace, "joint group folds", carry=False)


def _may_join(node: Node) -> bool:
    operator = node.operator
    assert isinstance(operator, GroupFold)
    return operator.is_whole and node.format is None and not node.after and bool(node.type.size)


def _is_known(node: Node) -> bool:
    """Whether cells are those of an array of the client's: such labels are no reason to join."""
    return isinstance(node.operator, NumpySource)


def _fold(node: Node) -> GroupFold:
    assert isinstance(node.operator, GroupFold)
    return node.operator


def _of_one_pass(nodes: Sequence[Node]) -> list[Node]:
    """Those of which the nodes of all lie where those of the one with most cells do, it first."""
    first = max(nodes, key=lambda node: node.input_types[0].size)
    return [first, *[node for node in nodes if node is not first and _fits(node, first)]]


def _fits(node: Node, first: Node) -> bool:
    one, whole, types = _fold(node), _fold(first), first.input_types
    if node.input_types[0].shape == types[0].shape:
        same = one.axes == whole.axes
    else:
        leaf = prod(whole.tree.sides(0)) * types[0].dtype.itemsize
        same = len(one.axes) == node.input_types[0].ndim
        same = same and one.count * one.state.itemsize <= REPEATED_TABLE * leaf
    return same and (_alike(one.tree, whole.tree) or _is_exact(one))


def _alike(one: Tree, other: Tree) -> bool:
    """Whether nodes of two trees over axes of the same extents lie in the same places."""
    return one.offset == other.offset and one.sides(0) == other.sides(0)


def _is_exact(fold: GroupFold) -> bool:
    """Whether any tree yields the same bits: integers and truth values, which are not rounded."""
    return fold.state.kind in "biu"


def _joined(group: Sequence[Node]) -> dict[Node, Node]:
    first = _fold(group[0])
    parts, inputs = [], [*[node.inputs[0] for node in group], group[0].inputs[1]]
    for fold in map(_fold, group):
        alike = _alike(fold.tree, first.tree)
        parts.append(fold if alike else replace(fold, tree=first.tree))
    with written_as(next((node for node in group if node.line), group[0])):
        line = said_together(node.line for node in group)
        together = apply(JointGroupFolds(tuple(parts)), *inputs, line=line)
    together = reapply(together, inputs, annotations=joined(n.annotations for n in group))
    kept = [a for a in range(group[0].input_types[0].ndim) if a not in first.axes]
    fields = {}
    for number, node in enumerate(group):
        with written_as(node):
            value = field(together, field_name(number))
            fields[node] = value if node.type.ndim == value.type.ndim else _one_of(value, len(kept))
    return fields


def _one_of(value: Node, repeated: int) -> Node:
    """The first of equal rows along the leading axes."""
    axes = [ViewAxis(-1, 0, 1)] * repeated
    axes += [ViewAxis(dim, 0, 1) for dim in range(value.type.ndim - repeated)]
    return apply(View(value.type.shape[repeated:], tuple(axes)), value)
