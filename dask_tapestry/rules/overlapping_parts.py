"""Rule on overlapping parts of a stored array: they are parts of the one part around them.

``x[:600]`` and ``x[400:1000]``, each held for a median, are 1,200 frames of which 1,000 are read.
As parts of ``x[:1000]`` they are held as that, and each frame is read once. It takes whole graphs,
as it must know all readers of an array.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import NamedTuple

from dask_tapestry.operators.views.view import View, ViewAxis
from dask_tapestry.rewrite.driver import rewrite
from dask_tapestry.rewrite.trace import Trace
from dask_tapestry.rules.tuning import MOST_OVERLAPPING_PARTS
from dask_tapestry.teg import Graph, Node, Source, apply
from dask_tapestry.teg.node import written_as


class _Parts(NamedTuple):
    """Views of an array, the spans of its axes that hold their cells, and how many these are."""

    views: tuple[Node, ...]
    spans: tuple[tuple[int, int], ...]
    cells: int

    @property
    def size(self) -> int:
        """Cells of the part around them."""
        return prod([hi - lo for lo, hi in self.spans])

    def with_others(self, others: _Parts) -> _Parts:
        """These and others, in the part around all of them."""
        pairs = zip(self.spans, others.spans, strict=True)
        spans = tuple([(min(a, c), max(b, d)) for (a, b), (c, d) in pairs])
        return _Parts(self.views + others.views, spans, self.cells + others.cells)


def share_overlapping_parts(graph: Graph, trace: Trace | None = None) -> Graph:
    """``view(x), view(x) -> view(y), view(y) with y = view(x)``, where they overlap in x."""
    shared: dict[Node, Node] = {}
    for node in graph.nodes:
        if isinstance(node.operator, Source) and not node.operator.external:
            readers = [] if node in graph.roots else graph.consumers[node]
            for parts in _overlapping(node, readers):
                shared |= _parts_of_one(node, parts)
    if not shared:
        return graph

    def share_overlapping_parts(node: Node) -> Node | None:
        return shared.get(node)

    return rewrite(graph, (share_overlapping_parts,), trace, "overlapping parts", carry=False)


def _overlapping(source: Node, readers: Sequence[Node]) -> list[_Parts]:
    """The parts of a source that overlap, where nobody needs all of it."""
    if not 1 < len(readers) <= MOST_OVERLAPPING_PARTS or source.format is not None:
        return []
    if not all(map(_is_part, readers)):
        return []
    found = list[_Parts]()
    for parts in sorted(map(_part, readers), key=lambda one: one.spans):
        near = [one for one in found if _overlap(one, parts)]
        found = [one for one in found if one not in near]
        for one in near:
            parts = parts.with_others(one)
        found.append(parts)
    most = source.type.size
    return [parts for parts in found if len(parts.views) > 1 and parts.size < most]


def _is_part(node: Node) -> bool:
    said = node.after or node.annotations or node.format is not None
    return isinstance(node.operator, View) and bool(node.type.size) and not said


def _overlap(one: _Parts, other: _Parts) -> bool:
    """Whether the part around both has fewer cells than both together."""
    both = one.with_others(other)
    return both.size < min(one.size, one.cells) + min(other.size, other.cells)


def _part(node: Node) -> _Parts:
    view = node.operator
    assert isinstance(view, View)
    counts = [1 if axis.dim < 0 else view.shape[axis.dim] for axis in view.axes]
    spans = list[tuple[int, int]]()
    for axis, count in zip(view.axes, counts, strict=True):
        last = axis.start + axis.step * (count - 1)
        spans.append((min(axis.start, last), max(axis.start, last) + 1))
    return _Parts((node,), tuple(spans), prod(counts))


def _parts_of_one(source: Node, parts: _Parts) -> dict[Node, Node]:
    """Each of some views as a view of the part around them."""
    shape = tuple([hi - lo for lo, hi in parts.spans])
    axes = tuple([ViewAxis(dim, lo, 1) for dim, (lo, _) in enumerate(parts.spans)])
    around = apply(View(shape, axes), source, line="")
    found = dict[Node, Node]()
    for node in parts.views:
        view = node.operator
        assert isinstance(view, View)
        starts = zip(view.axes, parts.spans, strict=True)
        inside = tuple([axis._replace(start=axis.start - lo) for axis, (lo, _) in starts])
        seen = View(view.shape, inside)
        with written_as(node):
            found[node] = around if seen.is_identity(shape) else apply(seen, around)
    return found
