"""One pass over leaves, by the way that suits how they lie: a row, bricks in a run, or columns."""

from __future__ import annotations

from typing import Any, Final

from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import fetch_line, fetch_lines
from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import get_int64 as get
from dask_tapestry_kernels.cpu.reduction.child.fold_adjacent_bricks import BRICKS, brick_folder
from dask_tapestry_kernels.cpu.reduction.child.fold_many_columns import column_folder
from dask_tapestry_kernels.cpu.reduction.child.fold_one_column import row_folder
from dask_tapestry_kernels.cpu.reduction.child.leaf_records import CALL, Record
from dask_tapestry_kernels.cpu.reduction.child.monoid_ir import LeafPass
from dask_tapestry_kernels.cpu.reduction.child.simd_accumulators import LANES
from dask_tapestry_kernels.elementary.compiled_functions import I64, called, inlined

AHEAD: Final = 24  # leaves before one that is picked is folded, its lines of memory are asked for
ASKED_BYTES: Final = 1_024  # longer ones come by themselves


def pass_folder(single: LeafPass, columns: LeafPass) -> Any:
    """``over(leaf, count, first, columns, means, call)``: fold `count` leaves from `leaf` on.

    Of leaves of several columns `columns` are folded, from number `first` on.
    `single` is the pass over leaves of one column, `columns` that over others. `means` is 0, or the
    address of what the pass is told for each leaf and column, side by side. `call` is the record
    `leaf_tables.CALL`.
    """
    row, bricks, several = row_folder(single), brick_folder(single), column_folder(columns)
    ask = _asking(single.cell.itemsize)
    told_item = 0 if columns.context is None else columns.context.itemsize

    @called(5, CALL)
    def over(leaf: int, count: int, first: int, columns: int, means: int, call: Record) -> None:
        place, n, round_stride = leaf, call.n, call.round_stride
        if call.picks:
            place = get(call.picks, leaf)
            if leaf + AHEAD < call.leaves:
                ask(call.cells + get(call.picks, leaf + AHEAD) * call.leaf_stride, n)
        at = call.cells + place * call.leaf_stride
        kept, parts = call.kept, call.parts
        told = means + leaf * kept * told_item
        if kept != 1:
            several(at, told, leaf * kept, first, first + columns, call)
        elif count == 1:
            row(at, n, round_stride, means, parts, leaf)
        else:
            bricks(at, count, n, round_stride, told, parts, leaf)

    return over


def _asking(item: int) -> Any:
    """``ask(address, n)``: ask for the lines of memory of a leaf of n cells side by side."""

    @inlined
    def ask(address: int, n: int) -> None:
        stop = min(n * item, ASKED_BYTES)
        fetch_lines(address, stop)
        fetch_line(address + stop - 1)  # a leaf that begins within a line ends in one more

    return ask


def run_length(item: int) -> Any:
    """``run(leaf, call)``: how many leaves from number `leaf` on are folded together."""
    line = LANES * item

    @called(1, CALL, result=I64)
    def run(leaf: int, call: Record) -> int:
        adjacent = call.kept == 1 and call.leaf_stride == line and call.round_stride != line
        return min(BRICKS, call.leaves - leaf) if adjacent and not call.picks else 1

    return run
