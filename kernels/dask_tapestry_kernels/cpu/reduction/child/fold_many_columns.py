"""Folds of columns of cells side by side: each column has 32 accumulators in a buffer.

A lane's rows come one after the other, so its accumulators stay in the first or second cache
however many columns there are, and several of these rows are read together, so that they are read
and written once for all of them. Long pieces of rows count: 36 M float64 as 6000 x 6000, both
threads of a busy machine, take 20 ms of the processor where all lanes take turns on 512 columns,
as many as the second cache holds, and 17 ms lane by lane on 4096. Tried in C before, one thread of
a machine whose other one was busy, 32 M float64 in rows of 1000, 4096 and 10,000 (GB/s; reading
alone 20.7), all lanes taking turns but in the first row:

- a lane at a time in registers, 8, 16, 32 or 64 columns wide: 3 to 8, with prefetching to 12;
- a round at a time, 256 or 1024 columns wide: 8 to 14;
- 8 rounds at a time, as here: 64 columns 13, 256 columns 12 to 16, 1024 columns 12 to 26; 2 or 4
  rounds are slower, 16 or 32 no faster, and prefetching the next row's columns gains nothing.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import (
    copy_bytes,
    write_cell,
)
from dask_tapestry_kernels.cpu.reduction.child.fold_formula_columns import (
    evaluate,
    fold_jointly,
    formula_address,
)
from dask_tapestry_kernels.cpu.reduction.child.leaf_records import (
    CALL,
    Record,
    formula_at,
    source_at,
)
from dask_tapestry_kernels.cpu.reduction.child.monoid_ir import LeafPass
from dask_tapestry_kernels.cpu.reduction.child.simd_accumulators import LANES, LaneOps, bytes_of
from dask_tapestry_kernels.cpu.reduction.column_widths import (
    BROUGHT,
    LEAST_STRIP,
    ROUNDS,
    WIDTH,
    columns_at_a_time,
    whole_vectors,
)
from dask_tapestry_kernels.elementary.compiled_functions import (
    I64,
    called,
    inlined,
    keep_apart,
    room,
)

BUFFER: Final = 2**20  # bytes of accumulators, on the stack: 4096 columns of float64
MERGED: Final = 64  # columns up to which contiguous rows are folded a round at a time as one
SHORT: Final = 8  # rows of a leaf that are folded in registers: each is read along its own line
FAR_PLANE: Final = 8 * LANES * WIDTH  # bytes from one field of settled lanes to the next


most = called(3, result=I64)(columns_at_a_time)
whole = called(1, result=I64)(whole_vectors)


def column_folder(folded: LeafPass) -> Any:
    """``columns(cells, told, index, k, stop, call)``: one pass over columns k to `stop` of a leaf.

    `cells` is the address of the leaf, `told` that of the context of the first column, `index` the
    number of its state, and `call` the record `leaf_tables.CALL`. Contiguous rows of few
    columns are one row of 32 lanes times these columns, a round each.
    """
    strip, plane, accumulators = buffer_of(folded)
    few, item = min(MERGED, strip), folded.cell.itemsize
    told_item = 0 if folded.context is None else folded.context.itemsize
    contexts_room = room((max(LANES * few, strip) + WIDTH) * max(told_item, 1))
    tell, end = _context_loader(folded), _ender(folded, plane)
    in_memory, of_formulas = _rounds(folded), _rounds_of_formulas(folded)
    merged, short = _merged(folded), _short(folded)

    @called(5, CALL)
    def columns(cells: int, told: int, index: int, k: int, stop: int, call: Record) -> None:
        keep_apart()
        buffer, contexts = accumulators(), contexts_room()
        kept, source = call.kept, call.source
        if stop - k == kept <= few and call.cell_stride == kept * item and source == 0:
            merged(buffer, contexts, cells, told, index, call)
            return
        formulas = source_at(source).formulas if source else 0
        width = most(strip, formulas, stop - k)
        while k < stop:
            own = min(width, stop - k)
            tell(contexts, told + k * told_item, own, 1)
            if source == 0 and call.n <= SHORT:
                short(contexts, cells + k * item, own, index + k, call)
                k += own
                continue
            if source:
                of_formulas(buffer, contexts, k, own, call)
                for one in range(formulas):
                    parts = formula_at(formula_address(source, one)).parts
                    end(buffer, strip, one * whole(own), own, call.n, parts, index + k)
            else:
                in_memory(buffer, contexts, cells + k * item, own, call)
                end(buffer, strip, 0, own, call.n, call.parts, index + k)
            k += own

    return columns


def _rounds(folded: LeafPass) -> Any:
    """``rounds(buffer, contexts, cells, count, call)``: fold the rows of `count` columns."""
    strip, accumulate = buffer_of(folded)[0], accumulator(folded)

    @called(4, CALL)
    def rounds(buffer: int, contexts: int, cells: int, count: int, call: Record) -> None:
        keep_apart()
        n, stride = call.n, call.round_stride
        for lane in range(min(LANES, n)):
            at = cells + lane * call.cell_stride
            for i in range(lane, n, ROUNDS * LANES):
                rows = min(ROUNDS, (n - i + LANES - 1) // LANES)
                accumulate(buffer, lane * strip, at, count, rows, stride, contexts, i)
                at += ROUNDS * stride

    return rounds


def _short(folded: LeafPass) -> Any:
    """``short(contexts, cells, count, index, call)``: columns of a leaf of a few rows.

    Each row is a lane, and no accumulator is kept.
    """
    passes, item = LaneOps(folded, WIDTH), folded.cell.itemsize
    read, read_some, tell = passes.read(), passes.read_some(), passes.context(False)
    store, again, settle = passes.store(True), passes.load(True), passes.settle()
    write, halve = passes.write(), _halver(folded)
    far_plane = FAR_PLANE
    settled_room = room(far_plane * len(folded.ended))

    @called(4, CALL)
    def short(contexts: int, cells: int, count: int, index: int, call: Record) -> None:
        keep_apart()
        held, k, n, parts = settled_room(), 0, call.n, call.parts
        while k < count:
            context, some, lane = tell(contexts, k), count - k, 0
            at = cells + k * item
            while lane < n:
                if some >= WIDTH:
                    store(settle(read(at, context, lane)), held, far_plane, lane * WIDTH)
                else:
                    late = settle(read_some(at, some, context, lane))
                    store(late, held, far_plane, lane * WIDTH)
                at += call.cell_stride
                lane += 1
            halve(held, n)
            write(again(held, far_plane, 0), n, parts, index + k, min(WIDTH, some))
            k += WIDTH

    return short


def _rounds_of_formulas(folded: LeafPass) -> Any:
    """``rounds(buffer, contexts, k, count, call)``: the same of formulas' columns from k on.

    By one loop that folds all formulas, where there is one; else all formulas are made of some
    columns before the next ones, while their operands are near.
    """
    strip, accumulate, item = buffer_of(folded)[0], accumulator(folded), folded.cell.itemsize
    told_item = 0 if folded.context is None else folded.context.itemsize
    held = bytes_of(folded.near[0])

    @called(4, CALL)
    def rounds(buffer: int, contexts: int, k: int, count: int, call: Record) -> None:
        keep_apart()
        n, source, apart = call.n, call.source, whole(count)
        cells, joint = source_at(source).values, source_at(source).joint
        for lane in range(min(LANES, n)):
            for i in range(lane, n, ROUNDS * LANES):
                rows = min(ROUNDS, (n - i + LANES - 1) // LANES)
                if joint:
                    place = buffer + lane * strip * held
                    fold_jointly(source, place, apart * held, k, count, i, rows)
                    continue
                for first in range(0, count, BROUGHT):
                    some = min(BROUGHT, count - first)
                    for one in range(source_at(source).formulas):
                        place = lane * strip + one * apart + first
                        evaluate(source, one, k + first, i, rows, some, some * item)
                        told = contexts + first * told_item
                        accumulate(buffer, place, cells, some, rows, some * item, told, i)

    return rounds


def _merged(folded: LeafPass) -> Any:
    """``merged(buffer, contexts, cells, told, index, call)``: few columns, contiguous rows."""
    plane, accumulate, tell = buffer_of(folded)[1], accumulator(folded), _context_loader(folded)
    end, end_merged = _ender(folded, plane), _merged_ender(folded, plane)

    @called(5, CALL)
    def merged(buffer: int, contexts: int, cells: int, told: int, index: int, call: Record) -> None:
        keep_apart()
        n, stride = call.n, call.round_stride
        kept, parts = call.kept, call.parts
        tell(contexts, told, kept, LANES)
        for i in range(0, n, ROUNDS * LANES):
            whole, block = min(ROUNDS, (n - i) // LANES), cells + i // LANES * stride
            rest = n - i - whole * LANES if whole < ROUNDS else 0
            if whole:
                accumulate(buffer, 0, block, LANES * kept, whole, stride, contexts, i)
            if rest:
                at, number = block + whole * stride, i + whole * LANES
                accumulate(buffer, 0, at, rest * kept, 1, stride, contexts, number)
        if n >= LANES:
            end_merged(buffer, kept, n, parts, index)
        else:
            end(buffer, kept, 0, kept, n, parts, index)

    return merged


@cache
def buffer_of(folded: LeafPass) -> tuple[int, int, Any]:
    """Columns that the buffer holds, bytes from one field to the next, and what reserves it."""
    lane_bytes = sum(bytes_of(element) for element in folded.near)
    strip = max(LEAST_STRIP, BUFFER // LANES // lane_bytes // WIDTH * WIDTH)
    plane = (strip * LANES + WIDTH) * max(bytes_of(element) for element in folded.near)
    return strip, plane, room(plane * len(folded.near))


@cache
def _context_loader(folded: LeafPass) -> Any:
    """``tell(contexts, told, count, lanes)``: contexts of `count` columns, for each of `lanes`."""
    counts = folded.counts
    item = 0 if folded.context is None else folded.context.itemsize

    @called(4)
    def tell(contexts: int, told: int, count: int, lanes: int) -> None:
        keep_apart()
        for lane in range(lanes if item else 0):
            at = contexts + lane * count * item
            if counts:
                for k in range(count):
                    write_cell(at, k, np.int32(lane))
            else:
                copy_bytes(at, told, count * item)

    return tell


@cache
def accumulator(folded: LeafPass) -> Any:
    """``accumulate(buffer, place, cells, count, rows, stride, told, number)``: fold some rows.

    `rows` rows of `count` columns, `stride` bytes apart, go into the accumulators from `place` on;
    the first one is row `number` of the leaf, and begins the accumulators if it is in its first
    round. `told` is the address of the contexts of the columns.
    """
    passes, plane = LaneOps(folded, WIDTH), buffer_of(folded)[1]
    read, step, tell = passes.read(), passes.step(), passes.context(False)
    read_some, step_some = passes.read_some(), passes.step_some()
    load, store = passes.load(False), passes.store(False)
    item = folded.cell.itemsize

    @called(8)
    def accumulate(
        buffer: int, place: int, cells: int, count: int, rows: int, stride: int, told: int,
        number: int,
    ) -> None:  # fmt: skip
        keep_apart()
        k, first = 0, number < LANES
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


@cache
def _halver(folded: LeafPass) -> Any:
    """``halve(held, valid)``: fold the first `valid` of 32 settled lanes by halves."""
    passes, far_plane = LaneOps(folded, WIDTH), FAR_PLANE
    store, again, combine = passes.store(True), passes.load(True), passes.combine()

    @inlined
    def halve(held: int, valid: int) -> None:
        half = LANES // 2
        while half:
            lane = half
            while lane < min(2 * half, valid):
                low = again(held, far_plane, (lane - half) * WIDTH)
                high = again(held, far_plane, lane * WIDTH)
                store(combine(low, high), held, far_plane, (lane - half) * WIDTH)
                lane += 1
            half //= 2

    return halve


@cache
def _ender(folded: LeafPass, plane: int) -> Any:
    """Fold the lanes of `count` columns by halves and write the states."""
    passes = LaneOps(folded, WIDTH)
    load, store, again = passes.load(False), passes.store(True), passes.load(True)
    settle, write, fold = passes.settle(), passes.write(), _halver(folded)
    far_plane = FAR_PLANE
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
            fold(held, valid)
            write(again(held, far_plane, 0), n, parts, index + k, min(WIDTH, count - k))
            k += WIDTH

    return end


def _merged_ender(folded: LeafPass, plane: int) -> Any:
    """As `end` where the lanes of few columns are one row, whose halves are folded as one."""
    passes = LaneOps(folded, WIDTH)
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
