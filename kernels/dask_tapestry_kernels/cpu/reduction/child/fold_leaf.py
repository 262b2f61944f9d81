"""Leaves of the canonical tree, folded by compiled code: one function for a monoid and dtypes.

The functions serve the texts of `fold_texts`. One column stays in registers (`fold_one_column`),
several columns run through a buffer (`fold_many_columns`), and bricks side by side are folded in
runs (`fold_adjacent_bricks`). All have the bits of `monoids.ARITHMETIC[...].leaf`: the cells go in
turn to 32 lanes, and the lanes are folded by halves.

Importing this module imports numba, so only what compiles, or loads what was compiled, does.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import get_int64
from dask_tapestry_kernels.cpu.reduction.child.fold_adjacent_bricks import BRICKS, brick_folder
from dask_tapestry_kernels.cpu.reduction.child.fold_argextremes import place_folder
from dask_tapestry_kernels.cpu.reduction.child.fold_many_columns import column_folder
from dask_tapestry_kernels.cpu.reduction.child.fold_one_column import row_folder
from dask_tapestry_kernels.cpu.reduction.child.monoid_ir import Folded, passes
from dask_tapestry_kernels.cpu.reduction.child.simd_accumulators import LANES, called
from dask_tapestry_kernels.cpu.reduction.fold_texts import PLACES

DType = np.dtype[Any]


@cache
def folder(monoid: str, cell: str, state: Any) -> Any:
    """The function behind the kernel of `fold_texts.fold_source`, for compiled code to call."""
    dtypes = np.dtype(cell), np.dtype(state if isinstance(state, str) else list(state))
    if monoid in PLACES:
        return place_folder(monoid, dtypes[0])
    first, *others = passes(monoid, *dtypes)
    return _two_passes(first, others[0]) if others else _one_pass(first)


def _one_pass(folded: Folded) -> Any:
    row, columns, bricks = row_folder(folded), column_folder(folded), brick_folder(folded)
    line = LANES * folded.cell.itemsize

    @called(9)
    def fold(
        cells: int, leaves: int, leaf_stride: int, n: int, round_stride: int, n_stride: int,
        kept: int, parts: int, source: int,
    ) -> None:  # fmt: skip
        leaf = 0
        side_by_side = kept == 1 and leaf_stride == line and round_stride != line
        while leaf < leaves:
            at, count = cells + leaf * leaf_stride, 1
            if side_by_side:
                count = min(BRICKS, leaves - leaf)
                bricks(at, count, n, round_stride, 0, parts, leaf)
            elif kept == 1:
                row(at, n, round_stride, 0, parts, leaf)
            else:
                columns(at, n, round_stride, n_stride, kept, 0, parts, leaf * kept, source)
            leaf += count

    return fold


def _two_passes(first: Folded, second: Folded) -> Any:
    """The first pass writes the mean, the second reads it; the leaf comes from a cache then."""
    row, columns, bricks = row_folder(first), column_folder(first), brick_folder(first)
    row_2, columns_2, bricks_2 = row_folder(second), column_folder(second), brick_folder(second)
    item, line, mean = first.written[0].itemsize, LANES * first.cell.itemsize, first.places[0]

    @called(9)
    def fold(
        cells: int, leaves: int, leaf_stride: int, n: int, round_stride: int, n_stride: int,
        kept: int, parts: int, source: int,
    ) -> None:  # fmt: skip
        leaf, means = 0, get_int64(parts, mean)
        side_by_side = kept == 1 and leaf_stride == line and round_stride != line
        while leaf < leaves:
            at, told, count = cells + leaf * leaf_stride, means + leaf * kept * item, 1
            if side_by_side:
                count = min(BRICKS, leaves - leaf)
                bricks(at, count, n, round_stride, 0, parts, leaf)
                bricks_2(at, count, n, round_stride, told, parts, leaf)
            elif kept == 1:
                row(at, n, round_stride, 0, parts, leaf)
                row_2(at, n, round_stride, means, parts, leaf)
            else:
                index = leaf * kept
                columns(at, n, round_stride, n_stride, kept, 0, parts, index, source)
                columns_2(at, n, round_stride, n_stride, kept, told, parts, index, source)
            leaf += count

    return fold
