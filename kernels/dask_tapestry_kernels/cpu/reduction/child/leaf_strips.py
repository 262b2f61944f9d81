"""One leaf, or a run of leaves: packed where needed, folded, its states put to their places.

The columns of a leaf come in strips. `_gather` packs a strip, `_fold_in_place` and `_fold_packed`
have it folded, and `scatter_states` puts the states of a run of leaves to their places.
"""

from __future__ import annotations

from typing import Final

from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import call_fold, call_row, copy_bytes
from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import get_int64 as get
from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import set_int64 as put
from dask_tapestry_kernels.cpu.jit.child.strided_copy import copy_box
from dask_tapestry_kernels.cpu.reduction.child.leaf_layout import COLUMNS
from dask_tapestry_kernels.cpu.reduction.child.leaf_plan import (
    ALIGNED,
    corner,
    make_plan,
    strip_dims,
)
from dask_tapestry_kernels.cpu.reduction.child.leaf_records import BLOCK, PLAN, Record, call_at
from dask_tapestry_kernels.cpu.reduction.child.leaf_runs import packed_run
from dask_tapestry_kernels.cpu.reduction.child.simd_accumulators import LANES
from dask_tapestry_kernels.elementary.compiled_functions import I64, called, keep_apart, room

MOST_DIMS: Final = 72
STATE_BYTES: Final = 16  # of one part of a state, at most
dims_room = room(16 * MOST_DIMS)


@called(PLAN, result=I64)
def _apart(plan: Record) -> int:
    """Whether the states of a run lie apart: they are written side by side first."""
    return 1 if plan.run > 1 and plan.pitch > 1 else 0


@called(BLOCK, PLAN)
def _place_states(block: Record, plan: Record) -> None:
    """Say where the states of the strip are written."""
    free, index = block.scratch, plan.index
    apart = _apart(plan)
    for part in range(block.part_count):
        item = get(block.part_items, part)
        at = get(block.parts, part) + index * item
        if apart:
            at = free
            free += plan.run * STATE_BYTES
        put(plan.parts, part, at)
    plan.free = free


@called(BLOCK, 4)
def scatter_states(block: Record, states: int, index: int, pitch: int, leaves: int) -> None:
    """Copy states of `leaves` leaves, side by side, to the places from `index` on."""
    keep_apart()
    for part in range(block.part_count):
        item = get(block.part_items, part)
        to = get(block.parts, part) + index * item
        for leaf in range(leaves):
            copy_bytes(to + leaf * pitch * item, get(states, part) + leaf * item, item)


@called(BLOCK, PLAN, 4)
def _fold(
    block: Record, plan: Record, cells: int, leaves: int, leaf_stride: int, kept: int
) -> None:
    """Fold cells whose other strides the call has already."""
    call = call_at(plan.call)
    call.cells = cells
    call.leaves = leaves
    call.leaf_stride = leaf_stride
    call.kept = kept
    call_fold(block.fold, (plan.call,))


@called(BLOCK, PLAN)
def _fold_in_place(block: Record, plan: Record) -> None:
    """Fold the columns together, or each by itself as a leaf of a run."""
    reduced, cells = block.reduced, corner(block, plan, 0)
    strides = block.operands + 16
    if plan.way == COLUMNS:
        _fold(block, plan, cells, 1, 0, plan.columns)
    elif block.ndim > reduced:
        _fold(block, plan, cells, plan.columns, get(strides, block.ndim - 1), 1)
    else:
        last = reduced - 1
        apart = get(block.sides, last) * get(strides, last) if reduced else 0
        _fold(block, plan, cells, plan.run, apart, 1)


@called(BLOCK, PLAN, 1)
def _rows_of_formula(block: Record, plan: Record, free: int) -> None:
    """Evaluate a formula row by row, where its operands lie."""
    keep_apart()
    columns, addresses = plan.columns, plan.addresses
    operands, line = block.operands, columns * block.item
    for i in range(plan.n):
        call_row(block.row, (columns, addresses, free + i * line))
        for p in range(block.count):
            put(addresses, p, get(addresses, p) + get(operands, p * 4 + 2))


@called(BLOCK, PLAN, 1)
def _leaves_in_line(block: Record, plan: Record, free: int) -> None:
    """Evaluate a formula of the cells of one column after the other, where they lie."""
    keep_apart()
    n, addresses, width = plan.n, plan.addresses, block.ndim + 2
    last = block.operands + 8 * (width - 1)
    for k in range(plan.columns):
        call_row(block.row, (n, addresses, free + k * n * block.item))
        for p in range(block.count):
            put(addresses, p, get(addresses, p) + get(last, p * width))


@called(BLOCK, 1, result=I64)
def _is_the_same(block: Record, i: int) -> int:
    """Whether operand i has the same cells in all leaves, and in all of a leaf: one a column."""
    strides = block.operands + 8 * (i * (block.ndim + 2) + 2)
    for axis in range(block.reduced):
        if get(strides, axis):
            return 0
    return 1


@called(BLOCK, PLAN, result=I64)
def _leaves_alike(block: Record, plan: Record) -> int:
    """What tells leaves of all columns that are packed alike; 0 where these come in strips."""
    axis = plan.axis
    strips = axis > block.reduced or plan.step < get(plan.box, axis)
    if block.ndim > block.reduced and strips:
        return 0
    alike: int = 2 * plan.n + plan.side_by_side
    return alike


@called(BLOCK, PLAN, result=I64)
def _gather(block: Record, plan: Record) -> int:
    """Pack the strip of each operand, evaluate the formula; return the address of the cells.

    Operands that are the same in all leaves come first: they stay packed for leaves alike, so
    deviations of few channels from means of these copy lines of memory, not a cell of each channel.
    """
    keep_apart()
    dims, addresses, free = dims_room(), plan.addresses, plan.free
    cells, width, alike = plan.n * plan.columns, block.ndim + 2, _leaves_alike(block, plan)
    for number in range(2 * block.count):
        i = number % block.count
        same = _is_the_same(block, i)
        if same == (number >= block.count):
            continue
        at = corner(block, plan, i)
        size = get(block.operands, i * width + 1)
        used = 0 if plan.along or block.in_line else strip_dims(block, plan, i, dims)
        if used > 1 or (used == 1 and get(dims, 1) != size):
            if same == 0 or alike == 0 or alike != plan.held:
                copy_box(at, free, dims, used, size)
            at = free
            free += (cells * size + ALIGNED - 1) // ALIGNED * ALIGNED
        put(addresses, i, at)
    plan.held = alike
    row = block.row
    if block.in_line:
        _leaves_in_line(block, plan, free)
    elif plan.along:
        _rows_of_formula(block, plan, free)
    elif row:
        call_row(row, (cells, addresses, free))
    first: int = free if row else get(addresses, 0)
    return first


@called(BLOCK, PLAN, 1)
def _fold_packed(block: Record, plan: Record, cells: int) -> None:
    """Fold cells that are packed: leaf by leaf, or row by row of columns."""
    call, item, columns = call_at(plan.call), block.item, plan.columns
    if plan.side_by_side:
        call.cell_stride, call.round_stride = item, LANES * item
        _fold(block, plan, cells, columns, plan.n * item, 1)
    else:
        call.cell_stride, call.round_stride = columns * item, LANES * columns * item
        _fold(block, plan, cells, 1, 0, columns)


@called(BLOCK, PLAN, result=I64)
def _next_strip(block: Record, plan: Record) -> int:
    """Go to the next strip; return whether there is one."""
    start, box, axis = plan.start, plan.box, plan.axis
    if block.ndim == block.reduced:
        return 0
    plan.index = plan.index + plan.columns
    put(start, axis, get(start, axis) + plan.step)
    while get(start, axis) >= get(box, axis):
        put(start, axis, 0)
        axis -= 1
        if axis < block.reduced:
            return 0
        put(start, axis, get(start, axis) + 1)
    return 1


@called(BLOCK, PLAN)
def fold_leaf(block: Record, plan: Record) -> None:
    """Fold the leaf at the plan's place, or a run of leaves from there on."""
    keep_apart()
    make_plan(block, plan)
    box, axis = plan.box, plan.axis
    call_at(plan.call).n = plan.n
    more = 1
    while more:
        long = 1
        if block.ndim > block.reduced:
            left = get(box, axis) - get(plan.start, axis)
            long = min(plan.step, left)
        plan.columns = long * plan.whole
        _place_states(block, plan)
        if plan.way:
            _fold_in_place(block, plan)
        elif plan.run > 1:
            cells = packed_run(block, plan)
            _fold(block, plan, cells, plan.run, call_at(plan.call).leaf_stride, 1)
            plan.held = 0
        else:
            _fold_packed(block, plan, _gather(block, plan))
        if _apart(plan):
            index, pitch = plan.index, plan.pitch
            scatter_states(block, plan.parts, index, pitch, plan.run)
        more = _next_strip(block, plan)
