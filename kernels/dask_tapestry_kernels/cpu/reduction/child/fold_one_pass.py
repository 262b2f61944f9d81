"""One pass over leaves, by the way that suits how they lie: a row, bricks in a run, or columns.

Importing this module imports numba, so only what compiles, or loads what was compiled, does.
"""

from __future__ import annotations

from typing import Any

from dask_tapestry_kernels.cpu.jit.child.compiled_functions import I64, called
from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import get_int64 as get
from dask_tapestry_kernels.cpu.reduction.child.fold_adjacent_bricks import BRICKS, brick_folder
from dask_tapestry_kernels.cpu.reduction.child.fold_many_columns import column_folder
from dask_tapestry_kernels.cpu.reduction.child.fold_one_column import row_folder
from dask_tapestry_kernels.cpu.reduction.child.monoid_ir import Folded
from dask_tapestry_kernels.cpu.reduction.child.simd_accumulators import LANES
from dask_tapestry_kernels.cpu.reduction.leaf_tables import FoldWord


def pass_folder(single: Folded, columns: Folded) -> Any:
    """``over(leaf, count, means, call)``: fold `count` leaves from number `leaf` on.

    `single` is the pass over leaves of one column, `columns` that over others. `means` is 0, or the
    address of what the pass is told for each leaf and column, side by side. `call` is the address
    of a table of `FoldWord`.
    """
    row, bricks, several = row_folder(single), brick_folder(single), column_folder(columns)
    told_item = 0 if columns.context is None else columns.context.itemsize

    @called(4)
    def over(leaf: int, count: int, means: int, call: int) -> None:
        at = get(call, FoldWord.CELLS) + leaf * get(call, FoldWord.LEAF_STRIDE)
        n, round_stride = get(call, FoldWord.N), get(call, FoldWord.ROUND_STRIDE)
        kept, parts = get(call, FoldWord.KEPT), get(call, FoldWord.PARTS)
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

    @called(2, I64)
    def run(leaf: int, call: int) -> int:
        adjacent = (
            get(call, FoldWord.KEPT) == 1
            and get(call, FoldWord.LEAF_STRIDE) == line
            and get(call, FoldWord.ROUND_STRIDE) != line
        )
        return min(BRICKS, get(call, FoldWord.LEAVES) - leaf) if adjacent else 1

    return run
