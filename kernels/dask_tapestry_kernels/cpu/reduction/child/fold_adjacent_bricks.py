"""Folds of bricks side by side, whose rows are 32 cells: a row of a brick is one round.

A brick by itself is 32 short pieces of memory. Of a run of bricks the rows are long: 32 M float64
as 4096 x 8192, one busy thread, at 11.8 GB/s brick by brick and at 18.9 in runs of 32, whose
accumulators fit in the first cache. Those of longer runs need the second one, and memory is read
faster all the same: 36 M float64 as 6000 x 6000 at 17 GB/s in runs of 32, and at 22 in runs of 128
(a machine where a loop that only adds reads 33).
"""

from __future__ import annotations

from typing import Any, Final

from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import copy_bytes
from dask_tapestry_kernels.cpu.reduction.child.fold_many_columns import accumulator, buffer_of
from dask_tapestry_kernels.cpu.reduction.child.monoid_ir import LeafPass
from dask_tapestry_kernels.cpu.reduction.child.simd_accumulators import LANES, LaneOps
from dask_tapestry_kernels.cpu.reduction.column_widths import ROUNDS
from dask_tapestry_kernels.elementary.compiled_functions import called, keep_apart, room

BRICKS: Final = 128  # at a time; 32 KiB of each row of float64


def brick_folder(folded: LeafPass) -> Any:
    """``bricks(cells, count, n, round_stride, told, parts, index)``: one pass, `BRICKS` at most.

    `told` is the address of the context of the first, `index` the number of its state.
    """
    _, plane, accumulators = buffer_of(folded)
    accumulate = accumulator(folded)
    lanes = LaneOps(folded, LANES)
    load, settle, halve, write = (
        lanes.load(False), lanes.settle(), lanes.halve(), LaneOps(folded, 1).write()
    )  # fmt: skip
    told_item = 0 if folded.context is None else folded.context.itemsize
    contexts_room = room(BRICKS * LANES * max(told_item, 1))

    @called(7)
    def bricks(
        cells: int, count: int, n: int, round_stride: int, told: int, parts: int, index: int
    ) -> None:
        keep_apart()
        buffer, contexts, rounds = accumulators(), contexts_room(), n // LANES
        if told_item:
            for i in range(count * LANES):
                at = told + i // LANES * told_item
                copy_bytes(contexts + i * told_item, at, told_item)
        i = 0
        while i < rounds:
            rows, at = min(ROUNDS, rounds - i), cells + i * round_stride
            accumulate(buffer, 0, at, count * LANES, rows, round_stride, contexts, i * LANES)
            i += ROUNDS
        for i in range(count):
            whole = halve(settle(load(buffer, plane, i * LANES)), LANES)
            write(whole, n, parts, index + i, 1)

    return bricks
