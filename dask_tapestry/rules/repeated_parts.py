"""Rule on repeated parts: few cells of stored data that meet all others are a value of their own.

``x - x[0]`` is as large as x, but all that it needs of ``x[0]`` lies in a few chunks. As one view,
which repeats these cells, they are read in every block; as a value they may be read once and held.
"""

from __future__ import annotations

from math import prod

from dask_tapestry.operators.views.view import View, ViewAxis
from dask_tapestry.rewrite.rule import on
from dask_tapestry.rules.tuning import FEW_OF_CELLS
from dask_tapestry.teg import Node, apply
from dask_tapestry.teg.stored_grid import stored_cuts


@on(View)
def part_before_repeats(node: Node) -> Node | None:
    """``view(x) -> view(part)``, where ``part = view(x)`` has each of few stored cells once."""
    view, (x,) = node.operator, node.inputs
    assert isinstance(view, View)
    kept = [dim for dim in range(len(view.shape)) if dim not in view.broadcast]
    shape = tuple([view.shape[dim] for dim in kept])
    if prod(shape) * FEW_OF_CELLS > min(node.type.size, x.type.size) or not any(stored_cuts(x)):
        return None
    place = {dim: at for at, dim in enumerate(kept)}
    axes = [axis._replace(dim=place.get(axis.dim, -1)) for axis in view.axes]
    part = apply(View(shape, tuple(axes)), x, line=node.line or "")
    repeats = View(view.shape, tuple([ViewAxis(dim, 0, 1) for dim in kept]))
    return apply(repeats, part, line=node.line or "")
