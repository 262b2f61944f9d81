"""All leaves of a block, folded through an address.

One compiled function serves every dtype and monoid, as it only moves bytes. A leaf is folded where
it lies if its cells are a stride apart, or its rows are 32 cells, and either its cells or its kept
columns are contiguous. Otherwise its cells go into a buffer of the second cache, for as many kept
columns as fit. With a formula, its operands go there unless they are contiguous, and then its
values. `leaf_plan` decides that for a leaf, `leaf_strips` does it; this module goes from leaf to
leaf.
"""

from __future__ import annotations

from typing import Final

from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import call_fold, copy_record
from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import get_int64 as get
from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import set_int64 as put
from dask_tapestry_kernels.cpu.reduction.child.leaf_layout import (
    COLUMNS,
    FEW_CELLS,
    SINGLE,
    cell_stride,
    cells_lie_closer,
    way_in_place,
)
from dask_tapestry_kernels.cpu.reduction.child.leaf_records import (
    BLOCK,
    PLAN,
    Record,
    block_at,
    block_room,
    call_at,
    call_room,
    plan_at,
    plan_room,
)
from dask_tapestry_kernels.cpu.reduction.child.leaf_runs import axis_of_runs
from dask_tapestry_kernels.cpu.reduction.child.leaf_strips import (
    MOST_DIMS,
    STATE_BYTES,
    fold_leaf,
    scatter_states,
)
from dask_tapestry_kernels.cpu.reduction.child.simd_accumulators import LANES
from dask_tapestry_kernels.cpu.reduction.leaf_tables import MOST_OPERANDS
from dask_tapestry_kernels.elementary.compiled_functions import I64, called, keep_apart, room

MOST_RUN: Final = 1024  # leaves in a run: their states fit in the scratch memory
parts_room, row_room = room(64), room(8 * MOST_OPERANDS)
place_room, box_room, start_room = room(8 * MOST_DIMS), room(8 * MOST_DIMS), room(8 * MOST_DIMS)
MOST_SEVERAL: Final = 8  # operands of a formula whose columns are folded one by one
several_room, inner_room = room(8 * MOST_SEVERAL * MOST_DIMS), room(8 * MOST_DIMS)


@called(BLOCK, PLAN)
def _clip(block: Record, plan: Record) -> None:
    """Say how large the leaf is, and how many are folded in a run, at most."""
    reduced, shape = block.reduced, block.shape
    sides, place, n = block.sides, plan.place, 1
    for axis in range(reduced):
        left = get(shape, axis) - get(place, axis) * get(sides, axis)
        put(plan.box, axis, min(get(sides, axis), left))
        n *= get(plan.box, axis)
    plan.n = n
    run, along = 1, plan.run_axis
    if block.ndim == reduced and (block.row == 0 or reduced > 1) and reduced > 0:
        run = max(1, get(shape, along) // get(sides, along) - get(place, along))
    plan.run = min(run, MOST_RUN)


@called(BLOCK, PLAN, 2, result=I64)
def _moves_on(block: Record, plan: Record, axis: int, step: int) -> int:
    """Go on along an axis, or back to its begin; return whether there is a leaf."""
    place = plan.place
    put(place, axis, get(place, axis) + step)
    if get(place, axis) * get(block.sides, axis) < get(block.shape, axis):
        return 1
    put(place, axis, 0)
    return 0


@called(BLOCK, PLAN, result=I64)
def _next_leaf(block: Record, plan: Record) -> int:
    """Go to the leaf after the run; return whether there is one."""
    if block.reduced == 0:
        return 0
    if _moves_on(block, plan, plan.run_axis, plan.run):
        return 1
    for axis in range(block.reduced - 1, -1, -1):
        if axis != plan.run_axis and _moves_on(block, plan, axis, 1):
            return 1
    return 0


@called(BLOCK, 1, result=I64)
def _leaves_along(block: Record, axis: int) -> int:
    side = get(block.sides, axis)
    count: int = (get(block.shape, axis) + side - 1) // side
    return count


@called(BLOCK, PLAN, result=I64)
def _number(block: Record, plan: Record) -> int:
    """The number of the leaf at the plan's place, in C order."""
    number = 0
    for axis in range(block.reduced):
        number = number * _leaves_along(block, axis) + get(plan.place, axis)
    return number


@called(BLOCK, 2)
def _fold_box(block: Record, pitch: int, base: int) -> None:
    """Fold leaf by leaf; the states of a leaf are `pitch` apart and begin at number `base`."""
    keep_apart()
    plan, call_address, parts = plan_at(plan_room()), call_room(), parts_room()
    call = call_at(call_address)
    plan.place = place_room()
    plan.box = box_room()
    plan.start = start_room()
    plan.addresses = row_room()
    plan.parts = parts
    plan.call = call_address
    plan.run_axis = axis_of_runs(block) if block.ndim == block.reduced else block.reduced - 1
    plan.pitch = pitch
    for axis in range(plan.run_axis + 1, block.reduced):
        plan.pitch *= _leaves_along(block, axis)
    call.parts = parts
    call.source, call.picks = 0, block.picks
    plan.held = 0
    for axis in range(block.ndim):
        put(plan.box, axis, get(block.shape, axis))
        put(plan.place, axis, 0)
    more = 1
    while more:
        _clip(block, plan)
        plan.index = _number(block, plan) * pitch + base
        fold_leaf(block, plan)
        more = _next_leaf(block, plan)


@called(BLOCK, 1)
def _fold_rows(block: Record, rows: int) -> None:
    """Fold the leaves of one row after the other, each row's cells being contiguous.

    The states of a row are written side by side, then each to its leaf's.
    """
    keep_apart()
    call_address, parts, item = call_room(), parts_room(), block.item
    call = call_at(call_address)
    extent, side = get(block.shape, 0), get(block.sides, 0)
    call.leaf_stride = side * item
    call.round_stride = LANES * item
    call.cell_stride = item
    call.kept = 1
    call.parts = parts
    call.source = call.picks = 0
    for part in range(block.part_count):
        put(parts, part, block.scratch + part * MOST_RUN * STATE_BYTES)
    operands, picks = block.operands, block.picks
    for number in range(rows):
        place = get(picks, number) if picks else number
        first = 0
        while first < extent:
            whole = min((extent - first) // side, MOST_RUN)
            n, leaves = (side, whole) if whole else (extent - first, 1)
            call.cells = get(operands, 0) + place * get(operands, 3) + first * item
            call.leaves = leaves
            call.n = n
            call_fold(block.fold, (call_address,))
            scatter_states(block, parts, first // side * rows + number, rows, leaves)
            first += leaves * n


@called(BLOCK, BLOCK, 1)
def _take_columns(inner: Record, block: Record, columns: int) -> None:
    """Make `inner` a block of `columns` columns of the last axis, or of a single one without it."""
    keep_apart()
    ndim, reduced, rank = block.ndim, block.reduced, block.reduced + (columns > 0)
    operands, shape = inner.operands, inner.shape
    copy_record(inner, block)
    inner.operands, inner.shape, inner.ndim = operands, shape, rank
    for i in range(block.count):
        own, whole = operands + 8 * i * (2 + rank), block.operands + 8 * i * (2 + ndim)
        for word in range(2 + rank):
            put(own, word, get(whole, word))
        if columns:
            put(own, 2 + reduced, get(whole, 2 + ndim - 1))
    for axis in range(rank):
        put(shape, axis, get(block.shape, axis))
    if columns:
        put(shape, reduced, columns)


@called(BLOCK, BLOCK, 2)
def _go_to_columns(inner: Record, block: Record, outer: int, last: int) -> None:
    """Have `inner` begin at place `outer` of the kept axes up to the `last`, in C order."""
    keep_apart()
    for i in range(block.count):
        own, whole = inner.operands + 8 * i * (2 + inner.ndim), 8 * i * (2 + block.ndim)
        at, left = get(block.operands + whole, 0), outer
        for axis in range(last, block.reduced - 1, -1):
            extent = get(block.shape, axis)
            at += left % extent * get(block.operands + whole, 2 + axis)
            left //= extent
        put(own, 0, at)


@called(BLOCK, BLOCK, 3)
def _fold_columns(inner: Record, block: Record, columns: int, kept: int, width: int) -> None:
    """Fold the leaves of `columns` columns after the other, or of a single one if that is 0."""
    keep_apart()
    _take_columns(inner, block, columns)
    last = block.ndim - 2 if columns else block.ndim - 1
    for outer in range(kept // width):
        _go_to_columns(inner, block, outer, last)
        _fold_box(inner, kept, outer * width)


@called(BLOCK, 2, result=I64)
def _is_column_by_column(block: Record, box: int, n: int) -> int:
    """Whether leaves that are packed are rather packed in runs, each column by itself."""
    if block.reduced < 2 or block.ndim == block.reduced or block.count > MOST_SEVERAL:
        return 0
    far: int = cells_lie_closer(box, block.operands + 16, block.ndim, block.reduced)
    return far if n >= FEW_CELLS else 0


@called(1)
def fold_leaves(address: int) -> None:
    """Fold leaf by leaf; at `address` lies a record `leaf_tables.BLOCK`.

    Where leaves are folded in place, the last axis comes fastest and the outer kept axes slowest,
    so that memory is read in order; else all columns of a leaf come before the next leaf.
    """
    keep_apart()
    block = block_at(address)
    ndim, reduced = block.ndim, block.reduced
    shape, sides, box = block.shape, block.sides, box_room()
    kept, leaves, n = 1, 1, 1
    for axis in range(ndim):
        extent = get(shape, axis)
        put(box, axis, extent)
        if axis < reduced:
            side = get(sides, axis)
            put(box, axis, min(side, extent))
            leaves *= (extent + side - 1) // side
            n *= get(box, axis)
        else:
            kept *= extent
    if kept == 0 or leaves == 0:
        return
    strides = block.operands + 16
    stride = cell_stride(box, strides, reduced, block.item)
    way = way_in_place(box, strides, ndim, reduced, block.item, n, stride)
    inner = block_at(block_room())
    inner.operands, inner.shape = several_room(), inner_room()
    if (block.row or way == 0) and _is_column_by_column(block, box, n):
        _fold_columns(inner, block, 0, kept, 1)
    elif block.row or leaves == 1 or n < FEW_CELLS or way == 0:
        _fold_box(block, kept, 0)
    elif way == SINGLE and ndim == 2 and reduced == 1:
        _fold_rows(block, kept)
    else:
        columns = get(shape, ndim - 1) if way == COLUMNS else 0
        _fold_columns(inner, block, columns, kept, max(columns, 1))
