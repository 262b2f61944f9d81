"""One pass over leaves, by the way that suits how they lie: a row, bricks in a run, or columns."""

from __future__ import annotations

from typing import Any

from dask_tapestry_kernels.cpu.reduction.child.fold_adjacent_bricks import BRICKS, brick_folder
from dask_tapestry_kernels.cpu.reduction.child.fold_many_columns import column_folder
from dask_tapestry_kernels.cpu.reduction.child.fold_one_column import row_folder
from dask_tapestry_kernels.cpu.reduction.child.leaf_records import CALL, Record
from dask_tapestry_kernels.cpu.reduction.child.monoid_ir import LeafPass
from dask_tapestry_kernels.cpu.reduction.child.simd_accumulators import LANES
from dask_tapestry_kernels.elementary.compiled_functions import I64, called


def pass_folder(single: LeafPass, columns: LeafPass) -> Any:
    """``over(leaf, count, means, call)``: fold `count` leaves from number `leaf` on.

    `single` is the pass over leaves of one column, `columns` that over others. `means` is 0, or the
    address of what the pass is told for each leaf and column, side by side. `call` is the record
    `leaf_tables.CALL`.
    """
    row, bricks, several = row_folder(single), brick_folder(single), column_folder(columns)
    told_item = 0 if columns.context is None else columns.context.itemsize

    @called(3, CALL)
    def over(leaf: int, count: int, means: int, call: Record) -> None:
        at = call.cells + leaf * call.leaf_stride
        n, round_stride = call.n, call.round_stride
        kept, parts = call.kept, call.parts
        told = means + leaf * kept * told_item
        if kept != 1:
            several(at, told, leaf * kept, call)
        elif count == 1:
            row(at, n, round_stride, means, parts, leaf)
        else:
            bricks(at, count, n, round_stride, told, parts, leaf)

    return over


def run_length(item: int) -> Any:
    """``run(leaf, call)``: how many leaves from number `leaf` on are folded together."""
    line = LANES * item

    @called(1, CALL, result=I64)
    def run(leaf: int, call: Record) -> int:
        adjacent = call.kept == 1 and call.leaf_stride == line and call.round_stride != line
        return min(BRICKS, call.leaves - leaf) if adjacent else 1

    return run
