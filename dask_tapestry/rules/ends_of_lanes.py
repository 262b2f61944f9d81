"""Rule on sorted lanes of which only an end is read: it is chosen from the ends of runs.

As the nearest neighbours of points, which need no order of all others. It takes whole graphs, as it
must know all that reads a sorted value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from dask_tapestry.imports import LateModule
from dask_tapestry.operators.views.rename import rename
from dask_tapestry.operators.views.view import View
from dask_tapestry.rewrite.driver import rewrite
from dask_tapestry.rewrite.trace import Trace
from dask_tapestry.teg import Graph, Node, apply
from dask_tapestry.teg.node import written_as

if TYPE_CHECKING:
    from dask_tapestry.operators.sorting import topk
else:
    topk = LateModule("dask_tapestry.operators.sorting.topk")

SORTS: Final = ("sort", "argsort")


def take_ends_of_lanes(graph: Graph, trace: Trace | None = None) -> Graph:
    """``sort(x)[:k] -> sort(firsts of runs of x)[:k]``; for argsort alike."""
    ends: dict[Node, Node] = {}
    for node in graph.nodes:
        if node.operator.name in SORTS and _may_be_cut(node) and node not in graph.roots:
            ends |= _ends_read(node, graph.consumers[node])
    if not ends:
        return graph

    def end_of_lane(node: Node) -> Node | None:
        return ends.get(node)

    return rewrite(graph, (end_of_lane,), trace, "ends of lanes", carry=False)


def _may_be_cut(node: Node) -> bool:
    bare = not (node.after or node.annotations) and node.format is None
    return bare and node.type.size > 0 and not node.type.dtype.hasobject


def _ends_read(node: Node, readers: Sequence[Node]) -> dict[Node, Node]:
    """What replaces each view of a sorted value, if all show one end of its lanes."""
    whole, (x,) = node.operator, node.inputs
    axis: int = whole.axis  # type: ignore[attr-defined]
    extent, places = node.type.shape[axis], whole.name == "argsort"
    spans = [_cells_shown(reader, axis) for reader in readers]
    known = [span for span in spans if span is not None]
    if not known or len(known) < len(spans):
        return {}
    first, end = min(lo for lo, _ in known), max(hi for _, hi in known)
    last = extent - first < end
    keep = extent - first if last else end
    with written_as(node):
        found = topk.sorted_end(x, axis, keep, last, places)
    if found is None:
        return {}
    return {reader: _shown(reader, axis, found, extent - keep if last else 0) for reader in readers}


def _cells_shown(reader: Node, axis: int) -> tuple[int, int] | None:
    """From where to where a view shows cells of an axis; None for no view, or one of no cells."""
    if not isinstance(reader.operator, View) or not reader.type.size:
        return None
    dim, start, step = reader.operator.axes[axis]
    other = start if dim < 0 else start + step * (reader.type.shape[dim] - 1)
    return min(start, other), max(start, other) + 1


def _shown(reader: Node, axis: int, found: Node, before: int) -> Node:
    """A view of the end of lanes, which begin so many cells before it."""
    view = reader.operator
    assert isinstance(view, View)
    axes = list(view.axes)
    axes[axis] = axes[axis]._replace(start=axes[axis].start - before)
    shown = apply(replace(view, axes=tuple(axes)), found, line=reader.line or "")
    return shown if shown.type == reader.type else rename(shown, reader.type.dims or ())
