"""How one leaf is folded: in place or packed, and in which strips of columns."""

from __future__ import annotations

from typing import Final

from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import get_int64 as get
from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import set_int64 as put
from dask_tapestry_kernels.cpu.reduction.child.leaf_layout import (
    COLUMNS,
    FEW_CELLS,
    cell_stride,
    cells_lie_closer,
    round_stride,
    runs_along_columns,
    way_in_place,
)
from dask_tapestry_kernels.cpu.reduction.child.leaf_records import BLOCK, PLAN, Record, call_at
from dask_tapestry_kernels.cpu.reduction.child.leaf_runs import packed_at_once
from dask_tapestry_kernels.elementary.compiled_functions import I64, called, keep_apart

ALIGNED: Final = 64  # bytes; each packed operand begins at a multiple


@called(BLOCK, PLAN)
def _cut(block: Record, plan: Record) -> None:
    """Cut the columns of a leaf that is packed into strips that fit the scratch memory.

    Leaves in line are evaluated one after the other along the last axis.
    """
    keep_apart()
    count, width = block.count, block.ndim + 2
    budget, axis, whole = block.item, width - 3, 1
    for i in range(0 if plan.along or block.in_line else count):
        budget += get(block.operands, i * width + 1)
    free = block.size - ALIGNED * (count + 1)
    fits = max(1, free // (plan.n * budget))
    box = plan.box
    while axis > block.reduced and whole * get(box, axis) <= fits and not block.in_line:
        whole *= get(box, axis)
        axis -= 1
    plan.axis = axis
    plan.step = max(1, fits // whole)
    plan.whole = whole


@called(BLOCK, PLAN)
def make_plan(block: Record, plan: Record) -> None:
    """Say how a leaf is folded, and cut its columns into strips."""
    keep_apart()
    ndim, reduced = block.ndim, block.reduced
    operands, item = block.operands, block.item
    box, strides, row = plan.box, operands + 16, block.row
    n = plan.n
    stride = cell_stride(box, strides, reduced, item)
    way = way_in_place(box, strides, ndim, reduced, item, n, stride)
    closer = way != COLUMNS and n >= FEW_CELLS and cells_lie_closer(box, strides, ndim, reduced)
    kept = get(box, ndim - 1)
    plan.along = runs_along_columns(operands, block.count, ndim + 2, reduced, row, kept)
    packed_by_column = block.in_line or (closer and plan.along == 0)
    plan.side_by_side = 1 if ndim == reduced or packed_by_column else 0
    plan.way = 0 if row else way
    plan.axis = ndim - 1
    plan.step = get(box, ndim - 1) if ndim > reduced else 1
    plan.whole = 1
    for axis in range(ndim):
        put(plan.start, axis, 0)
    if row == 0 and way:
        call = call_at(plan.call)
        call.cell_stride, call.round_stride = stride, round_stride(box, strides, reduced, item)
        plan.run = plan.run if plan.run_axis == reduced - 1 else 1
    elif ndim == reduced and reduced > 1:
        plan.run = packed_at_once(block, plan)
    else:
        plan.run = 1
    if plan.way == 0 and plan.run == 1:
        _cut(block, plan)


@called(BLOCK, PLAN, 1, result=I64)
def corner(block: Record, plan: Record, i: int) -> int:
    """Address of the first cell of operand i in the strip."""
    keep_apart()
    ndim, reduced = block.ndim, block.reduced
    operand = block.operands + 8 * i * (ndim + 2)
    at: int = get(operand, 0)
    for axis in range(ndim):
        if axis < reduced:
            first = get(plan.place, axis) * get(block.sides, axis)
        else:
            first = get(plan.start, axis)
        at += first * get(operand, 2 + axis)
    return at


@called(BLOCK, PLAN, 2, result=I64)
def strip_dims(block: Record, plan: Record, i: int, dims: int) -> int:
    """Write (extent, stride) of the strip of operand i, last axis first, neighbours merged.

    The leaf's axes come last where leaves lie side by side, else the kept ones. Returns how many
    pairs these are.
    """
    keep_apart()
    ndim, reduced = block.ndim, block.reduced
    strides = block.operands + 8 * (i * (ndim + 2) + 2)
    axis, used = plan.axis, 0
    long = plan.columns // plan.whole
    for turn in range(2):
        leaf = (turn == 0) == (plan.side_by_side != 0)
        k = reduced - 1 if leaf else ndim - 1
        stop = 0 if leaf else axis
        while k >= stop:
            size = get(plan.box, k) if leaf or k != axis else long
            stride = get(strides, k)
            k -= 1
            if size == 1:
                continue
            if used and stride == get(dims, 2 * used - 2) * get(dims, 2 * used - 1):
                put(dims, 2 * used - 2, get(dims, 2 * used - 2) * size)
                continue
            put(dims, 2 * used, size)
            put(dims, 2 * used + 1, stride)
            used += 1
    return used
