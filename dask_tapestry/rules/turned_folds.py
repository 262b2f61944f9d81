"""Rule on folds of a turned array: they fold the array as it lies, so that they meet its others.

``x.T.max(1)`` beside ``x.mean(0)`` folds the same cells. As a fold of `x` it may share their pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dask_tapestry.operators.cells.elementwise import Elementwise
from dask_tapestry.operators.reductions.reduce import Reduce
from dask_tapestry.operators.views.permute import permute
from dask_tapestry.operators.views.view import View
from dask_tapestry.rewrite.rule import on
from dask_tapestry.rules.shared_cells import cells_of
from dask_tapestry.rules.tuning import MOST_TURNED_FORMULAS
from dask_tapestry.teg import Graph, Node, apply
from dask_tapestry.teg.node import reapply

Axes = tuple[int, ...]


def has_turned(graph: Graph) -> bool:
    """Whether a graph has arrays whose axes are in another order."""
    return any(turned_axes(node) is not None for node in graph.nodes)


@on(Reduce)
def fold_before_turning(node: Node) -> Node | None:
    """``reduce(f(permute(x), ...)) -> permute(reduce(f(x, ...)))``, if folded axes keep order."""
    operator = node.operator
    if not isinstance(operator, Reduce) or not operator.is_whole or operator.cells is not None:
        return None
    x = node.inputs[0]
    axes = order_of(x)
    folded = [axes[axis] for axis in operator.axes] if axes else []
    if axes is None or folded != sorted(folded):
        return None
    straight = straightened(x, axes, {})
    if straight is None:
        return None
    value = apply(replace(operator, axes=tuple(folded)), straight, line=node.line or "")
    return turned_as_kept(value, [axis for axis in axes if axis not in folded])


def turned_axes(x: Node) -> Axes | None:
    """For each axis of a turned array that of the array that was turned; None if it is none."""
    match x.operator:
        case View(shape=shape, axes=places) if len(places) == len(shape):
            order = [place.dim for place in places]
            whole = all((place.start, place.step) == (0, 1) for place in places)
            turned = order != sorted(order) == [*range(len(shape))]
            if whole and turned and x.inputs[0].type.shape == tuple([shape[d] for d in order]):
                return tuple([order.index(dim) for dim in range(len(shape))])
    return None


def turned_as_kept(value: Node, kept: Sequence[int]) -> Node:
    """A fold, of which dimension i is the i-th least of the `kept` axes, in their given order."""
    order = [sorted(kept).index(axis) for axis in kept]
    return value if order == sorted(order) else permute(value, order)


def order_of(x: Node) -> Axes | None:
    """The one order in which all large cells of a formula are turned; None if there is none."""
    cells = cells_of([x])
    orders = {turned_axes(one) for one in cells if not _is_repeated(one)}
    return orders.pop() if len(orders) == 1 else None


def _is_repeated(x: Node) -> bool:
    """Whether cells are those of a smaller array, each several times."""
    return isinstance(x.operator, View) and x.inputs[0].type.size < x.type.size


def straightened(x: Node, axes: Axes, known: dict[Node, Node]) -> Node | None:
    """The formula of arrays that are not turned, whose axis ``axes[i]`` is its axis i."""
    if x in known:
        return known[x]
    if turned_axes(x) == axes:
        return x.inputs[0]
    if not isinstance(x.operator, Elementwise):
        inverse = [axes.index(axis) for axis in range(len(axes))]
        return permute(x, inverse) if _is_repeated(x) else None
    if len(known) >= MOST_TURNED_FORMULAS:
        return None
    inputs = []
    for one in x.inputs:
        straight = straightened(one, axes, known)
        if straight is None:
            return None
        inputs.append(straight)
    known[x] = reapply(x, inputs)
    return known[x]
