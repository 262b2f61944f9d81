"""Nodes of a tree over a lattice that folds selected cells along an axis.

Each cell of the lattice folds the cells that it has of them, gathered, as if there were no others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from math import prod
from typing import Any, NamedTuple

import numpy as np

from dask_tapestry_kernels.cpu.reduction.monoids import ARITHMETIC
from dask_tapestry_kernels.cpu.reduction.node_merges import merged_to_levels
from dask_tapestry_kernels.fold_part import FoldPart, globalize, last_level, tells_places
from dask_tapestry_kernels.lattice_cells import (
    LatticeCell,
    Place,
    joined_nodes,
    lattice_cell,
    node_counts,
    node_numbers,
)

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
    gathering = Gathering()
    return [
        next(others)
        if part.tree.selected is None
        else selected_nodes(blocks, part, leaves, gathering)
        for part in parts
    ]


def selected_nodes(
    blocks: Sequence[Block], part: FoldPart, leaves: Leaves, gathering: Gathering
) -> Block:
    """The nodes at the last level of blocks whose reduced axes come first.

    Those without selected cells have any state.
    """
    rank, tree, combine = len(part.axes), part.tree, ARITHMETIC[part.monoid].combine
    last, axis, block = last_level(part), tree.selected.axis, blocks[0]
    spans = part.spans or [(a, a + n) for a, n in zip(part.origin, block.shape, strict=False)]
    counts = [tree.selected_counts(level) for level in range(last + 1)]

    # A function that named itself would keep the blocks until garbage is collected.
    def node(level: int, number: Place, node: Any) -> SelectedNode | None:
        if not counts[level][number[axis]]:
            return None
        if level == 0:
            cell = lattice_cell(tree, part.origin, number)
            return _cell_node(blocks, part, cell, leaves, gathering)
        before = joined_nodes(tree, level, number)
        found: list[SelectedNode | None] = [node(level - 1, one, node) for one in before]
        first, *others = [one for one in found if one is not None]
        if not others:
            return first
        (other,) = others
        m, n = (np.asarray(float(one.cells)) for one in (first, other))
        state = combine(first.state, other.state, m, n)
        return SelectedNode(state, first.cells + other.cells)

    origin, shape = [low for low, _ in spans], [high - low for low, high in spans]
    begin, grid = node_numbers(tree, last, origin), node_counts(tree, last, origin, shape)
    nodes = np.zeros((*grid, *block.shape[rank:]), part.state)
    for place in product(*map(range, grid)):
        made = node(last, tuple([a + b for a, b in zip(begin, place, strict=True)]), node)
        if made is not None:
            nodes[tuple([slice(n, n + 1) for n in place])] = made.state
    return nodes


def _cell_node(
    blocks: Sequence[Block],
    part: FoldPart,
    cell: LatticeCell,
    leaves: Leaves,
    gathering: Gathering,
) -> SelectedNode:
    """The node of the selected cells of one cell of the lattice, which has some."""
    chosen, rank = part.tree.selected, len(part.axes)
    axis, begin, cut = chosen.axis, part.origin[chosen.axis], list(cell.cut)
    number, end = chosen.between(begin + cut[axis].start, begin + cut[axis].stop)
    places = chosen.places(begin + cut[axis].start, begin + cut[axis].stop) - begin
    extents = [*cell.tree.extents[:axis], end - number, *cell.tree.extents[axis + 1 :]]
    tree = part.tree.inner(tuple(extents))
    cut[axis] = slice(int(places[0]), int(places[-1]) + 1)
    pieces = [
        gathering.cells(number, block[tuple(cut)], axis, places - places[0])
        for number, block in enumerate(blocks)
    ]
    inner = part._replace(tree=tree, origin=(0,) * rank)
    (states,) = leaves(pieces, [inner])
    root = merged_to_levels(states, ARITHMETIC[part.monoid], tree, range(tree.depth), inner.origin)
    if tells_places(part):
        origin, starts = list(part.origin), list(cell.cut)
        origin[axis], starts[axis] = number, slice(0, len(places))
        globalize(root, tree.extents, tuple(starts), tuple(origin), part.tree.folded)
    return SelectedNode(root, prod(extents))


class Gathering:
    """Memory in which selected cells are gathered, of one block after the other.

    A fresh array for each cell of the lattice would be as many pages that the system hands out,
    which takes longer than to copy the cells.
    """

    def __init__(self) -> None:
        self._held: dict[int, Block] = {}

    def cells(self, number: int, block: Block, axis: int, places: Block) -> Block:
        """Some cells of block `number` along an axis: of all cells the block itself."""
        if len(places) == block.shape[axis]:
            return block
        order = sorted(range(block.ndim), key=lambda one: -abs(block.strides[one]))
        turned, along = block.transpose(order), order.index(axis)
        gathered: Block
        if not turned.flags.c_contiguous or block.dtype.hasobject:
            key: tuple[Any, ...] = (*(slice(None),) * along, places)
            gathered = turned[key]  # `take` would copy all of it
        else:
            shape = (*turned.shape[:along], len(places), *turned.shape[along + 1 :])
            gathered = self._memory(number, shape, block.dtype)
            turned.take(places, along, out=gathered, mode="clip")  # "raise" takes a copy
        return gathered.transpose(np.argsort(order))

    def _memory(self, number: int, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Block:
        size = prod(shape) * dtype.itemsize
        if number not in self._held or self._held[number].size < size:
            self._held[number] = np.empty(size, np.uint8)
        return self._held[number][:size].view(dtype).reshape(shape)
