"""All leaves of a block, folded through an address.

One compiled function serves every dtype and monoid, as it only moves bytes. A leaf is folded where
it lies if its cells are a stride apart, or its rows are 32 cells, and either its cells or its kept
columns are contiguous. Otherwise its cells go into a buffer of the second cache, for as many kept
columns as fit. With a formula, its operands go there unless they are contiguous, and then its
values. `leaf_plan` decides that for a leaf, `leaf_strips` does it; this module goes from leaf to
leaf.

Importing this module imports numba, so only what compiles, or loads what was compiled, does.
"""

from __future__ import annotations

from typing import Final

from dask_tapestry_kernels.cpu.jit.child.compiled_functions import I64, called, keep_apart, room
from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import call_fold
from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import get_int64 as get
from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import set_int64 as put
from dask_tapestry_kernels.cpu.reduction.child.leaf_layout import (
    COLUMNS,
    FEW_CELLS,
    SINGLE,
    way_in_place,
)
from dask_tapestry_kernels.cpu.reduction.child.leaf_plan import Plan
from dask_tapestry_kernels.cpu.reduction.child.leaf_strips import (
    MOST_DIMS,
    STATE_BYTES,
    fold_leaf,
    scatter_states,
)
from dask_tapestry_kernels.cpu.reduction.child.simd_accumulators import LANES
from dask_tapestry_kernels.cpu.reduction.leaf_tables import FoldWord, LeafWord

MOST_RUN: Final = 1024  # leaves in a run: their states fit in the scratch memory
PLAN_WORDS: Final = len(Plan)
CALL_WORDS: Final = len(FoldWord)
BLOCK_WORDS: Final = len(LeafWord)
plan_room, call_room, block_room = room(8 * PLAN_WORDS), room(8 * CALL_WORDS), room(8 * BLOCK_WORDS)
parts_room, row_room = room(64), room(8 * 1024)
place_room, box_room, start_room = room(8 * MOST_DIMS), room(8 * MOST_DIMS), room(8 * MOST_DIMS)
some_room, inner_room = room(8 * MOST_DIMS), room(8 * MOST_DIMS)


@called(2)
def _clip(block: int, plan: int) -> None:
    """Say how large the leaf is, and how many are folded in a run, at most."""
    keep_apart()
    reduced, shape = get(block, LeafWord.REDUCED), get(block, LeafWord.SHAPE)
    sides, place, n = get(block, LeafWord.SIDES), get(plan, Plan.PLACE), 1
    for axis in range(reduced):
        left = get(shape, axis) - get(place, axis) * get(sides, axis)
        put(get(plan, Plan.BOX), axis, min(get(sides, axis), left))
        n *= get(get(plan, Plan.BOX), axis)
    put(plan, Plan.N, n)
    run, last = 1, reduced - 1
    if get(block, LeafWord.NDIM) == reduced and get(block, LeafWord.ROW) == 0 and reduced > 0:
        run = max(1, get(shape, last) // get(sides, last) - get(place, last))
    put(plan, Plan.RUN, min(run, MOST_RUN))


@called(2, I64)
def _next_leaf(block: int, plan: int) -> int:
    """Go to the leaf after the run; return whether there is one."""
    keep_apart()
    place, axis, step = get(plan, Plan.PLACE), get(block, LeafWord.REDUCED) - 1, get(plan, Plan.RUN)
    while axis >= 0:
        put(place, axis, get(place, axis) + step)
        if get(place, axis) * get(get(block, LeafWord.SIDES), axis) < get(
            get(block, LeafWord.SHAPE), axis
        ):
            return 1
        put(place, axis, 0)
        axis -= 1
        step = 1
    return 0


@called(3)
def _fold_box(block: int, pitch: int, base: int) -> None:
    """Fold leaf by leaf; the states of a leaf are `pitch` apart and begin at number `base`."""
    keep_apart()
    plan, call, parts = plan_room(), call_room(), parts_room()
    put(plan, Plan.PLACE, place_room())
    put(plan, Plan.BOX, box_room())
    put(plan, Plan.START, start_room())
    put(plan, Plan.ADDRESSES, row_room())
    put(plan, Plan.PARTS, parts)
    put(plan, Plan.CALL, call)
    put(plan, Plan.PITCH, pitch)
    put(call, FoldWord.PARTS, parts)
    put(call, FoldWord.SOURCE, 0)
    for axis in range(get(block, LeafWord.NDIM)):
        put(get(plan, Plan.BOX), axis, get(get(block, LeafWord.SHAPE), axis))
        put(get(plan, Plan.PLACE), axis, 0)
    number, more = 0, 1
    while more:
        _clip(block, plan)
        put(plan, Plan.INDEX, number * pitch + base)
        fold_leaf(block, plan)
        number += get(plan, Plan.RUN)
        more = _next_leaf(block, plan)


@called(2)
def _fold_rows(block: int, rows: int) -> None:
    """Fold the leaves of one row after the other, each row's cells being contiguous.

    The states of a row are written side by side, then each to its leaf's.
    """
    keep_apart()
    call, parts, item = call_room(), parts_room(), get(block, LeafWord.ITEM)
    extent, side = get(get(block, LeafWord.SHAPE), 0), get(get(block, LeafWord.SIDES), 0)
    put(call, FoldWord.LEAF_STRIDE, side * item)
    put(call, FoldWord.ROUND_STRIDE, LANES * item)
    put(call, FoldWord.CELL_STRIDE, item)
    put(call, FoldWord.KEPT, 1)
    put(call, FoldWord.PARTS, parts)
    put(call, FoldWord.SOURCE, 0)
    for part in range(get(block, LeafWord.PART_COUNT)):
        put(parts, part, get(block, LeafWord.SCRATCH) + part * MOST_RUN * STATE_BYTES)
    operands = get(block, LeafWord.OPERANDS)
    for number in range(rows):
        first = 0
        while first < extent:
            whole = min((extent - first) // side, MOST_RUN)
            n, leaves = (side, whole) if whole else (extent - first, 1)
            put(call, FoldWord.CELLS, get(operands, 0) + number * get(operands, 3) + first * item)
            put(call, FoldWord.LEAVES, leaves)
            put(call, FoldWord.N, n)
            call_fold(get(block, LeafWord.FOLD), (call,))
            scatter_states(block, parts, first // side * rows + number, rows, leaves)
            first += leaves * n


@called(3)
def _fold_by_columns(block: int, kept: int, way: int) -> None:
    """Fold the last axis, or single cells of it, fastest, and the outer kept axes slowest."""
    keep_apart()
    ndim, reduced = get(block, LeafWord.NDIM), get(block, LeafWord.REDUCED)
    operands, shape, inner_block = (
        get(block, LeafWord.OPERANDS),
        get(block, LeafWord.SHAPE),
        block_room(),
    )
    some, inner_shape, columns = some_room(), inner_room(), way == COLUMNS
    inner = get(shape, ndim - 1) if columns else 1
    for word in range(BLOCK_WORDS):
        put(inner_block, word, get(block, word))
    put(inner_block, LeafWord.OPERANDS, some)
    put(inner_block, LeafWord.SHAPE, inner_shape)
    put(inner_block, LeafWord.NDIM, reduced + 1 if columns else reduced)
    for axis in range(ndim + 2):
        put(some, axis, get(operands, axis))
    for axis in range(reduced):
        put(inner_shape, axis, get(shape, axis))
    if columns:
        put(some, 2 + reduced, get(operands, 2 + ndim - 1))
        put(inner_shape, reduced, inner)
    for outer in range(kept // inner):
        at, left = get(operands, 0), outer
        for axis in range(ndim - 2 if columns else ndim - 1, reduced - 1, -1):
            at += left % get(shape, axis) * get(operands, 2 + axis)
            left //= get(shape, axis)
        put(some, 0, at)
        _fold_box(inner_block, kept, outer * inner)


@called(1)
def fold_leaves(block: int) -> None:
    """Fold leaf by leaf; `block` is the address of a table of `LeafWord`.

    Where leaves are folded in place, the last axis comes fastest and the outer kept axes slowest,
    so that memory is read in order; else all columns of a leaf come before the next leaf.
    """
    keep_apart()
    ndim, reduced = get(block, LeafWord.NDIM), get(block, LeafWord.REDUCED)
    shape, sides, box = get(block, LeafWord.SHAPE), get(block, LeafWord.SIDES), box_room()
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
    strides = get(block, LeafWord.OPERANDS) + 16
    way = way_in_place(box, strides, ndim, reduced, get(block, LeafWord.ITEM), n)
    if get(block, LeafWord.ROW) or leaves == 1 or n < FEW_CELLS or way == 0:
        _fold_box(block, kept, 0)
    elif way == SINGLE and ndim == 2 and reduced == 1:
        _fold_rows(block, kept)
    else:
        _fold_by_columns(block, kept, way)
