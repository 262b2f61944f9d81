"""Rules on selected cells: reductions fold them where they lie, and every n-th one is a view.

A mask that the client knows selects cells all over an axis, as the days of a month. Of the cells
that it yields, nodes of a reduction have some of several stored chunks, and each chunk some of
several nodes; of cells where they lie, nodes end where chunks do. So each chunk is read once, and
reductions of several selections share a pass.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

import numpy as np

from dask_tapestry.cells import Selected, Spaced, Tree, selected_by
from dask_tapestry.io.sources.numpy_source import constant
from dask_tapestry.operators.cells.elementwise import astype
from dask_tapestry.operators.cells.where import where
from dask_tapestry.operators.reductions.group_fold import GroupFold, group_tree
from dask_tapestry.operators.reductions.reduce import Reduce
from dask_tapestry.operators.reductions.tree_reduction import tree_over
from dask_tapestry.operators.sorting.compress import Compress
from dask_tapestry.operators.views.view import View, ViewAxis, identity_axes
from dask_tapestry.rewrite.rule import on
from dask_tapestry.rules.chosen_lines import (
    ChosenLines,
    chosen_lines,
    known_places,
    with_all_lines,
)
from dask_tapestry.rules.tuning import FEWEST_TOUCHED_CHUNKS
from dask_tapestry.teg import Node, apply
from dask_tapestry.teg.stored_grid import stored_cuts, stored_spacing


@on(Compress)
def slice_where_regular(node: Node) -> Node | None:
    """``compress(x) -> x[a:b:n]`` where the mask is known and selects every n-th cell."""
    taken = known_places(node)
    if taken is None or len(taken[1]) < 2 or np.ptp(np.diff(taken[1])):
        return None
    (x, _), (axis, places) = node.inputs, taken
    axes = list(identity_axes(x.type.shape))
    axes[axis] = ViewAxis(axis, int(places[0]), int(places[1] - places[0]))
    return apply(View(node.type.shape, tuple(axes)), x, line=node.line or "")


def leave_chunks_out(places: np.ndarray[Any, Any], chunks: Spaced, extent: int) -> bool:
    """Whether half of the chunks along an axis, or more, have none of these cells."""
    side, offset = chunks
    touched = len(np.unique((places - offset) // side))
    return 2 * touched <= -(-(extent - offset) // side)


@on(Reduce)
def fold_where_selected(node: Node) -> Node | None:
    """``reduce(f(compress|take(x))) -> reduce(f(x))`` of the selected cells, if chunks have few.

    The mask is known, or ascending places, and selects cells all over the axis: of cells side by
    side, or of few chunks, a reduction reads less. Formulas and selectors may lie between.
    """
    match node.operator:
        case Reduce() as whole if whole.is_plain and len(node.inputs) == 1 and node.format is None:
            (x,) = node.inputs
        case _:
            return None
    if not any(stored_cuts(x)):
        return None
    for number, axis in enumerate(whole.axes):
        for lines in _chosen(x, axis):
            tree = _folded_there(lines, whole.axes, number)
            if tree is not None:
                made = replace(whole, tree=tree)
                return apply(made, lines.whole, line=node.line or "", after=list(node.after))
    return None


@on(GroupFold)
def fold_groups_where_selected(node: Node) -> Node | None:
    """``groupfold(f(compress|take(x)), codes) -> groupfold(f(x), codes of all)``, likewise.

    Cells that are not selected have a code of no group.
    """
    match node.operator:
        case GroupFold(target=None, axes=axes, labelled=labelled, count=count) as fold:
            x, codes = node.inputs
        case _:
            return None
    if node.format is not None or not any(stored_cuts(x)):
        return None
    for at, axis in enumerate(labelled):
        for lines in _chosen(x, axis):
            if _folded_there(lines, axes, axes.index(axis)) is None:
                continue
            every = with_all_lines(codes, at, lines)
            if every is not None:
                made = replace(fold, tree=group_tree(lines.whole, axes, count))
                inputs = [lines.whole, _codes_of_chosen(every, at, lines)]
                return apply(made, *inputs, line=node.line or "", after=list(node.after))
    return None


def _chosen(x: Node, axis: int) -> Iterator[ChosenLines]:
    """The lines of an array that a value has, then of a part of which it has most."""
    lines = chosen_lines(x, axis)
    if lines is None or not len(lines.places):
        return
    yield lines
    first, end = int(lines.places[0]), int(lines.places[-1]) + 1
    shape = lines.whole.type.shape
    if end - first < min(shape[axis], 2 * len(lines.places)):
        axes = list(identity_axes(shape))
        axes[axis] = ViewAxis(axis, first, 1)
        seen = View((*shape[:axis], end - first, *shape[axis + 1 :]), tuple(axes))
        yield ChosenLines(apply(seen, lines.whole, line=x.line or ""), lines.places - first)


def _codes_of_chosen(codes: Node, dim: int, lines: ChosenLines) -> Node:
    """Codes of all lines along a dimension: of those that are not chosen no group's."""
    mask = np.zeros([n if d == dim else 1 for d, n in enumerate(codes.type.shape)], bool)
    mask.reshape(-1)[lines.places] = True
    return where(constant(mask), astype(codes, np.dtype(np.int64)), -1)


def _folded_there(lines: ChosenLines, axes: tuple[int, ...], number: int) -> Tree | None:
    """The tree of chosen lines where they are stored; None if chunks are better left out."""
    extent = lines.whole.type.shape[axes[number]]
    mask = np.zeros(extent, bool)
    mask[lines.places] = True
    selected, tree = selected_by(mask, number), tree_over(lines.whole, axes)
    if tree.lattice is None or not _is_scattered(tree, selected):
        return None
    own = stored_spacing(lines.whole)[axes[number]]
    reads_others = own is not None and own.side < tree.sides(0)[number]
    if own is not None and reads_others and leave_chunks_out(lines.places, own, extent):
        return None
    return replace(tree, selected=selected)


def _is_scattered(tree: Tree, selected: Selected) -> bool:
    """Whether cells are selected in many cells of the lattice along the axis, all over it."""
    places = selected.places(0, selected.extent)
    if not len(places) or places[-1] - places[0] == len(places) - 1:
        return False
    count, side = tree.counts(0)[selected.axis], tree.sides(0)[selected.axis]
    numbers = (places - tree.offset[selected.axis]) // side
    touched = len(set(numbers.tolist()))
    return touched >= FEWEST_TOUCHED_CHUNKS * count and 2 * (numbers[-1] - numbers[0]) >= count


SELECTION_RULES: Final = (slice_where_regular, fold_where_selected, fold_groups_where_selected)
