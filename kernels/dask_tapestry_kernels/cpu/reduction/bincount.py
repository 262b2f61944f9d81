"""Bincount, the kernel `tabulate`: how many cells have each number, or the sum of their weights."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod
from typing import Any, Final, NamedTuple

import numpy as np

from dask_tapestry_kernels.cpu.reduction import bincount_compiled
from dask_tapestry_kernels.cpu.reduction.monoids import ARITHMETIC
from dask_tapestry_kernels.cpu.reduction.node_merges import merged_to_levels
from dask_tapestry_kernels.cpu.reduction.reduce import leaf_grid
from dask_tapestry_kernels.kernel_table import Kernel
from dask_tapestry_kernels.lattice_cells import (
    Counts,
    LatticeCell,
    folded_nodes,
    node_counts,
    node_numbers,
)
from dask_tapestry_kernels.parameters.bincount_tables import Tables, refusal

Block = np.ndarray[Any, Any]
SUM: Final = ARITHMETIC["sum"]


def bincount(out: Block | None, numbers: Block, *weights: Block, **how: Any) -> Block:  # noqa: ARG001
    """Count the cells equal to each of the bins, or add their `weights`.

    Within a leaf of the tree cells are added in C order; tables of leaves are added in its order.
    `how` has the fields of `Tables`.
    """
    tree, origin, bins, state, target, limit = Tables(**how)
    told = Filling(bins, state, limit)
    last = tree.depth if target is None else target
    if tree.lattice is None:
        tables = _node_tables(numbers, weights, tree, last, origin, told)
    else:
        tables = _lattice_tables(numbers, weights, tree, last, origin, told)
    return _root(tables) if target is None else tables


class Filling(NamedTuple):
    """What tables of leaves hold: their bins, dtype, and the number of all bins (`Tables`)."""

    bins: range
    state: np.dtype[Any]
    limit: int | None


def _node_tables(
    numbers: Block,
    weights: Sequence[Block],
    tree: Any,
    level: int,
    origin: Sequence[int],
    filling: Filling,
) -> Block:
    """Tables of the nodes at a level of a tree without lattice.

    Counts of a line are whole numbers, which no order of adding changes: there each table is filled
    in one go, if compiled code is there.
    """
    if numbers.ndim == 1 and not weights:
        side = tree.sides(level)[0]
        tables = np.zeros((*leaf_grid(numbers.shape, (side,)), len(filling.bins)), filling.state)
        if _fill_natively(tables, numbers, weights, side, filling.bins, filling.limit):
            return tables
    leaves = _leaf_tables(numbers, weights, tree, filling)
    return merged_to_levels(leaves, SUM, tree, range(level), node_numbers(tree, 0, origin))


def _leaf_tables(numbers: Block, weights: Sequence[Block], tree: Any, told: Filling) -> Block:
    """Tables of the leaves of a tree without lattice."""
    bins, state, limit = told
    rank, sides = numbers.ndim, tree.sides(0)
    tables = np.zeros((*leaf_grid(numbers.shape, sides), len(bins)), state)
    leaf = sides[0] if rank == 1 else 0
    if leaf and _fill_natively(tables, numbers, weights, leaf, bins, limit):
        return tables
    scratch = np.empty(min(numbers.size, prod(sides)), np.intp)  # a fresh one costs a tenth more
    for leaf_number, part in _leaves(numbers.shape, sides):
        weight = weights[0][part].ravel() if weights else None
        cells = numbers[part].ravel()
        added = () if weight is None else (weight,)
        if _fill_natively(tables[leaf_number], cells, added, len(cells), bins, limit):
            continue
        _fill(tables[leaf_number], cells, weight, bins, limit, scratch)
    return tables


def _lattice_tables(
    numbers: Block,
    weights: Sequence[Block],
    tree: Any,
    last: int,
    origin: Sequence[int],
    filling: Filling,
) -> Block:
    """Tables of the nodes at level `last` of a tree over a lattice."""
    line = None if weights else _line_tables(numbers, tree, last, origin, filling)
    if line is not None:
        return line

    def fold(cell: LatticeCell) -> Block:
        added = [one[cell.cut] for one in weights]
        first = (0,) * numbers.ndim
        level = cell.tree.depth
        return _root(_node_tables(numbers[cell.cut], added, cell.tree, level, first, filling))

    def merge(left: Block, right: Block, cells: Counts) -> Block:  # noqa: ARG001
        return np.add(left, right)

    grid = node_counts(tree, last, origin, numbers.shape)
    tables = np.empty((*grid, len(filling.bins)), filling.state)
    for place, table in folded_nodes(tree, last, origin, numbers.shape, fold, merge):
        tables[place] = table
    return tables


def _line_tables(
    numbers: Block, tree: Any, level: int, origin: Sequence[int], filling: Filling
) -> Block | None:
    """Tables of counts of the nodes along a line, each filled in one go; None without a kernel."""
    if numbers.ndim != 1:
        return None
    first = node_numbers(tree, level, origin)[0]
    (count,) = node_counts(tree, level, origin, numbers.shape)
    tables = np.zeros((count, len(filling.bins)), filling.state)
    for place in range(count):
        low, high = tree.span(level, 0, first + place)
        cells = numbers[low - origin[0] : high - origin[0]]
        if not _fill_natively(
            tables[place : place + 1], cells, (), len(cells), filling.bins, filling.limit
        ):
            return None
    return tables


def _root(tables: Block) -> Block:
    """The only table, or zeros where there is none."""
    rank = tables.ndim - 1
    if 0 in tables.shape[:rank]:
        return np.zeros(tables.shape[-1], tables.dtype)
    root: Block = tables[(0,) * rank]
    return root


def _fill_natively(
    tables: Block,
    numbers: Block,
    weights: Sequence[Block],
    leaf: int,
    bins: range,
    limit: int | None,
) -> bool:
    """Whether a compiled loop has filled the tables of a line of leaves; if not they are zero."""
    weight = weights[0] if weights else None
    told: Any = {"leaf": leaf, "bins": bins, "limit": limit}
    if bincount_compiled.fill(tables, numbers, weight, **told):
        return True
    tables[...] = 0
    return False


def _leaves(
    shape: tuple[int, ...], sides: tuple[int, ...]
) -> Iterator[tuple[tuple[int, ...], tuple[slice, ...]]]:
    """Places of the leaves and the cells of each."""
    spans = [range(0, n, side) for n, side in zip(shape, sides, strict=True)]
    for corner in product(*spans):
        place = tuple(c // side for c, side in zip(corner, sides, strict=True))
        yield place, tuple(slice(c, c + side) for c, side in zip(corner, sides, strict=True))


def _fill(
    table: Block,
    numbers: Block,
    weights: Block | None,
    bins: range,
    limit: int | None,
    scratch: Block,
) -> None:
    low, high = int(numbers.min()), int(numbers.max())
    if limit is not None and (low < 0 or high >= limit):
        raise ValueError(refusal(low, high, limit))
    if low < 0 or high > bins.stop or bins.start > 1:
        inside = (numbers >= bins.start) & (numbers < bins.stop)
        numbers = numbers[inside]
        weights = None if weights is None else weights[inside]
    cells = numbers
    if cells.dtype != np.intp:
        cells = scratch[: len(numbers)]
        np.copyto(cells, numbers, casting="unsafe")
    part = slice(bins.start, bins.stop)
    if weights is None:
        table[...] = np.bincount(cells, minlength=bins.stop)[part]
    elif weights.dtype.kind == "c":
        table.real = np.bincount(cells, weights.real, bins.stop)[part]
        table.imag = np.bincount(cells, weights.imag, bins.stop)[part]
    else:
        table[...] = np.bincount(cells, weights, bins.stop)[part]


KERNELS: Final[dict[str, Kernel]] = {
    "tabulate": bincount,
}
