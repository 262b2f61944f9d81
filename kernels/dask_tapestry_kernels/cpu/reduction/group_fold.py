"""Folds by group: the cells of each of some groups are folded to one, for every kept cell.

A leaf of the canonical tree has a table of a state for each group and kept cell. Its cells are
folded into the table in C order, so the table has the same bits however the kept cells are cut.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cpu.cells.interpreter import tiles
from dask_tapestry_kernels.cpu.reduction.group_folds_compiled import LeafFold, fill_leaves
from dask_tapestry_kernels.cpu.reduction.group_leaves import GroupedLeaf, add_cells, group_states
from dask_tapestry_kernels.cpu.reduction.leaf_pieces import leaf_grid
from dask_tapestry_kernels.cpu.reduction.monoids import ARITHMETIC
from dask_tapestry_kernels.cpu.reduction.node_merges import merged_to_levels
from dask_tapestry_kernels.cpu.reduction.reduce import reduce, reductions
from dask_tapestry_kernels.floating_point import listening
from dask_tapestry_kernels.kernel_table import Kernel
from dask_tapestry_kernels.lattice_cells import (
    Counts,
    LatticeCell,
    folded_nodes,
    node_counts,
    node_numbers,
)
from dask_tapestry_kernels.parameters.groups import Groups

Block = np.ndarray[Any, Any]
TILE_CELLS: Final = 2**18  # that are folded at a time: 2 MiB of float64
LEAST_COLUMNS: Final = 512  # of them


def group_fold(out: Block | None, cells: Block, codes: Block, **how: Any) -> Block:  # noqa: ARG001
    """Fold the cells of each group, whose number is in `codes`.

    Parameters
    ----------
    codes
        Numbers of the groups, one for each cell along the labelled axes.
    **how
        The fields of `Groups`.

    Returns
    -------
    numpy.ndarray
        The kept axes, or with a target all axes with nodes along the folded ones; groups last.
    """
    groups = Groups(**how)
    rank, tree = len(groups.axes), groups.tree
    kept_axes = [axis for axis in range(cells.ndim) if axis not in groups.axes]
    kept_axes.sort(key=lambda axis: -abs(cells.strides[axis]))
    order = (*groups.axes, *kept_axes)
    turned = cells.transpose(order)
    extents = [cells.shape[axis] if axis in groups.labelled else 1 for axis in groups.axes]
    codes = np.broadcast_to(codes.reshape(extents), turned.shape[:rank])
    last = tree.depth if groups.target is None else groups.target
    with np.errstate(all="ignore"), listening(frozenset()):
        if tree.lattice is None:
            tables = _node_tables(turned, codes, groups, tree, last, groups.origin)
        else:
            tables = _lattice_tables(turned, codes, groups, last)
        if groups.target is not None:
            return np.moveaxis(tables, rank, -1).transpose(*np.argsort(order), cells.ndim)
        root = _root(tables, rank, groups)
        value = ARITHMETIC[groups.monoid].finish(root, codes.size, groups.ddof)
    value = np.moveaxis(value.astype(groups.dtype, copy=False), 0, -1)
    return value.transpose(*np.argsort(kept_axes), len(kept_axes))


def add_groups(out: Block | None, cells: Block, codes: Block, **how: Any) -> Block:
    """Add cells to the tables `out` of one leaf, whose cells before are there already.

    Parameters
    ----------
    out
        Shaped as what `group_fold` returns of the leaf.
    """
    assert out is not None
    groups = Groups(**how)
    rank = len(groups.axes)
    kept_axes = [axis for axis in range(cells.ndim) if axis not in groups.axes]
    order = (*groups.axes, *kept_axes)
    turned = cells.transpose(order)
    table = np.moveaxis(out.transpose(*order, cells.ndim)[(0,) * rank], -1, 0)
    extents = [cells.shape[axis] if axis in groups.labelled else 1 for axis in groups.axes]
    codes = np.broadcast_to(codes.reshape(extents), turned.shape[:rank])
    with np.errstate(all="ignore"), listening(frozenset()):
        _add(table, turned, codes, groups)
    return out


def add_group_folds(out: Block | None, *blocks: Block, parts: Sequence[Mapping[str, Any]]) -> Block:
    """Add cells to the tables of several folds, the fields f0, f1... of `out`."""
    assert out is not None
    *cells, codes = blocks
    for number, (x, how) in enumerate(zip(cells, parts, strict=True)):
        add_groups(out[f"f{number}"], x, codes, **how)
    return out


def group_merge(out: Block | None, nodes: Block, **part: Any) -> Block:
    """Fold tables further, as `reduce` does; of groups without cells nothing is said."""
    with listening(frozenset()):
        return reduce(out, nodes, **part)


def group_folds(out: Block | None, *blocks: Block, parts: Sequence[Mapping[str, Any]]) -> Block:
    """Several folds by the codes that come last, each of its own cells: the fields f0, f1...

    Those that keep no axis have a table that is repeated along the kept axes of the first one.
    """
    *cells, codes = blocks
    tables = [group_fold(out, x, codes, **how) for x, how in zip(cells, parts, strict=True)]
    first = tables[0]
    kept = [axis for axis in range(cells[0].ndim) if axis not in parts[0]["axes"]]
    places = kept if parts[0]["target"] is not None else range(len(kept))
    result = np.empty(first.shape, [(f"f{n}", table.dtype) for n, table in enumerate(tables)])
    for number, table in enumerate(tables):
        fits = table.ndim == first.ndim
        result[f"f{number}"] = table if fits else np.expand_dims(table, tuple(places))
    return result


def group_merges(out: Block | None, nodes: Block, **parts: Any) -> Block:
    """Fold tables of several folds further, as `reductions` does; nothing is said."""
    with listening(frozenset()):
        return reductions(out, nodes, **parts)


def _node_tables(
    cells: Block, codes: Block, groups: Groups, tree: Any, level: int, origin: Sequence[int]
) -> Block:
    """Tables, shaped (nodes..., groups, kept...), of a tree without lattice."""
    rank, sides = codes.ndim, tree.sides(0)
    grid = leaf_grid(codes.shape, sides)
    shape = (*grid, len(groups.groups), *cells.shape[rank:])
    tables = np.empty(shape, groups.state)
    told = LeafFold(groups.monoid, groups.groups, tuple(sides), groups.identity, groups.skipna)
    if not fill_leaves(cells, codes, tables, told):
        _fill_each(tables, cells, codes, groups, sides)
    arithmetic, first = ARITHMETIC[groups.monoid], node_numbers(tree, 0, origin)
    return merged_to_levels(tables, arithmetic, tree, range(level), first)


def _fill_each(
    tables: Block, cells: Block, codes: Block, groups: Groups, sides: Sequence[int]
) -> None:
    """Fill the tables of leaves, one after the other."""
    for corner in product(*[range(0, n, side) for n, side in zip(codes.shape, sides, strict=True)]):
        leaf = tuple([slice(c, c + side) for c, side in zip(corner, sides, strict=True)])
        number = tuple([c // side for c, side in zip(corner, sides, strict=True)])
        _fill(tables[number], cells[leaf], codes[leaf], groups)


def _lattice_tables(cells: Block, codes: Block, groups: Groups, last: int) -> Block:
    """Tables of the nodes at level `last` of a tree over a lattice."""
    tree, origin, rank, arithmetic = (
        groups.tree,
        groups.origin,
        codes.ndim,
        ARITHMETIC[groups.monoid],
    )

    def fold(cell: LatticeCell) -> Block:
        first = (0,) * rank
        depth = cell.tree.depth
        tables = _node_tables(cells[cell.cut], codes[cell.cut], groups, cell.tree, depth, first)
        return _root(tables, rank, groups)

    def merge(left: Block, right: Block, counts: Counts) -> Block:  # noqa: ARG001
        return arithmetic.combine(left, right, left, right)

    grid = node_counts(tree, last, origin, codes.shape)
    tables = np.empty((*grid, len(groups.groups), *cells.shape[rank:]), groups.state)
    for number, table in folded_nodes(tree, last, origin, codes.shape, fold, merge):
        tables[number] = table
    return tables


def _root(tables: Block, rank: int, groups: Groups) -> Block:
    """The only table, or one of groups without cells."""
    if 0 in tables.shape[:rank]:
        return np.full(tables.shape[rank:], groups.identity, groups.state)
    root: Block = tables[(0,) * rank]
    return root


def _fill(table: Block, cells: Block, codes: Block, groups: Groups) -> None:
    """Fold the cells of one leaf into its table, some columns at a time."""
    numbers = _numbers(codes, groups)
    for tile in _some_columns(cells, codes):
        leaf, shape = _leaf(cells, codes, numbers, tile, groups)
        states = group_states(groups.monoid, leaf)
        table[(slice(None), *tile)] = states.reshape(len(groups.groups), *shape)


def _add(table: Block, cells: Block, codes: Block, groups: Groups) -> None:
    """Fold more cells of a leaf into its table, some columns at a time."""
    numbers = _numbers(codes, groups)
    for tile in _some_columns(cells, codes):
        leaf, shape = _leaf(cells, codes, numbers, tile, groups)
        add_cells(groups.monoid, leaf, table[(slice(None), *tile)], shape)


def _numbers(codes: Block, groups: Groups) -> Block:
    """The row of the table that each cell along the folded axes goes into, if there is one."""
    return codes.ravel().astype(np.intp, copy=False) - groups.groups.start


def _some_columns(cells: Block, codes: Block) -> Iterator[tuple[slice, ...]]:
    """Tiles of the kept axes, whose cells stay in cache."""
    columns = max(LEAST_COLUMNS, TILE_CELLS // max(1, codes.size))
    return tiles(cells.shape[codes.ndim :], columns)


def _leaf(
    cells: Block, codes: Block, numbers: Block, tile: tuple[slice, ...], groups: Groups
) -> tuple[GroupedLeaf, tuple[int, ...]]:
    """The cells of a tile of the kept axes that have a group, as rows; and the tile's shape."""
    count = len(groups.groups)
    values = cells[(slice(None),) * codes.ndim + tile]
    shape = values.shape[codes.ndim :]
    values = _rows(values, codes.ndim)
    held = np.flatnonzero((numbers >= 0) & (numbers < count))
    if held.size < numbers.size:
        values, numbers = values[held], numbers[held]
    leaf = GroupedLeaf(values, numbers, count, groups.state, groups.identity, groups.skipna)
    return leaf, shape


def _rows(cells: Block, rank: int) -> Block:
    """Cells with their first axes merged, and the others; copied as they lie where they must."""
    count, width = prod(cells.shape[:rank]), prod(cells.shape[rank:])
    steps = [abs(step) for step in cells.strides]
    if min(steps[rank:], default=0) <= min(steps[:rank], default=0):
        return cells.reshape(count, width)
    turned = cells.transpose(*range(rank, cells.ndim), *range(rank))
    return turned.reshape(width, count).T


KERNELS: Final[dict[str, Kernel]] = {
    "add_group_folds": add_group_folds,
    "add_groups": add_groups,
    "groupfold": group_fold,
    "groupmerge": group_merge,
    "groupfolds": group_folds,
    "groupmerges": group_merges,
}
