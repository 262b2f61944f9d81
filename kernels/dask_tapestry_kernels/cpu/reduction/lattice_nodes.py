"""Nodes of a tree over a lattice: of cells one by one, or of all cells that are alike at once.

A call of the compiled folds and the merging of a cell's leaves take as long as reading a MiB. So
where leaves and nodes are few bytes, cells of one size are folded together, as columns of one cell
side by side; else one after the other, so that few nodes are in memory at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby, product
from math import prod
from typing import Any, Final, NamedTuple

import numpy as np

from dask_tapestry_kernels.cpu.reduction.monoids import ARITHMETIC
from dask_tapestry_kernels.cpu.reduction.node_merges import merged_to_levels
from dask_tapestry_kernels.fold_part import FoldPart, globalize, last_level, tells_places
from dask_tapestry_kernels.lattice_cells import (
    Counts,
    LatticeCell,
    folded_nodes,
    node_counts,
    node_numbers,
)
from dask_tapestry_kernels.unread_cells import is_unread, part_of

Block = np.ndarray[Any, Any]
Leaves = Callable[[Sequence[Block], Sequence[FoldPart]], list[Block]]

AT_ONCE: Final = 2**21  # bytes of the states of leaves: they stay in cache


class Alike(NamedTuple):
    """Cells of a lattice of one size, in a box of them.

    Attributes
    ----------
    places
        Of the cells among those of the block.
    sides
        Of each cell.
    start
        Where the first one begins in the block.
    """

    places: tuple[slice, ...]
    sides: tuple[int, ...]
    start: tuple[int, ...]


def lattice_nodes(
    blocks: Sequence[Block], parts: Sequence[FoldPart], leaves: Leaves
) -> list[Block]:
    """The nodes at the last level, for each part, of blocks whose reduced axes come first.

    `leaves` yields the states of the leaves of a tree without a lattice.
    """
    return _all_nodes(blocks, parts, leaves) or _one_by_one(blocks, parts, leaves)


def _all_nodes(
    blocks: Sequence[Block], parts: Sequence[FoldPart], leaves: Leaves
) -> list[Block] | None:
    """The nodes, where those of all cells may be in memory; else None.

    Formulas are evaluated along rows that would end with each cell.
    """
    tree, origin, rank = parts[0].tree, parts[0].origin, len(parts[0].axes)
    if any(tells_places(part) or not _is_plain(part) for part in parts):
        return None
    if any(map(is_unread, blocks)):  # side by side, all cells would be there
        return None
    shape, kept_shape = blocks[0].shape[:rank], blocks[0].shape[rank:]
    groups = list(cells_by_size(tree, origin, shape))
    sizes = [prod(_counts(group)) * _leaf_count(tree.inner(group.sides)) for group in groups]
    if sum(sizes) * prod(kept_shape) * sum(part.state.itemsize for part in parts) > AT_ONCE:
        return None
    grid = node_counts(tree, 0, origin, shape)
    nodes = [np.empty((*grid, *kept_shape), part.state) for part in parts]
    for group in groups:
        inner = tree.inner(group.sides)
        cell_parts = [part._replace(tree=inner, origin=(0,) * rank) for part in parts]
        views = [side_by_side(block, group) for block in blocks]
        order = memory_order(views[0], rank)
        states = leaves([view.transpose(order) for view in views], cell_parts)
        for part, whole, node_states in zip(parts, nodes, states, strict=True):
            levels = range(inner.depth)
            roots = merged_to_levels(
                node_states, ARITHMETIC[part.monoid], inner, levels, (0,) * rank
            )
            whole[group.places] = roots.transpose(np.argsort(order))[(0,) * rank]
    first = node_numbers(tree, 0, origin)
    return [
        merged_to_levels(node_states, ARITHMETIC[part.monoid], tree, range(last_level(part)), first)
        for part, node_states in zip(parts, nodes, strict=True)
    ]


def _is_plain(part: FoldPart) -> bool:
    return part.expression is None or part.expression.chosen is not None


def _counts(group: Alike) -> tuple[int, ...]:
    return tuple([place.stop - place.start for place in group.places])


def _leaf_count(tree: Any) -> int:
    return prod(tree.counts(0))


def cells_by_size(tree: Any, origin: Sequence[int], shape: Sequence[int]) -> Iterator[Alike]:
    """The cells of a lattice that a block has, those of one size together."""
    first, counts = node_numbers(tree, 0, origin), node_counts(tree, 0, origin, shape)
    numbered = enumerate(zip(first, counts, strict=True))
    runs = [_runs(tree, axis, number, count) for axis, (number, count) in numbered]
    for chosen in product(*runs):
        places, sides, starts = zip(*chosen, strict=True)
        yield Alike(places, sides, tuple([a - b for a, b in zip(starts, origin, strict=True)]))


def _runs(tree: Any, axis: int, first: int, count: int) -> list[tuple[slice, int, int]]:
    """Runs of cells of one length along an axis: places, length, where the first one begins.

    Those at the ends of the axis are clipped.
    """
    lengths = [tree.sides(0)[axis]] * count
    for at in {0, count - 1} if count else ():
        low, high = tree.span(0, axis, first + at)
        lengths[at] = high - low
    runs, at = [], 0
    for length, alike_ in groupby(lengths):
        stop = at + len(list(alike_))
        runs.append((slice(at, stop), length, tree.span(0, axis, first + at)[0]))
        at = stop
    return runs


def side_by_side(block: Block, group: Alike) -> Block:
    """A view of cells of one size: the axes of a cell first, then those of cells, then others."""
    rank = len(group.sides)
    numbers = list(zip(_counts(group), group.sides, group.start, strict=True))
    box = block[tuple([slice(start, start + n * side) for n, side, start in numbers])]
    split = box.reshape(*[k for n, side, _ in numbers for k in (n, side)], *block.shape[rank:])
    order = (*range(1, 2 * rank, 2), *range(0, 2 * rank, 2), *range(2 * rank, split.ndim))
    return split.transpose(order)


def memory_order(block: Block, rank: int) -> tuple[int, ...]:
    """Axes of a block, those after the first `rank` in the order in which memory is read."""
    others = range(rank, block.ndim)
    return (*range(rank), *sorted(others, key=lambda axis: -abs(block.strides[axis])))


def _one_by_one(blocks: Sequence[Block], parts: Sequence[FoldPart], leaves: Leaves) -> list[Block]:
    """The nodes, of cells folded one after the other."""
    tree, origin, rank = parts[0].tree, parts[0].origin, len(parts[0].axes)
    shape, last = blocks[0].shape[:rank], last_level(parts[0])
    kept_shape, arithmetics = blocks[0].shape[rank:], [ARITHMETIC[part.monoid] for part in parts]

    def fold(cell: LatticeCell) -> list[Block]:
        piece = [part_of(block, cell.cut) for block in blocks]
        inner = [part._replace(tree=cell.tree, origin=(0,) * rank) for part in parts]
        nodes = []
        for part, states in zip(inner, leaves(piece, inner), strict=True):
            levels = range(cell.tree.depth)
            root = merged_to_levels(states, ARITHMETIC[part.monoid], cell.tree, levels, part.origin)
            if tells_places(part):
                globalize(root, cell.tree.extents, cell.cut, origin, tree.extents)
            nodes.append(root)
        return nodes

    def merge(left: list[Block], right: list[Block], cells: Counts) -> list[Block]:
        sides = zip(arithmetics, left, right, strict=True)
        m, n = (np.asarray(float(count)) for count in cells)
        return [arithmetic.combine(a, b, m, n) for arithmetic, a, b in sides]

    grid = node_counts(tree, last, origin, shape)
    found = folded_nodes(tree, last, origin, shape, fold, merge)
    if prod(grid) == 1:
        return next(found)[1]
    nodes = [np.empty((*grid, *kept_shape), part.state) for part in parts]
    for place, states in found:
        at = tuple([slice(n, n + 1) for n in place])
        for whole, state in zip(nodes, states, strict=True):
            whole[at] = state
    return nodes
