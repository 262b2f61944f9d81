"""Rows of a sparse matrix times a block.

Each sum is taken over the row's cells in the order of their columns, one after the other: with or
without a compiled loop, and however blocks are cut, a value has the same bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cpu.blocks import sparse_matmul_compiled
from dask_tapestry_kernels.cpu.blocks.sparse_matmul_compiled import one_step
from dask_tapestry_kernels.cpu.cells.interpreter import tiles
from dask_tapestry_kernels.cpu.cells.reproducible_ufuncs import multiply
from dask_tapestry_kernels.floating_point import listening
from dask_tapestry_kernels.kernel_table import Kernel
from dask_tapestry_kernels.stopping import stop_if_asked

Block = np.ndarray[Any, Any]
TILE_CELLS: Final = 2**16  # of results that NumPy adds up at a time


def sparse_matmul(
    out: Block | None,
    cells: Block,
    values: Block,
    columns: Block,
    starts: Block,
    *,
    axes: tuple[int, ...],
    at: int,
    grid: tuple[int, ...],
    corner: tuple[int, ...],
    rows: tuple[range, ...],
    table: tuple[int, ...],
    first: tuple[int, int],
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    least: float | None,
) -> Block:
    """The product of some rows of a matrix with `axes` of `cells`.

    Parameters
    ----------
    values, columns
        Cells of the matrix in the order of rows, then of columns; `columns` are numbers of cells
        of the `grid`, of which `cells` begins at `corner`.
    starts
        Where rows begin among all cells of the matrix, and the last one ends.
    at
        Axis of the result at which those of the rows begin.
    rows
        Coordinates of the rows along each axis of their grid, of shape `table`.
    first
        Number of the first row of `starts`, and of the first of `values`.
    shape
        Of the result.
    dtype
        Of `values` and of the result.
    least
        NaN is left out, and results with less weight are NaN; None to leave nothing out.
    """
    own = slice(at, at + len(rows))
    if out is None or one_step(out.shape[own], out.strides[own]) is None:
        out = np.empty(shape, dtype)
    if not out.size:
        return out
    if cells.dtype == np.float16 or not (cells.flags.aligned and cells.dtype.isnative):
        cells = cells.astype(dtype)
    turned = cells.transpose([*(a for a in range(cells.ndim) if a not in axes), *axes])
    outer_rank = cells.ndim - len(axes)
    axes_of_rows = range(at, at + len(rows))
    results = out.transpose([*(a for a in range(out.ndim) if a not in axes_of_rows), *axes_of_rows])
    values, columns, starts = _of_rows(values, columns, starts - first[1], rows, table, first[0])
    places = _places(columns, grid, corner, turned.shape[outer_rank:])
    with np.errstate(all="ignore"), listening(frozenset()):
        is_done = sparse_matmul_compiled.product(
            results, turned, values, places, starts, outer_rank, least
        )
        if not is_done:
            _product(results, turned, values, places, starts, outer_rank, least)
    return out


def _of_rows(
    values: Block,
    columns: Block,
    starts: Block,
    rows: Sequence[range],
    table: Sequence[int],
    first: int,
) -> tuple[Block, Block, Block]:
    """The matrix's cells of some rows alone, and where each row begins among them."""
    numbers: Block = np.zeros((), np.int64)
    for axis, one in enumerate(rows):
        numbers = np.add.outer(numbers, np.array(one, np.int64) * prod(table[axis + 1 :]))
    numbers = numbers.ravel() - first
    begin, end = starts[numbers], starts[numbers + 1]
    if (begin[1:] == end[:-1]).all():
        part = slice(int(begin[0]), int(end[-1]))
        return values[part], columns[part], np.append(begin, end[-1]) - begin[0]
    ends = np.cumsum(end - begin)
    picked = np.arange(ends[-1]) + np.repeat(end - ends, end - begin)
    return values[picked], columns[picked], np.append(0, ends)


def _places(
    columns: Block, grid: Sequence[int], corner: Sequence[int], sides: Sequence[int]
) -> tuple[Block, ...]:
    """Coordinates in the block of the cells that the matrix's are multiplied with, by axis.

    Of axes that the block has whole after the first, the coordinate is that in the line of all.
    """
    whole = all(a == b for a, b in zip(grid[1:], sides[1:], strict=True))
    if whole:
        rest = prod(grid[1:])
        return (columns.astype(np.int64) - corner[0] * rest,)
    found: list[Block] = []
    left = columns
    for n, begin in zip(reversed(grid), reversed(corner), strict=True):
        left, here = np.divmod(left, n)
        found.append(here.astype(np.int64) - begin)
    return tuple(reversed(found))


def _product(
    results: Block,
    cells: Block,
    values: Block,
    coordinates: tuple[Block, ...],
    starts: Block,
    kept: int,
    least: float | None,
) -> None:
    """The product by NumPy: first the first stored cell of each row, then the second, and so on."""
    if not values.size:
        results[...] = 0 if least is None else np.nan
        return
    counts = np.diff(starts)
    order = np.argsort(-counts, kind="stable")
    begins, lengths = starts[:-1][order], -counts[order]
    if len(coordinates) < cells.ndim - kept:
        coordinates = np.unravel_index(coordinates[0], cells.shape[kept:])
    outer, table = results.shape[:kept], results.shape[kept:]
    for tile in tiles(outer, max(1, TILE_CELLS // max(1, order.size))):
        stop_if_asked()
        own = cells[tile[:-1]]
        sums = np.zeros((*own.shape[:kept], order.size), results.dtype)
        shares = None if least is None else np.zeros(sums.shape, _share_dtype(values.dtype))
        for number in range(int(counts.max())):
            count = int(np.searchsorted(lengths, -number))  # of rows that have more cells
            at = begins[:count] + number
            met = own[(..., *[p[at] for p in coordinates])].astype(results.dtype)
            _add(
                sums[..., :count], None if shares is None else shares[..., :count], values[at], met
            )
        found = sums if shares is None or least is None else _weighted_means(sums, shares, least)
        back = np.empty_like(found)
        back[..., order] = found
        results[tile[:-1]] = back.reshape((*own.shape[:kept], *table))


def _share_dtype(values: np.dtype[Any]) -> np.dtype[Any]:
    real = np.empty(0, values).real.dtype
    return np.result_type(real, np.float64)


def _add(sums: Block, shares: Block | None, values: Block, cells: Block) -> None:
    if sums.dtype.kind == "b":
        sums |= values & cells
        return
    if shares is not None:
        known = cells == cells
        cells = np.where(known, cells, cells.dtype.type(0))
        shares += values.real.astype(shares.dtype) * known.astype(shares.dtype)
    sums += multiply(values, cells)


def _weighted_means(sums: Block, shares: Block, least: float) -> Block:
    """Sums over the weight that they were taken with; NaN where that is less than the `least`."""
    bad = shares < least
    wide = np.where(bad, shares.dtype.type(1), shares)
    if sums.dtype.kind != "c":
        return np.where(bad, np.nan, (sums / wide)).astype(sums.dtype)
    found = np.empty_like(sums)
    found.real, found.imag = sums.real / wide, sums.imag / wide
    found[bad] = np.nan
    return found


KERNELS: Final[dict[str, Kernel]] = {"sparsematmul": sparse_matmul}
