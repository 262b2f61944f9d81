"""Overlaps of reduction nodes: whether nodes of two reductions read mostly the same cells.

Reductions of a field and of the same field shifted have trees of as many nodes. If the cells that a
node folds are, in what both are made of, mostly those that the same node of the other one folds,
then a block that computes some nodes of both reads these cells once.
"""

from __future__ import annotations

from collections import defaultdict
from functools import reduce

from dask_tapestry.operators.reductions.reduce import Reduce
from dask_tapestry.rules.tuning import FEW_BOXES, SHARED_CELLS
from dask_tapestry.teg import Node
from dask_tapestry.zspace import ZRange


def are_neighbours(one: Node, other: Node) -> bool:
    """Whether the nodes of two reductions lie on cells that both read, first ones and last ones."""
    operator = one.operator
    assert isinstance(operator, Reduce)
    last = [n - 1 for n in operator.tree.counts(0)]
    return all(_ranges_touch(one, other, place) for place in ([n // 2 for n in last], last))


def _ranges_touch(one: Node, other: Node, place: list[int]) -> bool:
    mine, theirs = _cells_of_node(one, place), _cells_of_node(other, place)
    shared = [x for x in mine if x in theirs]
    return any(
        mine[x].intersection(theirs[x]).size >= SHARED_CELLS * min(mine[x].size, theirs[x].size)
        for x in shared
    )


def _cells_of_node(reduction: Node, place: list[int]) -> dict[Node, ZRange]:
    """The hulls of cells that a node at level 0 is made of, of what no formula or selector makes.

    Empty where there are too many boxes to follow.
    """
    operator, x = reduction.operator, reduction.inputs[0]
    assert isinstance(operator, Reduce)
    lo, hi = [0] * x.type.ndim, list(x.type.shape)
    for number, (axis, at) in enumerate(zip(operator.axes, place, strict=True)):
        lo[axis], hi[axis] = operator.tree.span(0, number, at)
    boxes_by_node: dict[Node, list[ZRange]] = defaultdict(list)
    first = (x, ZRange(lo, hi))
    visited, stack = {first}, [first]
    while stack:
        node, box = stack.pop()
        if not (node.operator.is_formula or node.operator.is_selector) or not node.inputs:
            boxes_by_node[node].append(box)
            continue
        reads = node.operator.pieces(node.input_types, box)
        more = {
            (node.inputs[number], need) for number, need in reads if not need.is_empty
        } - visited
        visited |= more
        if len(visited) > FEW_BOXES:
            return {}
        stack.extend(more)
    return {node: reduce(ZRange.hull, boxes) for node, boxes in boxes_by_node.items()}
