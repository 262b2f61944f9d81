"""Rule on reductions of selected cells: they fold the cells where they lie.

A mask that the client knows selects cells all over an axis, as the days of a month. Of the cells
that it yields, nodes of a reduction have some of several stored chunks, and each chunk some of
several nodes; of cells where they lie, nodes end where chunks do. So each chunk is read once, and
reductions of several selections share a pass.
"""

from __future__ import annotations

from dataclasses import replace

from dask_tapestry.cells import Selected, Tree, identity, selected_by
from dask_tapestry.operators.reductions.reduce import Reduce
from dask_tapestry.operators.reductions.tree_reduction import tree_over
from dask_tapestry.operators.sorting.compress import Compress
from dask_tapestry.rewrite.rule import on
from dask_tapestry.rules.tuning import FEWEST_TOUCHED_CHUNKS
from dask_tapestry.teg import Node, apply


@on(Reduce)
def fold_where_selected(node: Node) -> Node | None:
    """``reduce(compress(x)) -> reduce(x)`` of the selected cells, if chunks have few of them each.

    The mask is known, and selects cells all over the axis: of cells side by side, or of few chunks,
    a reduction reads less.
    """
    match node.operator, *(x.operator for x in node.inputs):
        case Reduce() as whole, Compress() as compress if whole.is_plain:
            (source,) = node.inputs
        case _:
            return None
    mask = compress.mask(source.input_types)
    if mask is None or compress.axis not in whole.axes or node.format is not None:
        return None
    if whole.cells not in (None, identity(source.type.dtype)):
        return None
    selected = selected_by(mask, whole.axes.index(compress.axis))
    tree = tree_over(source.inputs[0], whole.axes)
    if tree.lattice is None or not _is_scattered(tree, selected):
        return None
    made = replace(whole, tree=replace(tree, selected=selected))
    return apply(made, source.inputs[0], line=node.line or "", after=list(node.after))


def _is_scattered(tree: Tree, selected: Selected) -> bool:
    """Whether cells are selected in many cells of the lattice along the axis, all over it."""
    places = selected.places(0, selected.extent)
    if not len(places) or places[-1] - places[0] == len(places) - 1:
        return False
    count, side = tree.counts(0)[selected.axis], tree.sides(0)[selected.axis]
    numbers = (places - tree.offset[selected.axis]) // side
    touched = len(set(numbers.tolist()))
    return touched >= FEWEST_TOUCHED_CHUNKS * count and 2 * (numbers[-1] - numbers[0]) >= count
