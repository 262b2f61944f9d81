"""Rule on products in tiles: what contracts merged dimensions multiplies the cells of each tile.

``maps.reshape(times, -1)`` puts rows of a map one behind the other, and a block of these has cells
of many tiles in which maps are stored. A product over all cells of a map, as that of principal
components, is the sum of products over tiles, each of which is read once.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce as folded
from itertools import chain, product
from math import prod
from typing import NamedTuple

import numpy as np

from dask_tapestry.operators.cells.elementwise import elementwise
from dask_tapestry.operators.products.matmul import MatMul
from dask_tapestry.operators.reductions.reduce import reduce
from dask_tapestry.operators.views.permute import permute
from dask_tapestry.operators.views.reshape import reshape
from dask_tapestry.operators.views.slice import basic_slice
from dask_tapestry.rewrite.rule import Shared, on
from dask_tapestry.rules.merged_dims import Parting, Sides, merged_sides, parted_value
from dask_tapestry.rules.tuning import (
    ENOUGH_TERMS,
    FEWEST_MERGED_CELLS,
    MOST_TILE_SUMS,
    TERMS_A_ROW,
    TILE_BYTES,
)
from dask_tapestry.teg import Node, apply
from dask_tapestry.teg.stored_grid import stored_cuts
from dask_tapestry.zspace import Cuts


class Run(NamedTuple):
    """So many tiles of one side, one behind the other along a dimension, from `start` on."""

    start: int
    tiles: int
    side: int

    @property
    def cells(self) -> slice:
        """The cells of the tiles."""
        return slice(self.start, self.start + self.tiles * self.side)


@on(MatMul, sharing=True)
def multiply_before_merge(node: Node, shared: Shared) -> Node | None:
    """``merged x @ merged w -> sum(x @ w)`` over the tiles in which they are stored."""
    match node.operator:
        case MatMul(dtype, None):
            x, w = node.inputs
        case _:
            return None
    inner, outer = x.type.ndim - 1, w.type.ndim - 2
    sides = merged_sides(x, inner) or merged_sides(w, outer)
    if sides is None or max(sides) < FEWEST_MERGED_CELLS:
        return None
    how = Parting.of(sides, shared)
    left, right = parted_value(x, inner, how), parted_value(w, outer, how)
    if left is None or right is None:
        return None
    batch, count = x.type.ndim - 2, len(sides)
    right = permute(right, [*range(batch), batch + count, *range(batch, batch + count)])
    stored = zip(stored_cuts(left)[-count:], stored_cuts(right)[-count:], strict=True)
    rows, columns = node.type.shape[-2:]
    least = max(ENOUGH_TERMS, TERMS_A_ROW * min(rows, columns))
    most = TILE_BYTES // (dtype.itemsize * max(rows, columns, 1))
    tiles = [_in_parts(runs, least, most) for runs in product(*_tiles(sides, [*stored]))]
    sums = [_product(left, right, runs, dtype) for runs in tiles]
    return folded(lambda one, other: elementwise("add", one, other), sums)


def _tiles(sides: Sides, stored: Sequence[Sequence[Cuts | None]]) -> list[list[Run]]:
    """The tiles along each dimension: chunks, or single cells and all cells along the longest.

    The latter where there were many sums of their own, as first and last chunks are shorter, or
    products of few cells.
    """
    found = [_runs(n, [one for one in cuts if one]) for n, cuts in zip(sides, stored, strict=True)]
    largest = prod([max(run.side for run in runs) for runs in found])
    if largest >= FEWEST_MERGED_CELLS and prod(map(len, found)) <= MOST_TILE_SUMS:
        return found
    longest = sides.index(max(sides))
    return [[Run(0, 1, n) if at == longest else Run(0, n, 1)] for at, n in enumerate(sides)]


def _runs(extent: int, stored: Sequence[Cuts]) -> list[Run]:
    """The chunks along a dimension: those that are alike, and before and after these a shorter one.

    Single cells where they are not; one run of all cells where they lie in one chunk.
    """
    cuts = next((one for one in stored if one.count > 1), None)
    if cuts is None:
        return [Run(0, 1, extent)]
    if cuts.edges:
        return [Run(0, extent, 1)]
    lead = cuts.lead % cuts.step
    whole, rest = divmod(extent - lead, cuts.step)
    runs = (Run(0, 1, lead), Run(lead, whole, cuts.step), Run(extent - rest, 1, rest))
    return [run for run in runs if run.tiles * run.side]


def _in_parts(runs: Sequence[Run], least: int, most: int) -> Sequence[Run]:
    """The tiles, or their largest equal parts that have no more cells than `most`, nor too few.

    So workers with little memory may have some parts of a tile.
    """
    cells = prod([run.side for run in runs])
    for at, run in enumerate(runs):
        sides = (n for n in range(run.side, 0, -1) if run.side % n == 0)
        fitting = (n for n in sides if least <= cells // run.side * n <= most)
        side = next(fitting, None)
        if side is not None:
            part = Run(run.start, run.tiles * run.side // side, side)
            return [*runs[:at], part, *runs[at + 1 :]]
    return runs


def _product(x: Node, w: Node, runs: Sequence[Run], dtype: np.dtype[np.generic]) -> Node:
    """The sum of products over tiles of x (..., m, s, t) and w (..., n, s, t): (..., m, n)."""
    rows, columns = _in_tiles(x, runs), _in_tiles(w, runs)
    last, first = columns.type.ndim - 1, x.type.ndim - 1 - len(runs)
    turned = permute(columns, [*range(last - 1), last, last - 1])
    products = apply(MatMul(dtype), rows, turned)
    return reduce(products, "sum", [*range(first, first + len(runs))], dtype=dtype)


def _in_tiles(x: Node, runs: Sequence[Run]) -> Node:
    """``(..., m, s, t) -> (..., s / a, t / b, m, a b)`` for tiles of sides a and b."""
    count, lead = len(runs), x.type.ndim - len(runs) - 1
    x = basic_slice(x, (..., *[run.cells for run in runs]))
    sides = chain.from_iterable((run.tiles, run.side) for run in runs)
    parted = reshape(x, (*x.type.shape[: lead + 1], *sides))
    numbers, cells = (range(lead + 1 + n, parted.type.ndim, 2) for n in (0, 1))
    moved = permute(parted, [*range(lead), *numbers, lead, *cells])
    return reshape(moved, (*moved.type.shape[: lead + count + 1], prod(r.side for r in runs)))
