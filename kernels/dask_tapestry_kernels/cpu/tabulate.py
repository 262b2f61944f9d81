"""Tables: how many cells have each of some numbers, or the sum of their weights."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import prod
from typing import Any

import numpy as np

from dask_tapestry_kernels.cpu.monoids import ARITHMETIC
from dask_tapestry_kernels.cpu.reduce import leaf_grid, merge

Block = np.ndarray[Any, Any]


def tabulate(
    out: Block | None,  # noqa: ARG001
    numbers: Block,
    *weights: Block,
    tree: Any,
    origin: tuple[int, ...],
    bins: range,
    state: np.dtype[Any],
    target: int | None,
    limit: int | None,
) -> Block:
    """Count the cells equal to each of `bins`, or add their `weights`.

    Within a leaf of the tree cells are added in C order; tables of leaves are added in its order.

    Parameters
    ----------
    origin
        Where the block begins.
    state
        Dtype of the tables.
    target
        Level whose tables are returned; None for the value.
    limit
        Number of all bins, to raise ValueError where a cell is none of them; None leaves it out.
    """
    rank, sides = numbers.ndim, tree.sides(0)
    first = [o // side for o, side in zip(origin, sides, strict=True)]
    tables = np.zeros((*leaf_grid(numbers.shape, sides), len(bins)), state)
    scratch = np.empty(min(numbers.size, prod(sides)), np.intp)  # a fresh one costs a tenth more
    for place, part in _leaves(numbers.shape, sides):
        weight = weights[0][part].ravel() if weights else None
        _fill(tables[place], numbers[part].ravel(), weight, bins, limit, scratch)
    level = 0
    while level < (tree.depth if target is None else target):
        tables = merge(tables, ARITHMETIC["sum"], tree, level, first)
        level += 1
    if target is not None:
        return tables
    if 0 in tables.shape[:rank]:
        return np.zeros(len(bins), state)
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
        raise ValueError(_refused(low, high, limit))
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


def _refused(low: int, high: int, limit: int) -> str:
    if low < 0:
        return "'list' argument must have no negative elements"
    return f"a cell is {high}, and the table has {limit} bins"
