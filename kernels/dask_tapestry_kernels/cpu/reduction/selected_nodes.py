"""Nodes of a tree over a lattice that folds selected cells along an axis.

Each cell of the lattice folds the cells that it has of them, gathered, as if there were no others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np

from dask_tapestry_kernels.cpu.reduction.monoids import ARITHMETIC
from dask_tapestry_kernels.cpu.reduction.node_merges import merged_to_levels
from dask_tapestry_kernels.fold_part import FoldPart, globalize, last_level, tells_places
from dask_tapestry_kernels.lattice_cells import Counts, LatticeCell, folded_nodes, node_counts

Block = np.ndarray[Any, Any]
Leaves = Callable[[Sequence[Block], Sequence[FoldPart]], list[Block]]


class SelectedNode(NamedTuple):
    """The state of a node, and how many cells it stands for."""

    state: Block
    cells: int


def selected_apart(
    blocks: Sequence[Block],
    parts: Sequence[FoldPart],
    leaves: Leaves,
    nodes: Callable[[Sequence[Block], Sequence[FoldPart], Leaves], list[Block]],
) -> list[Block]:
    """The nodes, for each part, of which some fold selected cells; `nodes` are those of others."""
    plain = [part for part in parts if part.tree.selected is None]
    others = iter(nodes(blocks, plain, leaves) if plain else ())
    return [
        next(others) if part.tree.selected is None else selected_nodes(blocks, part, leaves)
        for part in parts
    ]


def selected_nodes(blocks: Sequence[Block], part: FoldPart, leaves: Leaves) -> Block:
    """The nodes at the last level of blocks whose reduced axes come first.

    Those without selected cells have any state.
    """
    rank, arithmetic = len(part.axes), ARITHMETIC[part.monoid]

    def fold(cell: LatticeCell) -> SelectedNode | None:
        return _cell_node(blocks, part, cell, leaves)

    def merge(
        left: SelectedNode | None,
        right: SelectedNode | None,
        cells: Counts,  # noqa: ARG001
    ) -> SelectedNode | None:
        if left is None or right is None:
            return left or right
        m, n = (np.asarray(float(node.cells)) for node in (left, right))
        state = arithmetic.combine(left.state, right.state, m, n)
        return SelectedNode(state, left.cells + right.cells)

    last, shape = last_level(part), blocks[0].shape[:rank]
    grid = node_counts(part.tree, last, part.origin, shape)
    nodes = np.zeros((*grid, *blocks[0].shape[rank:]), part.state)
    for place, node in folded_nodes(part.tree, last, part.origin, shape, fold, merge):
        if node is not None:
            nodes[tuple([slice(n, n + 1) for n in place])] = node.state
    return nodes


def _cell_node(
    blocks: Sequence[Block], part: FoldPart, cell: LatticeCell, leaves: Leaves
) -> SelectedNode | None:
    """The node of the selected cells of one cell of the lattice; None if it has none."""
    chosen, rank, cut = part.tree.selected, len(part.axes), cell.cut[part.tree.selected.axis]
    begin = part.origin[chosen.axis]
    places = chosen.places(begin + cut.start, begin + cut.stop)
    if not len(places):
        return None
    extents = list(cell.tree.extents)
    extents[chosen.axis] = len(places)
    tree = part.tree.inner(tuple(extents))
    pieces = [_gathered(block, cell.cut, chosen.axis, places - begin) for block in blocks]
    inner = part._replace(tree=tree, origin=(0,) * rank)
    (states,) = leaves(pieces, [inner])
    root = merged_to_levels(states, ARITHMETIC[part.monoid], tree, range(tree.depth), inner.origin)
    if tells_places(part):
        number, _ = chosen.between(begin + cut.start, begin + cut.stop)
        origin, starts = list(part.origin), list(cell.cut)
        origin[chosen.axis], starts[chosen.axis] = number, slice(0, len(places))
        globalize(root, tree.extents, tuple(starts), tuple(origin), part.tree.folded)
    return SelectedNode(root, prod(extents))


def _gathered(block: Block, cut: tuple[slice, ...], axis: int, places: Block) -> Block:
    """A part of a block with some cells along an axis: a view where they lie side by side."""
    first, count = int(places[0]), len(places)
    if int(places[-1]) - first == count - 1:
        return block[(*cut[:axis], slice(first, first + count), *cut[axis + 1 :])]
    return block[(*cut[:axis], slice(None), *cut[axis + 1 :])].take(places, axis)
