"""Tables: how many cells have each of some numbers, or the sum of their weights."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import prod
from typing import Any, Final, NamedTuple

import numpy as np

from dask_tapestry_kernels.cpu.reduction import tabulate_compiled
from dask_tapestry_kernels.cpu.reduction.monoids import ARITHMETIC
from dask_tapestry_kernels.cpu.reduction.reduce import leaf_grid, merge
from dask_tapestry_kernels.kernel_table import Kernel

Block = np.ndarray[Any, Any]


class Tables(NamedTuple):
    """What is counted, and how tables are added up.

    Attributes
    ----------
    tree
        The canonical tree: ``sides(level)``, ``axis(level)``, ``counts(level)``, ``depth``.
    origin
        Where the block begins.
    bins
        The numbers that are counted.
    state
        Dtype of the tables.
    target
        Level whose tables are returned; None for the value.
    limit
        Number of all bins, to raise ValueError where a cell is none of them; None leaves it out.
    """

    tree: Any
    origin: tuple[int, ...]
    bins: range
    state: np.dtype[Any]
    target: int | None
    limit: int | None


def tabulate(out: Block | None, numbers: Block, *weights: Block, **how: Any) -> Block:  # noqa: ARG001
    """Count the cells equal to each of the bins, or add their `weights`.

    Within a leaf of the tree cells are added in C order; tables of leaves are added in its order.
    `how` has the fields of `Tables`.
    """
    tree, origin, bins, state, target, limit = Tables(**how)
    rank, sides = numbers.ndim, tree.sides(0)
    first = [o // side for o, side in zip(origin, sides, strict=True)]
    tables = np.zeros((*leaf_grid(numbers.shape, sides), len(bins)), state)
    leaf = sides[0] if rank == 1 else 0
    if leaf and _fill_natively(tables, numbers, weights, leaf, bins, limit):
        return _root(tables, tree, target, first)
    scratch = np.empty(min(numbers.size, prod(sides)), np.intp)  # a fresh one costs a tenth more
    for place, part in _leaves(numbers.shape, sides):
        weight = weights[0][part].ravel() if weights else None
        cells = numbers[part].ravel()
        if _fill_natively(
            tables[place], cells, (weight,) if weights else (), len(cells), bins, limit
        ):
            continue
        _fill(tables[place], cells, weight, bins, limit, scratch)
    return _root(tables, tree, target, first)


def _root(tables: Block, tree: Any, target: int | None, first: list[int]) -> Block:
    """Tables of the leaves added up to those of level `target`, or to the one of all cells."""
    rank, bins, state = tables.ndim - 1, tables.shape[-1], tables.dtype
    level = 0
    while level < (tree.depth if target is None else target):
        tables = merge(tables, ARITHMETIC["sum"], tree, level, first)
        level += 1
    if target is not None:
        return tables
    if 0 in tables.shape[:rank]:
        return np.zeros(bins, state)
    root: Block = tables[(0,) * rank]
    return root


def _fill_natively(
    tables: Block,
    numbers: Block,
    weights: tuple[Any, ...],
    leaf: int,
    bins: range,
    limit: int | None,
) -> bool:
    """Whether a compiled loop has filled the tables of a line of leaves; if not they are zero."""
    weight = weights[0] if weights else None
    told: Any = {"leaf": leaf, "bins": bins, "limit": limit}
    if tabulate_compiled.fill(tables, numbers, weight, **told):
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


KERNELS: Final[dict[str, Kernel]] = {
    "tabulate": tabulate,
}
