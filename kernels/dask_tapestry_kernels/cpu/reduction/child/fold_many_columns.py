"""Folds of columns of cells side by side: each column has 32 accumulators in a buffer.

The buffer stays in the second cache. Several rounds of rows are read together, so that it is read
and written once for all of them. Tried in C, one thread of a machine whose other one was busy, 32 M
float64 in rows of 1000, 4096 and 10,000 (GB/s; reading alone 20.7):

- a lane at a time in registers, 8, 16, 32 or 64 columns wide: 3 to 8, with prefetching to 12;
- a round at a time, 256 or 1024 columns wide: 8 to 14;
- 8 rounds at a time, as here: 64 columns 13, 256 columns 12 to 16, 1024 columns 12 to 26; 2 or 4
  rounds are slower, 16 or 32 no faster, and prefetching the next row's columns gains nothing.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import copy_bytes, set_int32
from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import get_int64 as get
from dask_tapestry_kernels.cpu.reduction.child.fold_formula_columns import HEAD, evaluate
from dask_tapestry_kernels.cpu.reduction.child.monoid_ir import Folded
from dask_tapestry_kernels.cpu.reduction.child.simd_accumulators import (
    LANES,
    Passes,
    bytes_of,
    called,
    keep_apart,
    room,
)

ROUNDS: Final = 8  # taken together
BUFFER: Final = 393_216  # bytes of accumulators, a third of them for one formula or cells in memory
TURNS: Final = 3  # formulas that use the whole buffer
MERGED: Final = 64  # columns up to which contiguous rows are folded a round at a time as one
BROUGHT: Final = 512  # columns of formulas at a time, whose values stay in the first cache
WIDTH: Final = 32  # columns at a time; fewer are copied into a vector that long


def column_folder(folded: Folded) -> Any:
    """``columns(cells, n, round_stride, n_stride, kept, told, parts, index, source)``: one pass.

    `told` is the address of the context of the first column, `index` the number of its state.
    Contiguous rows of few columns are one row of 32 lanes times these columns, a round each.
    `source` makes cells that are not in memory, as `fold_formula_columns.evaluate` takes it; or it
    is 0.
    """
    strip, plane, accumulators = buffer_of(folded)
    few = min(MERGED, strip)
    told_item = 0 if folded.context is None else folded.context.itemsize
    contexts_room = room((max(LANES * few, strip) + WIDTH) * max(told_item, 1))
    tell_all, item = _teller(folded), folded.cell.itemsize
    accumulate, end = accumulator(folded), _ender(folded, plane)
    end_merged = _merged_ender(folded, plane)

    @called(9)
    def columns(
        cells: int, n: int, round_stride: int, n_stride: int, kept: int, told: int, parts: int,
        index: int, source: int,
    ) -> None:  # fmt: skip
        keep_apart()
        buffer, contexts = accumulators(), contexts_room()
        merged = kept <= few and n_stride == kept * item and source == 0
        formulas = get(source, 0) if source else 1
        most = min(strip // max(TURNS, formulas), BROUGHT if source else strip)
        strips = (kept + most - 1) // most
        most = ((kept + strips - 1) // strips + WIDTH - 1) // WIDTH * WIDTH
        k = 0
        while k < kept:
            own = kept if merged else min(most, kept - k)
            count = own * formulas
            pitch = kept if merged else strip
            if told_item:
                tell_all(contexts, told + k * told_item, count, LANES if merged else 1)
            i = 0
            while i < n:
                left, block = n - i, cells + k * item + i // LANES * round_stride
                whole = min(ROUNDS, left // LANES)
                rest = left - whole * LANES if whole < ROUNDS else 0
                lane, lanes = 0, 2 if merged else min(LANES, left)
                while lane < lanes:
                    at, place, number, width = (
                        block + lane * n_stride,
                        lane * pitch,
                        i + lane,
                        count,
                    )
                    rows, first = whole + (1 if lane < rest else 0), i == 0
                    if merged and lane == 0:
                        rows, width = whole, LANES * kept
                    elif merged:
                        at, place, number, width = (
                            block + whole * round_stride,
                            0,
                            i + whole * LANES,
                            rest * kept,
                        )
                        rows, first = 1, i == 0 and whole == 0
                    if source and rows:
                        out, line = get(source, 1), own * item
                        for one in range(formulas):
                            evaluate(source, one, k, number, rows, own, line)
                            accumulate(
                                buffer, place + one * own, out, own, rows, line, first, contexts,
                                number,
                            )  # fmt: skip
                    elif rows and width:
                        accumulate(
                            buffer, place, at, width, rows, round_stride, first, contexts, number
                        )
                    lane += 1
                i += ROUNDS * LANES
            if merged and n >= LANES:
                end_merged(buffer, kept, n, parts, index)
            else:
                for one in range(formulas):
                    if source:
                        words = 2 + 3 * get(source, 3)
                        parts = get(source, HEAD + one * words + 1)
                    end(buffer, pitch, one * own, own, n, parts, index + k)
            k += own

    return columns


def buffer_of(folded: Folded) -> tuple[int, int, Any]:
    """Columns that the buffer holds, bytes from one field to the next, and what reserves it."""
    lane_bytes = sum(bytes_of(element) for element in folded.near)
    strip = BUFFER // LANES // lane_bytes // WIDTH * WIDTH
    plane = (strip * LANES + WIDTH) * max(bytes_of(element) for element in folded.near)
    return strip, plane, room(plane * len(folded.near))


def _teller(folded: Folded) -> Any:
    """Lay out the contexts of `count` columns, once for each of `lanes`."""
    counts = folded.counts
    item = 0 if folded.context is None else folded.context.itemsize

    @called(4)
    def tell(contexts: int, told: int, count: int, lanes: int) -> None:
        keep_apart()
        lane = 0
        while lane < lanes:
            if counts:
                k = 0
                while k < count:
                    set_int32(contexts, lane * count + k, lane)
                    k += 1
            else:
                copy_bytes(contexts + lane * count * item, told, count * item)
            lane += 1

    return tell


@cache
def accumulator(folded: Folded) -> Any:
    """Fold `rows` rows of `count` columns into the accumulators from `place` on."""
    passes, plane = Passes(folded, WIDTH), buffer_of(folded)[1]
    read, step, tell = passes.read(), passes.step(), passes.context(False)
    read_some, step_some = passes.read_some(), passes.step_some()
    load, store = passes.load(False), passes.store(False)
    item = folded.cell.itemsize

    @called(9)
    def accumulate(
        buffer: int, place: int, cells: int, count: int, rows: int, stride: int, first: int,
        told: int, number: int,
    ) -> None:  # fmt: skip
        keep_apart()
        k = 0
        while k < count:
            at, some, i = cells + k * item, count - k, 0
            context = tell(told, k)
            lanes = load(buffer, plane, place + k)
            if some >= WIDTH:
                if first:
                    lanes, i = read(at, context, number), 1
                while i < rows:
                    lanes = step(lanes, read(at + i * stride, context, number + i * LANES))
                    i += 1
            else:
                while i < rows:
                    late = read_some(at + i * stride, some, context, number + i * LANES)
                    lanes = late if first and i == 0 else step_some(lanes, late, some)
                    i += 1
            store(lanes, buffer, plane, place + k)
            k += WIDTH

    return accumulate


def _ender(folded: Folded, plane: int) -> Any:
    """Fold the lanes of `count` columns by halves and write the states."""
    passes = Passes(folded, WIDTH)
    load, store, again = passes.load(False), passes.store(True), passes.load(True)
    combine, settle, write = passes.combine(), passes.settle(), passes.write()
    far_plane = 8 * LANES * WIDTH
    settled_room = room(far_plane * len(folded.ended))

    @called(7)
    def end(
        buffer: int, pitch: int, first: int, count: int, n: int, parts: int, index: int
    ) -> None:
        keep_apart()
        held, k = settled_room(), 0
        while k < count:
            valid, lane = min(n, LANES), 0
            while lane < valid:
                settled = settle(load(buffer, plane, lane * pitch + first + k))
                store(settled, held, far_plane, lane * WIDTH)
                lane += 1
            half = LANES // 2
            while half:
                lane = half
                while lane < min(2 * half, valid):
                    low = again(held, far_plane, (lane - half) * WIDTH)
                    high = again(held, far_plane, lane * WIDTH)
                    store(combine(low, high), held, far_plane, (lane - half) * WIDTH)
                    lane += 1
                half //= 2
            write(again(held, far_plane, 0), n, parts, index + k, min(WIDTH, count - k))
            k += WIDTH

    return end


def _merged_ender(folded: Folded, plane: int) -> Any:
    """As `end` where the lanes of few columns are one row, whose halves are folded as one."""
    passes = Passes(folded, WIDTH)
    load, store, again = passes.load(False), passes.store(True), passes.load(True)
    combine, settle, write = passes.combine(), passes.settle(), passes.write()
    far_plane = 8 * (LANES // 2 * MERGED + 2 * WIDTH)
    settled_room = room(far_plane * len(folded.ended))

    @called(5)
    def end(buffer: int, kept: int, n: int, parts: int, index: int) -> None:
        keep_apart()
        held, k, half = settled_room(), 0, LANES // 2 * kept
        while k < half:
            low, high = settle(load(buffer, plane, k)), settle(load(buffer, plane, half + k))
            store(combine(low, high), held, far_plane, k)
            k += WIDTH
        while half > kept:
            half //= 2
            k = 0
            while k < half:
                low, high = again(held, far_plane, k), again(held, far_plane, half + k)
                store(combine(low, high), held, far_plane, k)
                k += WIDTH
        k = 0
        while k < kept:
            write(again(held, far_plane, k), n, parts, index + k, min(WIDTH, kept - k))
            k += WIDTH

    return end
