"""Rule on joins of many alike pieces: one formula of joined values, instead of one for each piece.

As anomalies of groups, each less its own mean, or a formula of each of a thousand files. Lines of
one array that are joined are taken from it at once, and cells of a table that are repeated for each
piece are taken from it by the piece.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from dask_tapestry.imports import LateModule
from dask_tapestry.io.sources.numpy_source import constant
from dask_tapestry.operators.indexing.index_ranges import IndexRanges
from dask_tapestry.operators.joins.concat import Concat, concat
from dask_tapestry.operators.views.view import View, ViewAxis
from dask_tapestry.rewrite.rule import Shared, on
from dask_tapestry.rules.common_formulas import CommonFormula, formula_of_all
from dask_tapestry.rules.grouped_lines import Lines, lines_of
from dask_tapestry.rules.tuning import FEWEST_ALIKE_FILES, FEWEST_ALIKE_PIECES
from dask_tapestry.teg import Graph, Node, apply

if TYPE_CHECKING:
    from dask_tapestry.operators.indexing import take
else:
    take = LateModule("dask_tapestry.operators.indexing.take")


def has_many_pieces(graph: Graph) -> bool:
    """Whether a graph has a join of many pieces."""
    return any(
        len(node.inputs) >= FEWEST_ALIKE_PIECES and isinstance(node.operator, Concat)
        for node in graph.nodes
    )


@on(Concat, sharing=True)
def formula_after_join(node: Node, shared: Shared) -> Node | None:
    """``concat(f(x[a], r[0]), f(x[b], r[1]), ...) -> f(x of a, b, ..., r by piece)``, if many.

    Of pieces that are no lines of one array: ``concat(f(x), f(y), ...) -> f(concat(x, y, ...))``.
    """
    match node.operator:
        case Concat(axis) if len(node.inputs) >= FEWEST_ALIKE_PIECES and _may_change(node):
            common = _common(node.inputs, shared)
            made = common and _joined_formulas(node.inputs, axis, common, shared)
            return made if made is not None and made.type == node.type else None
    return None


def _may_change(node: Node) -> bool:
    return not (node.after or node.annotations) and node.format is None


def _common(pieces: Sequence[Node], shared: Shared) -> CommonFormula | None:
    """The formula that pieces have in common, each of which is read here alone."""
    if any(piece in shared or not _may_change(piece) for piece in pieces):
        return None
    return formula_of_all(pieces)


def _joined(pieces: Sequence[Node], axis: int, shared: Shared) -> Node | None:
    """Pieces one after the other, of which not each has a node; None if they are too few."""
    common = _common(pieces, shared)
    if common is not None:
        return _joined_formulas(pieces, axis, common, shared)
    found = _lines(pieces, axis) or _by_piece(pieces, axis)
    if found is not None:
        return found
    return concat(pieces, axis) if len(pieces) >= FEWEST_ALIKE_FILES else None


def _joined_formulas(
    pieces: Sequence[Node], axis: int, common: CommonFormula, shared: Shared
) -> Node | None:
    """The formula of joined inputs, and of numbers that lie along the axis."""
    inputs = []
    for own in zip(*[piece.inputs for piece in pieces], strict=True):
        joined = _joined(own, axis, shared)
        if joined is None:
            return None
        inputs.append(joined)
    lengths = [piece.type.shape[axis] for piece in pieces]
    shape = pieces[0].type.shape
    shown = View((*shape[:axis], sum(lengths), *shape[axis + 1 :]), (ViewAxis(axis, 0, 1),))
    told = [constant(np.repeat(numbers, lengths)) for numbers in common.numbers]
    opened = [apply(shown, numbers, line="") for numbers in told]
    return apply(common.formula, *inputs, *opened, line=pieces[0].line or "")


def _lines(pieces: Sequence[Node], axis: int) -> Node | None:
    """Lines of one array, taken from it at once."""
    each = [lines_of(x, axis) or Lines(x, np.arange(x.type.shape[axis])) for x in pieces]
    whole = each[0].whole
    if any(lines.whole is not whole for lines in each[1:]):
        return None
    places = np.concatenate([lines.places for lines in each])
    steps = np.diff(places)
    if len(places) and (steps == 1).all():
        shape = whole.type.shape
        axes = [ViewAxis(dim, int(places[0]) if dim == axis else 0, 1) for dim in range(len(shape))]
        view = View((*shape[:axis], len(places), *shape[axis + 1 :]), tuple(axes))
        return whole if view.is_identity(shape) else apply(view, whole, line="")
    return take.take_places(whole, [constant(places)], [axis], axis, IndexRanges.of([places]))


def _by_piece(pieces: Sequence[Node], axis: int) -> Node | None:
    """Views that show the same along the axis, of another cell along one axis for each piece."""
    views = [piece.operator for piece in pieces]
    base = pieces[0].inputs[0] if isinstance(views[0], View) else None
    if base is None or not all(
        isinstance(view, View) and not view.runs and piece.inputs[0] is base and _may_change(piece)
        for view, piece in zip(views, pieces, strict=True)
    ):
        return None
    axes = [_still(piece, axis) for piece in pieces]
    if any(one.dim == axis for own in axes for one in own):
        return None
    other = [n for n, own in enumerate(zip(*axes, strict=True)) if len(set(own)) > 1]
    lengths = [piece.type.shape[axis] for piece in pieces]
    shape = pieces[0].type.shape
    whole = (*shape[:axis], sum(lengths), *shape[axis + 1 :])
    shown = list(axes[0])
    if not other:
        return apply(View(whole, tuple(shown)), base, line="")
    (at, *more) = other
    if more or any(own[at].dim >= 0 and shape[own[at].dim] != 1 for own in axes):
        return None
    places = np.repeat([own[at].start for own in axes], lengths)
    taken = take.take_places(base, [constant(places)], [at], at, IndexRanges.of([places]))
    shown[at] = ViewAxis(axis, 0, 1)
    return apply(View(whole, tuple(shown)), taken, line="")


def _still(piece: Node, axis: int) -> list[ViewAxis]:
    """The axes of a view, none of which follows the one along which it shows a single cell."""
    view, (x,) = piece.operator, piece.inputs
    assert isinstance(view, View)
    alone = [view.shape[axis] == 1 or n == 1 for n in x.type.shape]
    return [
        ViewAxis(-1, one.start, 1) if one.dim == axis and still else one
        for one, still in zip(view.axes, alone, strict=True)
    ]


ALIKE_PIECE_RULES = (formula_after_join,)
