"""Rule on every n-th cell of stored data: chunks that have none of these are not read."""

from __future__ import annotations

from dask_tapestry.operators.views.steps import Steps
from dask_tapestry.operators.views.view import View, ViewAxis
from dask_tapestry.rewrite.rule import on
from dask_tapestry.teg import Node, Source, apply
from dask_tapestry.teg.stored_grid import stored_spacing


@on(View)
def read_in_steps(node: Node) -> Node | None:
    """``x[::n] -> steps(x, n)`` of what is stored in chunks no longer than n."""
    lengths, view, (found,) = _lengths(node), node.operator, node.inputs
    if not lengths:
        return None
    assert isinstance(view, View)
    axes = list(view.axes)
    for axis in lengths:
        dim, start, step = axes[axis]
        count = view.shape[dim]
        first = min(start, start + step * (count - 1))
        found = apply(Steps(axis, first, abs(step), count), found, line=node.line or "")
        axes[axis] = ViewAxis(dim, 0, 1) if step > 0 else ViewAxis(dim, count - 1, -1)
    left = View(view.shape, tuple(axes))
    return found if left.is_identity(found.type.shape) else apply(left, found, line=node.line or "")


def _lengths(node: Node) -> dict[int, int]:
    """The axes of stored data that a view steps along from chunk to chunk, with chunks' lengths."""
    view, (x, *_) = node.operator, node.inputs
    assert isinstance(view, View)
    if not isinstance(x.operator, Source) or x.operator.external:
        return {}
    if max(abs(place.step) for place in view.axes) < 2 or node.type.size == 0:
        return {}
    found = {}
    for axis, (place, chunks) in enumerate(zip(view.axes, stored_spacing(x), strict=True)):
        if place.dim < 0 or chunks is None or view.shape[place.dim] < 2:
            continue
        if abs(place.step) >= max(2, chunks.side):
            found[axis] = chunks.side
    return found
