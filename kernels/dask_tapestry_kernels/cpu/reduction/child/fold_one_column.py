"""Folds of one column of cells: the 32 lanes stay in registers, 4 of them for float64."""

from __future__ import annotations

from typing import Any, Final

from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import fetch_lines
from dask_tapestry_kernels.cpu.reduction.child.monoid_ir import LeafPass
from dask_tapestry_kernels.cpu.reduction.child.simd_accumulators import LANES, LaneOps
from dask_tapestry_kernels.elementary.compiled_functions import inlined

# Memory comes by itself up to the end of a page; of the next one a round is asked for as soon as a
# page begins. To ask for every line so far ahead helps some processors and holds up others: sums of
# rows of 6000 x 6000 float64 took 9.2 ms of a thread unasked for and 7.4 so on one, and 9 M
# float64 take 4.7, 5.5 and, asked for by pages, 4.7 on another.
PAGE: Final = 4096


def row_folder(folded: LeafPass) -> Any:
    """``row(address, n, round_stride, told, parts, index)``: one pass over one leaf.

    `told` is the address of the contexts, of which the leaf's is number `index`, where its parts of
    the state are written too.
    """
    passes = LaneOps(folded, LANES)
    read, read_some, settle = passes.read(), passes.read_some(), passes.settle()
    step, step_some, halve = passes.step(), passes.step_some(), passes.halve()
    load, write = passes.context(True), LaneOps(folded, 1).write()

    item, again = folded.cell.itemsize, folded.context is not None
    line = LANES * item

    @inlined
    def row(address: int, n: int, round_stride: int, told: int, parts: int, index: int) -> None:
        context, far = load(told, index), PAGE + (n * item if again else 0)
        rounds = n // LANES
        rest = n - rounds * LANES
        if rounds:
            lanes = read(address, context, 0)
            i = 1
            while i < rounds:
                at = address + i * round_stride
                if at & (PAGE - 1) < line:
                    fetch_lines(at + far, line)
                lanes = step(lanes, read(at, context, i * LANES))
                i += 1
            if rest:
                last = read_some(address + rounds * round_stride, rest, context, rounds * LANES)
                lanes = step_some(lanes, last, rest)
        else:
            lanes = read_some(address, rest, context, 0)
        write(halve(settle(lanes), min(n, LANES)), n, parts, index, 1)

    return row
