"""Rule on insert chains, as loops write them that assign one row after the other: they are joins.

A block of a value that was changed a hundred times is copied a hundred times; one of a join has
each cell once, and rules on joins see that rows are alike.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import prod
from typing import NamedTuple

from dask_tapestry.operators.joins.concat import Concat
from dask_tapestry.operators.joins.insert import Insert
from dask_tapestry.operators.joins.mosaic import Mosaic, MosaicAxis
from dask_tapestry.operators.views.view import View, ViewAxis
from dask_tapestry.rewrite.driver import rewrite
from dask_tapestry.rewrite.trace import Trace
from dask_tapestry.rules.tuning import FEWEST_INSERTS, MOST_MOSAIC_PIECES
from dask_tapestry.teg import Graph, Node, Progression, apply


class _Part(NamedTuple):
    """Where a value was inserted, and the value."""

    into: tuple[Progression, ...]
    value: Node


def join_inserts(graph: Graph, trace: Trace | None = None) -> Graph:
    """``insert(insert(x, y, 0:1), z, 1:2)... -> concat(y, z, ..., view(x))``, if many."""
    joined: dict[Node, Node] = {}
    for last in graph.nodes:
        if _is_insert(last) and not _is_changed_on(last, graph):
            base, parts = _chain(last, graph)
            join = _join(base, parts) if len(parts) >= FEWEST_INSERTS else None
            if join is not None and join.type == last.type:
                joined[last] = join
    if not joined:
        return graph

    def joined_inserts(node: Node) -> Node | None:
        return joined.get(node)

    return rewrite(graph, (joined_inserts,), trace, "insert chains", carry=False)


def _is_insert(node: Node) -> bool:
    bare = not (node.after or node.annotations) and node.format is None
    return bare and isinstance(node.operator, Insert)


def _is_changed_on(node: Node, graph: Graph) -> bool:
    """Whether a changed value is only there to be changed once more."""
    readers = graph.consumers[node]
    if len(readers) != 1 or node in graph.roots:
        return False
    (reader,) = readers
    return _is_insert(reader) and reader.inputs[0] is node and reader.inputs[1] is not node


def _chain(last: Node, graph: Graph) -> tuple[Node, list[_Part]]:
    """What was changed first, and all parts of it that were."""
    parts: list[_Part] = []
    node = last
    while node is last or (_is_insert(node) and _is_changed_on(node, graph)):
        assert isinstance(node.operator, Insert)
        parts.append(_Part(node.operator.into, node.inputs[1]))
        node = node.inputs[0]
    return node, parts


def _join(base: Node, parts: Sequence[_Part]) -> Node | None:
    """The parts joined; None where some overlap, or it is no join."""
    if any(part.value.type.dtype != base.type.dtype for part in parts):
        return None
    return _concatenation(base, parts) or _mosaic(base, parts)


def _concatenation(base: Node, parts: Sequence[_Part]) -> Node | None:
    """Parts that lie along one axis, with what is left of the base between them."""
    shape = base.type.shape
    axes = {
        axis
        for into, _ in parts
        for axis, part in enumerate(into)
        if (part.start, part.count) != (0, shape[axis])
    }
    if len(axes) != 1:
        return None
    (axis,) = axes
    if any(into[axis].step != 1 and into[axis].count != 1 for into, _ in parts):
        return None
    pieces = list(_along(base, parts, axis))
    if sum(piece.type.shape[axis] for piece in pieces) != shape[axis]:
        return None
    return apply(Concat(axis), *pieces)


def _along(base: Node, parts: Sequence[_Part], axis: int) -> Iterator[Node]:
    """Parts in the order of an axis, and what the base has before, between and behind them."""
    done = 0
    for into, value in sorted(parts, key=lambda part: part.into[axis].start):
        if into[axis].start > done:
            yield _lines(base, axis, done, into[axis].start)
        if into[axis].count:
            yield value
        done = into[axis].start + into[axis].count
    if done < base.type.shape[axis]:
        yield _lines(base, axis, done, base.type.shape[axis])


def _lines(base: Node, axis: int, lo: int, hi: int) -> Node:
    shape = tuple([hi - lo if dim == axis else n for dim, n in enumerate(base.type.shape)])
    axes = tuple([ViewAxis(dim, lo if dim == axis else 0, 1) for dim in range(len(shape))])
    return apply(View(shape, axes), base)


def _mosaic(base: Node, parts: Sequence[_Part]) -> Node | None:
    """Parts that are all of the value, each cell once."""
    cells = sum(prod(part.count for part in into) for into, _ in parts)
    if len(parts) > MOST_MOSAIC_PIECES or cells != prod(base.type.shape):
        return None
    if not all(_are_apart(one.into, other.into) for one, other in combinations(parts, 2)):
        return None
    places = [tuple([MosaicAxis(p.start, max(1, p.step)) for p in into]) for into, _ in parts]
    return apply(Mosaic(base.type.shape, tuple(places)), *[part.value for part in parts])


def _are_apart(one: Sequence[Progression], other: Sequence[Progression]) -> bool:
    """Whether two regions have no cell in common, as far as one axis tells it."""
    for a, b in zip(one, other, strict=True):
        behind = a.start >= b.start + b.step * (b.count - 1) + 1
        before = b.start >= a.start + a.step * (a.count - 1) + 1
        if behind or before or (a.step == b.step and (a.start - b.start) % max(1, a.step)):
            return True
    return False
