"""Rules on concatenations and mosaics: nested ones become one, views move to their inputs.

So a chain of concatenations and views copies each cell once.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from dask_tapestry.operators.joins.concat import Concat, concat
from dask_tapestry.operators.joins.mosaic import (
    Mosaic,
    MosaicAxes,
    MosaicAxis,
    mosaic,
    visible_cells,
)
from dask_tapestry.operators.views.view import View, ViewAxis
from dask_tapestry.rewrite.rule import on
from dask_tapestry.rules.tuning import MOST_MOSAIC_PIECES
from dask_tapestry.teg import Node, Progression, apply


class MosaicPiece(NamedTuple):
    """A tensor and where its cells lie in the mosaic."""

    tensor: Node
    places: MosaicAxes


@on(Concat)
def flatten_concat(node: Node) -> Node | None:
    """``concat(x, concat(y, z)) -> concat(x, y, z)`` along one axis."""
    match node.operator:
        case Concat() as outer if any(x.operator == outer for x in node.inputs):
            parts = [y for x in node.inputs for y in (x.inputs if x.operator == outer else [x])]
            return apply(outer, *parts, line=node.line or "")
    return None


@on(Concat, Mosaic)
def joins_as_mosaic(node: Node) -> Node | None:
    """``concat|mosaic(x, view(concat|mosaic(y, z))) -> mosaic(x, view(y), view(z))``.

    Also where the inner one is read elsewhere: the outer one copies its part in any case.
    """
    if not any(map(_shows_join, node.inputs)):
        return None
    outer = _pieces(node)
    if outer is None:
        return None
    inner = [_pieces_seen(piece.tensor) for piece in outer]
    if all(pieces is None for pieces in inner):
        return None
    pieces: list[MosaicPiece] = []
    for piece, parts in zip(outer, inner, strict=True):
        if parts is None:
            pieces.append(piece)
            continue
        pieces += [MosaicPiece(x, _composed_axis(piece.places, own)) for x, own in parts]
    if not pieces or len(pieces) > max(MOST_MOSAIC_PIECES, len(outer)):
        return None
    tensors, places = [p.tensor for p in pieces], [p.places for p in pieces]
    return mosaic(tensors, places, node.type.shape, node.line or "")


def _shows_join(x: Node) -> bool:
    """Whether a value is a concatenation or mosaic, or a view of one."""
    operator = x.inputs[0].operator if isinstance(x.operator, View) else x.operator
    return isinstance(operator, Concat | Mosaic)


@on(View)
def view_into_pieces(node: Node) -> Node | None:
    """``view(concat|mosaic(x, y)) -> concat|mosaic(view(x), view(y))``.

    Where each cell is taken once: slices may share cells, so they stay for `push_slices`.
    """
    match node.operator:
        case View() as view if view.reads_once(node.input_types)[0]:
            pieces = _pieces_seen(node) if node.type.size == node.inputs[0].type.size else None
        case _:
            return None
    if not pieces:
        return None
    match node.inputs[0].operator:
        case Concat(axis) if len({p.tensor.type.ndim for p in pieces}) == 1 and (
            (dim := view.axes[axis].dim) >= 0
        ):
            ordered = sorted(pieces, key=lambda piece: piece.places[dim].start)
            seen = concat([piece.tensor for piece in ordered], dim)
        case _:
            tensors, places = [p.tensor for p in pieces], [p.places for p in pieces]
            seen = mosaic(tensors, places, view.shape, node.line or "")
    return seen if seen.type == node.type else None


@on(Mosaic)
def drop_empty_from_mosaic(node: Node) -> Node | None:
    """``mosaic(x, empty) -> mosaic(x)``, ``mosaic(x) -> x``."""
    match node.operator:
        case Mosaic(shape, places) if not all(x.type.size for x in node.inputs):
            return mosaic(node.inputs, places, shape, node.line or "")
        case Mosaic(shape) if len(node.inputs) == 1 and node.inputs[0].type.shape == shape:
            return node.inputs[0]
    return None


@on(Mosaic)
def mosaic_as_concat(node: Node) -> Node | None:
    """``mosaic(x, y) -> concat(x, y)``, where they lie one after the other along one axis."""
    pieces = _pieces(node)
    if pieces is None or not node.type.size:
        return None
    starts = [[place.start for place in piece.places] for piece in pieces]
    apart = [axis for axis, own in enumerate(zip(*starts, strict=True)) if len(set(own)) > 1]
    if len(apart) != 1 or any(map(_is_spread, pieces)):
        return None
    (axis,) = apart
    ordered = sorted(pieces, key=lambda piece: piece.places[axis].start)
    made = concat([piece.tensor for piece in ordered], axis)
    return made if made.type == node.type else None


@on(Concat)
def join_neighbours(node: Node) -> Node | None:
    """``concat(x[a:b], x[b:c]) -> x[a:c]``: a chain of rolls is one roll."""
    match node.operator:
        case Concat(axis) if any(isinstance(x.operator, View) for x in node.inputs[1:]):
            parts = [node.inputs[0]]
            for x in node.inputs[1:]:
                both = _joined(parts[-1], x, axis)
                parts[-1:] = [parts[-1], x] if both is None else [both]
            if len(parts) < len(node.inputs):
                return concat(parts, axis) if len(parts) > 1 else parts[0]
    return None


def _joined(a: Node, b: Node, dim: int) -> Node | None:
    """One view of the cells of two, where those of the second follow along a dimension."""
    match a.operator, b.operator:
        case View() as first, View() as second if a.inputs == b.inputs:
            at = [axis for axis, read in enumerate(first.axes) if read.dim == dim]
        case _:
            return None
    if first.runs or second.runs or len(at) != 1:
        return None
    (axis,) = at
    axis_a, axis_b = first.axes[axis], second.axes[axis]
    count, more = first.shape[dim], second.shape[dim]
    step = axis_a.step if count > 1 else axis_b.step
    follows = axis_b.start == axis_a.start + step * count and axis_b.step in (step, 1 // more)
    axes = [*first.axes[:axis], axis_b, *first.axes[axis + 1 :]]
    if not follows or tuple(axes) != second.axes:
        return None
    axes[axis] = axis_a._replace(step=step)
    shape = [*first.shape[:dim], count + more, *first.shape[dim + 1 :]]
    return _viewed(View(tuple(shape), tuple(axes)), a.inputs[0])


def _is_spread(piece: MosaicPiece) -> bool:
    """Whether cells of other pieces lie between its own."""
    sides = zip(piece.places, piece.tensor.type.shape, strict=True)
    return any(place.step != 1 and n > 1 for place, n in sides)


def _pieces(node: Node) -> list[MosaicPiece] | None:
    """The pieces of a concatenation or mosaic; None for any other node."""
    match node.operator:
        case Mosaic(_, places):
            return [MosaicPiece(x, own) for x, own in zip(node.inputs, places, strict=True)]
        case Concat(axis):
            return _pieces_at(node, axis, _starts(node, axis), 0, len(node.inputs))
    return None


def _starts(node: Node, axis: int) -> list[int]:
    """Where the inputs of a concatenation begin."""
    return list(accumulate([x.type.shape[axis] for x in node.inputs[:-1]], initial=0))


def _pieces_at(
    node: Node, axis: int, starts: Sequence[int], first: int, end: int
) -> list[MosaicPiece]:
    """Some of the inputs of a concatenation."""
    before, behind = (MosaicAxis(0, 1),) * axis, (MosaicAxis(0, 1),) * (node.type.ndim - axis - 1)
    return [
        MosaicPiece(x, (*before, MosaicAxis(start, 1), *behind))
        for x, start in zip(node.inputs[first:end], starts[first:end], strict=True)
    ]


def _pieces_seen(node: Node) -> list[MosaicPiece] | None:
    """The pieces of a concatenation or mosaic, or of a view of one."""
    match node.operator:
        case View() as view if not view.runs and node.type.size:
            pieces = _pieces_near(view, node.inputs[0])
            if pieces is None:
                return None
            seen = [_visible_part(view, piece) for piece in pieces]
            return [piece for piece in seen if piece is not None]
    return _pieces(node)


def _pieces_near(view: View, node: Node) -> list[MosaicPiece] | None:
    """The pieces of a join that a view may show: of a concatenation, those between its ends."""
    match node.operator:
        case Concat(axis):
            dim, start, step = view.axes[axis]
            last = start if dim < 0 else start + step * (view.shape[dim] - 1)
            starts = _starts(node, axis)
            first, end = (bisect(starts, cell) for cell in sorted((start, last)))
            return _pieces_at(node, axis, starts, max(first - 1, 0), end)
    return _pieces(node)


def _visible_part(view: View, piece: MosaicPiece) -> MosaicPiece | None:
    """The part of a piece that a view shows, and where; None if it shows none."""
    sides, axes_seen = list(view.shape), [MosaicAxis(0, 1)] * len(view.shape)
    axes: list[ViewAxis] = []
    shape = piece.tensor.type.shape
    for (dim, start, step), extent, place in zip(view.axes, shape, piece.places, strict=True):
        count = 1 if dim < 0 else view.shape[dim]
        cells, visible = visible_cells(place, extent, Progression.of(start, step, count))
        if not cells.count:
            return None
        if dim < 0:
            axes.append(ViewAxis(-1, cells.start, 1))
            continue
        sides[dim] = cells.count
        if step < 0 and count > 1:
            last = visible.start + visible.step * (cells.count - 1)
            axes_seen[dim] = MosaicAxis(count - 1 - last, visible.step)
            axes.append(ViewAxis(dim, cells.stop - 1, -cells.step))
        else:
            axes_seen[dim] = visible
            axes.append(ViewAxis(dim, cells.start, cells.step))
    return MosaicPiece(_viewed(View(tuple(sides), tuple(axes)), piece.tensor), tuple(axes_seen))


def _viewed(view: View, x: Node) -> Node:
    """``view(x)``, composed with x's own view at once, as chains of joins make many."""
    match x.operator:
        case View() as inner:
            view, x = view.composed_with(inner), x.inputs[0]
    return x if view.is_identity(x.type.shape) else apply(view, x, line="")


def _composed_axis(outer: Sequence[MosaicAxis], inner: Sequence[MosaicAxis]) -> MosaicAxes:
    return tuple(
        MosaicAxis(a.start + a.step * b.start, a.step * b.step)
        for a, b in zip(outer, inner, strict=True)
    )


MOSAIC_RULES = (
    flatten_concat,
    joins_as_mosaic,
    view_into_pieces,
    drop_empty_from_mosaic,
    mosaic_as_concat,
    join_neighbours,
)
