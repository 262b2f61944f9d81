"""Overlaps of reduction nodes: whether nodes of two reductions read mostly the same cells.

Reductions of a field and of the same field shifted have trees of as many nodes. If the cells that a
node folds are, in what both are made of, mostly those that the same node of the other one folds,
then a block that computes some nodes of both reads these cells once.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
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
    boxes: dict[Node, list[ZRange]] = defaultdict(list)
    boxes[x].append(ZRange(lo, hi))
    found: dict[Node, ZRange] = {}
    followed = 0
    for node in _readers_first(x):
        own = _hulls(boxes[node])
        followed += len(own)
        if followed > FEW_BOXES:
            return {}
        if not _is_followed(node):
            found |= {node: reduce(ZRange.hull, own)} if own else {}
            continue
        for number, need in (r for box in own for r in node.operator.pieces(node.input_types, box)):
            if not need.is_empty:
                boxes[node.inputs[number]].append(need)
    return found


def _is_followed(node: Node) -> bool:
    return bool(node.inputs) and (node.operator.is_formula or node.operator.is_selector)


def _readers_first(x: Node) -> Iterator[Node]:
    """A value and what formulas and selectors make it of, each behind all that reads it."""
    readers = Counter[Node]()
    seen, stack = {x}, [x]
    while stack:
        node = stack.pop()
        for source in node.inputs if _is_followed(node) else ():
            readers[source] += 1
            if source not in seen:
                seen.add(source)
                stack.append(source)
    stack = [x]
    while stack:
        node = stack.pop()
        yield node
        for source in node.inputs if _is_followed(node) else ():
            readers[source] -= 1
            if not readers[source]:
                stack.append(source)


def _hulls(boxes: Sequence[ZRange]) -> list[ZRange]:
    """The hulls of boxes that have cells in common: in a chain of stencils others multiply."""
    found: list[ZRange] = []
    for box in dict.fromkeys(boxes):
        hull, apart = box, list[ZRange]()
        for other in found:
            if hull.intersection(other).is_empty:
                apart.append(other)
            else:
                hull = hull.hull(other)
        found = [*apart, hull]
    return found
