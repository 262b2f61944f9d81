"""Chosen lines: a value of some lines of an array as one of all its lines, and which are some.

Days of a season are chosen, formulas are computed of them, they are turned, sliced, and joined with
those of other arrays; and a reduction folds what comes of it. With the same formulas of all days,
and the days that count, it can fold each day where it is stored. Files of unequal lengths are lines
too: of an array in which each begins a whole number of chunks after the one before.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dask_tapestry.imports import LateModule
from dask_tapestry.io.sources.joined_source import JoinedSource
from dask_tapestry.io.sources.numpy_source import constant
from dask_tapestry.operators.cells.elementwise import Elementwise
from dask_tapestry.operators.indexing.index_ranges import IndexRanges
from dask_tapestry.operators.joins.concat import Concat
from dask_tapestry.operators.sorting.compress import Compress
from dask_tapestry.operators.views.reshape import Reshape, reshape
from dask_tapestry.operators.views.view import View, ViewAxis
from dask_tapestry.rules.tuning import MOST_LINE_NODES
from dask_tapestry.teg import Node, Source, apply
from dask_tapestry.teg.node import reapply

if TYPE_CHECKING:
    from dask_tapestry.operators.indexing import take
else:
    take = LateModule("dask_tapestry.operators.indexing.take")

Places = np.ndarray[Any, Any]


class ChosenLines(NamedTuple):
    """Lines along a dimension that were chosen.

    Attributes
    ----------
    whole
        The value of all lines.
    places
        Those that were chosen, ascending.
    """

    whole: Node
    places: Places

    def is_of(self, other: ChosenLines, dim: int) -> bool:
        """Whether as many lines are there, and the same are chosen."""
        same = self.whole.type.shape[dim] == other.whole.type.shape[dim]
        return same and np.array_equal(self.places, other.places)


def chosen_lines(node: Node, dim: int) -> ChosenLines | None:
    """The lines along a dimension of a value, if they are chosen by a known mask or known places.

    None where all are there, and where what was chosen is not known or not ascending.
    """
    return _lines(node, dim, {})


def known_places(node: Node) -> tuple[int, Places] | None:
    """The axis of its first input of which a node takes lines, and which: ascending ones."""
    match node.operator:
        case _ if node.after or node.annotations or node.format is not None:
            return None
        case Compress(axis) as compress:
            mask = compress.mask(node.input_types)
            return None if mask is None else (axis, np.flatnonzero(mask))
        case operator if operator.name == "take":
            assert isinstance(operator, take.Take)
            places = None if operator.bounds is None else operator.bounds.ascending
            lies_there = operator.axes == (operator.at,)
            return None if places is None or not lies_there else (operator.at, places)
    return None


def _lines(
    node: Node, dim: int, known: dict[tuple[Node, int], ChosenLines | None]
) -> ChosenLines | None:
    """... where some were looked for before."""
    if (node, dim) not in known:
        known[node, dim] = None  # until it is known, which also bounds how many are looked at
        is_plain = not (node.after or node.annotations or node.format is not None)
        if is_plain and len(known) <= MOST_LINE_NODES:
            known[node, dim] = _lines_of(node, dim, known)
    return known[node, dim]


def _lines_of(
    node: Node, dim: int, known: dict[tuple[Node, int], ChosenLines | None]
) -> ChosenLines | None:
    taken = known_places(node)
    if taken is not None and taken[0] == dim:
        lines = _lines(node.inputs[0], dim, known)
        if lines is None:
            return ChosenLines(node.inputs[0], taken[1])
        return lines._replace(places=lines.places[taken[1]])
    match node.operator:
        case JoinedSource(axis=axis, spaced=JoinedSource() as spaced) if axis == dim:
            return ChosenLines(apply(spaced, line=node.line or ""), spaced.places)
        case Elementwise():
            return _joined(node, [_lines(x, dim, known) for x in node.inputs], dim)
        case Concat(axis) if axis != dim:
            return _joined(node, [_lines(x, dim, known) for x in node.inputs], dim)
        case Concat():
            return _one_after_the_other(node, [_lines(x, dim, known) for x in node.inputs], dim)
        case View() as view if len(at := [n for n, a in enumerate(view.axes) if a.dim == dim]) == 1:
            lines = _lines(node.inputs[0], at[0], known)
            return None if lines is None else _viewed(view, at[0], lines)
        case Reshape(old, new, None) as kept if (same := _same_axis(old, new, dim)) is not None:
            lines = _lines(node.inputs[0], same, known)
            if lines is None:
                return None
            shape = (*kept.new[:dim], lines.whole.type.shape[same], *kept.new[dim + 1 :])
            return lines._replace(whole=reshape(lines.whole, shape))
        case _ if taken is not None:
            lines = _lines(node.inputs[0], dim, known)
            if lines is None:
                return None
            return lines._replace(whole=reapply(node, [lines.whole, *node.inputs[1:]]))
    return None


def _joined(node: Node, inputs: list[ChosenLines | None], dim: int) -> ChosenLines | None:
    """What a node computes of inputs of the same lines, and of those that can have all of them."""
    chosen = [lines for lines in inputs if lines is not None]
    if not chosen or not all(chosen[0].is_of(lines, dim) for lines in chosen):
        return None
    wholes = [
        with_all_lines(x, dim, chosen[0]) if lines is None else lines.whole
        for x, lines in zip(node.inputs, inputs, strict=True)
    ]
    given = [x for x in wholes if x is not None]
    return chosen[0]._replace(whole=reapply(node, given)) if len(given) == len(wholes) else None


def with_all_lines(x: Node, dim: int, lines: ChosenLines) -> Node | None:
    """A value that is the same in all lines, or a table in memory, as one of all lines.

    Lines that are not chosen have the cells of any.
    """
    extent = lines.whole.type.shape[dim]
    match x.operator:
        case View() as view:
            shape = (*view.shape[:dim], extent, *view.shape[dim + 1 :])
            at = [n for n, axis in enumerate(view.axes) if axis.dim == dim]
            if not at:
                return apply(View(shape, view.axes), *x.inputs, line="")
            (base,) = x.inputs
            follows = len(at) == 1 and view.axes[at[0]] == ViewAxis(dim, 0, 1)
            if follows and base.type.shape[at[0]] == view.shape[dim]:
                table = with_all_lines(base, at[0], lines)
                return None if table is None else apply(View(shape, view.axes), table, line="")
        case Source() as source if source.external:
            numbers = np.searchsorted(lines.places, np.arange(extent), "right") - 1
            near = np.maximum(numbers, 0)  # of lines that are not chosen any line will do
            return take.take_places(x, [constant(near)], [dim], dim, IndexRanges.of([near]))
    return None


def _one_after_the_other(
    node: Node, inputs: list[ChosenLines | None], dim: int
) -> ChosenLines | None:
    """All lines of inputs that are joined along the dimension; of some all may be there."""
    if not any(inputs):
        return None
    wholes, places, start = list[Node](), list[Places](), 0
    for x, lines in zip(node.inputs, inputs, strict=True):
        whole, own = lines or ChosenLines(x, np.arange(x.type.shape[dim]))
        wholes.append(whole)
        places.append(own + start)
        start += whole.type.shape[dim]
    return ChosenLines(reapply(node, wholes), np.concatenate(places))


def _viewed(view: View, axis: int, lines: ChosenLines) -> ChosenLines:
    """The lines that a view shows of those along an axis."""
    dim, start, step = view.axes[axis]
    extent = lines.whole.type.shape[axis]
    seen = lines.places[start + step * np.arange(view.shape[dim])]
    shape = (*view.shape[:dim], extent, *view.shape[dim + 1 :])
    along = ViewAxis(dim, 0, 1) if step > 0 else ViewAxis(dim, extent - 1, -1)
    axes = (*view.axes[:axis], along, *view.axes[axis + 1 :])
    whole, shown = lines.whole, View(shape, axes)
    if not shown.is_identity(whole.type.shape):
        whole = apply(shown, whole, line="")
    return ChosenLines(whole, seen if step > 0 else extent - 1 - seen)


def _same_axis(old: tuple[int, ...], new: tuple[int, ...], dim: int) -> int | None:
    """The axis that a reshape leaves as it is, as a dimension; None where it becomes another."""
    for axis, extent in enumerate(old):
        if extent == new[dim] and prod(old[:axis]) == prod(new[:dim]):
            return axis
    return None
