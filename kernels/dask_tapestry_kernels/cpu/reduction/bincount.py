"""Bincount, the kernels `tabulate` and `tabulates`: cells counted by number or bin, or weighed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cpu.reduction.bin_tables import (
    Binning,
    Filling,
    count_rows,
    fill,
    in_rows,
)
from dask_tapestry_kernels.cpu.reduction.leaf_pieces import leaf_grid
from dask_tapestry_kernels.cpu.reduction.monoids import ARITHMETIC
from dask_tapestry_kernels.cpu.reduction.node_merges import merged_to_levels
from dask_tapestry_kernels.kernel_table import Kernel
from dask_tapestry_kernels.lattice_cells import (
    Counts,
    LatticeCell,
    folded_nodes,
    node_counts,
    node_numbers,
)
from dask_tapestry_kernels.parameters.bincount_tables import Tables

Block = np.ndarray[Any, Any]
SUM: Final = ARITHMETIC["sum"]


def bincount(out: Block | None, cells: Block, *others: Block, **how: Any) -> Block:  # noqa: ARG001
    """Count the cells equal to each of the bins, or that lie in it, or add their weights.

    Within a leaf of the tree weights are added in C order; tables of leaves are added in its order.

    Parameters
    ----------
    others
        Edges of bins, where `how` says whether they are even; weights, if they are added.
    how
        The fields of `Tables`.
    """
    told = Tables(**how)
    binning = None
    if told.even is not None:
        edges, *rest = others
        others, binning = tuple(rest), Binning(cells, edges, told.even)
    filling = Filling(told.bins, told.state, told.limit, binning)
    tree, origin = told.tree, told.origin
    last = tree.depth if told.target is None else told.target
    if not others:
        tables = _counts(cells, tree, last, origin, filling)
    elif tree.lattice is None:
        tables = _node_tables(cells, others[0], tree, last, origin, filling)
    else:
        tables = _lattice_tables(cells, others[0], tree, last, origin, filling)
    return _root(tables) if told.target is None else tables


def bincounts(
    out: Block | None,
    *blocks: Block,
    parts: Sequence[Mapping[str, Any]],
    reads: Sequence[Sequence[int]],
) -> Block:
    """Several counts, each as `bincount` makes it of its blocks: the fields f0, f1...

    Tables are as long as the longest; others end in zeros.

    Parameters
    ----------
    reads
        The numbers of the blocks of each.
    """
    tables = [
        bincount(out, *[blocks[number] for number in own], **how)
        for own, how in zip(reads, parts, strict=True)
    ]
    longest = max([table.shape[-1] for table in tables])
    kinds = [(f"f{number}", table.dtype) for number, table in enumerate(tables)]
    result = np.zeros((*tables[0].shape[:-1], longest), kinds)
    for number, table in enumerate(tables):
        result[f"f{number}"][..., : table.shape[-1]] = table
    return result


def _counts(cells: Block, tree: Any, level: int, origin: Sequence[int], told: Filling) -> Block:
    """Tables of counts of the nodes at a level.

    Counts are whole numbers, which have one sum in any order: each node's are counted in one go, in
    the order in which its cells lie in memory.
    """
    grid = node_counts(tree, level, origin, cells.shape)
    tables = np.zeros((*grid, len(told.bins)), told.state)
    first = node_numbers(tree, level, origin)
    if cells.ndim == 1 and tree.lattice is None:
        fill(tables, cells, None, tree.sides(level)[0], told)
        return tables
    for place in np.ndindex(*grid):
        numbers = [a + b for a, b in zip(first, place, strict=True)]
        spans = [tree.span(level, axis, number) for axis, number in enumerate(numbers)]
        cut = tuple([slice(a - at, b - at) for (a, b), at in zip(spans, origin, strict=True)])
        for rows in in_rows(cells[cut], told.piece):
            added = np.zeros((1, len(told.bins)), told.state)
            count_rows(added, rows, told)
            tables[place] += added[0]
    return tables


def _node_tables(
    cells: Block, weights: Block, tree: Any, level: int, origin: Sequence[int], told: Filling
) -> Block:
    """Sums of weights of the nodes at a level of a tree without lattice."""
    leaves = _leaf_tables(cells, weights, tree, told)
    return merged_to_levels(leaves, SUM, tree, range(level), node_numbers(tree, 0, origin))


def _leaf_tables(cells: Block, weights: Block, tree: Any, told: Filling) -> Block:
    """Sums of weights of the leaves of a tree without lattice."""
    sides = tree.sides(0)
    tables = np.zeros((*leaf_grid(cells.shape, sides), len(told.bins)), told.state)
    if cells.ndim == 1:
        fill(tables, cells, weights, sides[0], told)
        return tables
    for place, part in _leaves(cells.shape, sides):
        line = cells[part].ravel()
        fill(tables[place][None], line, weights[part].ravel(), len(line), told)
    return tables


def _lattice_tables(
    cells: Block, weights: Block, tree: Any, last: int, origin: Sequence[int], told: Filling
) -> Block:
    """Sums of weights of the nodes at level `last` of a tree over a lattice."""

    def fold(cell: LatticeCell) -> Block:
        first, level = (0,) * cells.ndim, cell.tree.depth
        own = cells[cell.cut], weights[cell.cut]
        return _root(_node_tables(*own, cell.tree, level, first, told))

    def merge(left: Block, right: Block, counts: Counts) -> Block:  # noqa: ARG001
        return np.add(left, right)

    grid = node_counts(tree, last, origin, cells.shape)
    tables = np.empty((*grid, len(told.bins)), told.state)
    for place, table in folded_nodes(tree, last, origin, cells.shape, fold, merge):
        tables[place] = table
    return tables


def _root(tables: Block) -> Block:
    """The only table, or zeros where there is none."""
    rank = tables.ndim - 1
    if 0 in tables.shape[:rank]:
        return np.zeros(tables.shape[-1], tables.dtype)
    root: Block = tables[(0,) * rank]
    return root


def _leaves(
    shape: tuple[int, ...], sides: tuple[int, ...]
) -> Iterator[tuple[tuple[int, ...], tuple[slice, ...]]]:
    """Places of the leaves and the cells of each."""
    spans = [range(0, n, side) for n, side in zip(shape, sides, strict=True)]
    for corner in product(*spans):
        place = tuple(c // side for c, side in zip(corner, sides, strict=True))
        yield place, tuple(slice(c, c + side) for c, side in zip(corner, sides, strict=True))


KERNELS: Final[dict[str, Kernel]] = {
    "tabulate": bincount,
    "tabulates": bincounts,
}
