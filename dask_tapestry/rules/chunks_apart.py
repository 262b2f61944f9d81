"""Rules on some cells of stored data: chunks that have none of these are not read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dask_tapestry.imports import LateModule
from dask_tapestry.io.sources.numpy_source import constant
from dask_tapestry.operators.indexing.index_ranges import IndexRanges
from dask_tapestry.operators.sorting.compress import Compress
from dask_tapestry.operators.views.steps import Steps
from dask_tapestry.operators.views.view import View, ViewAxis
from dask_tapestry.rewrite.rule import on
from dask_tapestry.rules.chosen_lines import known_places
from dask_tapestry.rules.selections import leave_chunks_out
from dask_tapestry.teg import Node, Source, apply
from dask_tapestry.teg.stored_grid import stored_spacing

if TYPE_CHECKING:
    from dask_tapestry.operators.indexing import take
else:
    take = LateModule("dask_tapestry.operators.indexing.take")


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


@on(Compress)
def take_where_apart(node: Node) -> Node | None:
    """``compress(x) -> take(x)`` of stored data, where many chunks have no cell that is selected.

    The mask is known: its cells are taken by their places, of which a block reads the chunks alone.
    """
    taken = known_places(node)
    if taken is None or not len(taken[1]):
        return None
    (x, _), (axis, places) = node.inputs, taken
    chunks = stored_spacing(x)[axis]
    if chunks is None or not leave_chunks_out(places, chunks, x.type.shape[axis]):
        return None
    found = constant(places)
    return take.take_places(x, [found], [axis], axis, IndexRanges.of([places]))


def _lengths(node: Node) -> dict[int, int]:
    """The axes of stored data that a view steps along from chunk to chunk, with chunks' lengths."""
    view, (x, *_) = node.operator, node.inputs
    assert isinstance(view, View)
    if not isinstance(x.operator, Source) or x.operator.external:
        return {}
    if not node.type.size or node.format is not None or all(-2 < p.step < 2 for p in view.axes):
        return {}
    found = {}
    for axis, (place, chunks) in enumerate(zip(view.axes, stored_spacing(x), strict=True)):
        if place.dim < 0 or chunks is None or view.shape[place.dim] < 2:
            continue
        if abs(place.step) >= max(2, chunks.side):
            found[axis] = chunks.side
    return found
