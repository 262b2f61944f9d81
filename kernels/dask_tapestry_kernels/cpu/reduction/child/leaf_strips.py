"""One leaf, or a run of leaves: packed where needed, folded, its states put to their places.

The columns of a leaf come in strips. `_gather` packs a strip, `_fold_in_place` and `_fold_gathered`
have it folded, and `scatter_states` puts the states of a run of leaves to their places.

Importing this module imports numba.
"""

from __future__ import annotations

from typing import Final

from dask_tapestry_kernels.cpu.jit.child.compiled_functions import I64, called, keep_apart, room
from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import call_fold, call_row, copy_bytes
from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import get_int64 as get
from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import set_int64 as put
from dask_tapestry_kernels.cpu.jit.child.strided_copy import copy_box
from dask_tapestry_kernels.cpu.reduction.child.leaf_layout import COLUMNS, cell_stride, round_stride
from dask_tapestry_kernels.cpu.reduction.child.leaf_plan import (
    ALIGNED,
    Plan,
    corner,
    make_plan,
    strip_dims,
)
from dask_tapestry_kernels.cpu.reduction.child.simd_accumulators import LANES
from dask_tapestry_kernels.cpu.reduction.leaf_tables import FoldWord, LeafWord

MOST_DIMS: Final = 72
STATE_BYTES: Final = 16  # of one part of a state, at most
dims_room = room(16 * MOST_DIMS)


@called(1, I64)
def _apart(plan: int) -> int:
    """Whether the states of a run lie apart: they are written side by side first."""
    keep_apart()
    return 1 if get(plan, Plan.RUN) > 1 and get(plan, Plan.PITCH) > 1 else 0


@called(2)
def _place_states(block: int, plan: int) -> None:
    """Say where the states of the strip are written."""
    keep_apart()
    free, index = get(block, LeafWord.SCRATCH), get(plan, Plan.INDEX)
    apart = _apart(plan)
    for part in range(get(block, LeafWord.PART_COUNT)):
        item = get(get(block, LeafWord.PART_ITEMS), part)
        at = get(get(block, LeafWord.PARTS), part) + index * item
        if apart:
            at = free
            free += get(plan, Plan.RUN) * STATE_BYTES
        put(get(plan, Plan.PARTS), part, at)
    put(plan, Plan.FREE, free)


@called(5)
def scatter_states(block: int, states: int, index: int, pitch: int, leaves: int) -> None:
    """Copy states of `leaves` leaves, side by side, to the places from `index` on."""
    keep_apart()
    for part in range(get(block, LeafWord.PART_COUNT)):
        item = get(get(block, LeafWord.PART_ITEMS), part)
        to = get(get(block, LeafWord.PARTS), part) + index * item
        for leaf in range(leaves):
            copy_bytes(to + leaf * pitch * item, get(states, part) + leaf * item, item)


@called(6)
def _fold(block: int, plan: int, cells: int, leaves: int, leaf_stride: int, kept: int) -> None:
    """Fold cells whose other strides the table of the call has already."""
    keep_apart()
    call = get(plan, Plan.CALL)
    put(call, FoldWord.CELLS, cells)
    put(call, FoldWord.LEAVES, leaves)
    put(call, FoldWord.LEAF_STRIDE, leaf_stride)
    put(call, FoldWord.KEPT, kept)
    call_fold(get(block, LeafWord.FOLD), (call,))


@called(2)
def _fold_in_place(block: int, plan: int) -> None:
    """Fold the columns together, or each by itself as a leaf of a run."""
    keep_apart()
    ndim, reduced = get(block, LeafWord.NDIM), get(block, LeafWord.REDUCED)
    strides, item = get(block, LeafWord.OPERANDS) + 16, get(block, LeafWord.ITEM)
    box, call, cells = get(plan, Plan.BOX), get(plan, Plan.CALL), corner(block, plan, 0)
    put(call, FoldWord.CELL_STRIDE, cell_stride(box, strides, reduced, item))
    put(call, FoldWord.ROUND_STRIDE, round_stride(box, strides, reduced, item))
    columns = get(plan, Plan.COLUMNS)
    if get(plan, Plan.WAY) == COLUMNS:
        _fold(block, plan, cells, 1, 0, columns)
    elif ndim > reduced:
        _fold(block, plan, cells, columns, get(strides, ndim - 1), 1)
    else:
        last = reduced - 1
        apart = get(get(block, LeafWord.SIDES), last) * get(strides, last) if reduced else 0
        _fold(block, plan, cells, get(plan, Plan.RUN), apart, 1)


@called(2, I64)
def _gather(block: int, plan: int) -> int:
    """Pack the strip of each operand, evaluate the formula; return the address of the cells."""
    keep_apart()
    dims, addresses, free = dims_room(), get(plan, Plan.ADDRESSES), get(plan, Plan.FREE)
    cells, width = get(plan, Plan.N) * get(plan, Plan.COLUMNS), get(block, LeafWord.NDIM) + 2
    for i in range(get(block, LeafWord.COUNT)):
        at = corner(block, plan, i)
        size = get(get(block, LeafWord.OPERANDS), i * width + 1)
        used = 0 if get(plan, Plan.ALONG) else strip_dims(block, plan, i, dims)
        if used > 1 or (used == 1 and get(dims, 1) != size):
            copy_box(at, free, dims, used, size)
            at = free
            free += (cells * size + ALIGNED - 1) // ALIGNED * ALIGNED
        put(addresses, i, at)
    row = get(block, LeafWord.ROW)
    if get(plan, Plan.ALONG):
        _rows_of_formula(block, plan, free)
    elif row:
        call_row(row, (cells, addresses, free))
    first: int = free if row else get(addresses, 0)
    return first


@called(3)
def _rows_of_formula(block: int, plan: int, free: int) -> None:
    """Evaluate a formula row by row, where its operands lie."""
    keep_apart()
    columns, addresses = get(plan, Plan.COLUMNS), get(plan, Plan.ADDRESSES)
    operands, line = get(block, LeafWord.OPERANDS), columns * get(block, LeafWord.ITEM)
    for i in range(get(plan, Plan.N)):
        call_row(get(block, LeafWord.ROW), (columns, addresses, free + i * line))
        for p in range(get(block, LeafWord.COUNT)):
            put(addresses, p, get(addresses, p) + get(operands, p * 4 + 2))


@called(2)
def _fold_gathered(block: int, plan: int) -> None:
    """Fold cells that are packed: leaf by leaf, or row by row of columns."""
    keep_apart()
    cells, call = _gather(block, plan), get(plan, Plan.CALL)
    item, columns = get(block, LeafWord.ITEM), get(plan, Plan.COLUMNS)
    if get(plan, Plan.SIDE_BY_SIDE):
        put(call, FoldWord.CELL_STRIDE, item)
        put(call, FoldWord.ROUND_STRIDE, LANES * item)
        _fold(block, plan, cells, columns, get(plan, Plan.N) * item, 1)
    else:
        put(call, FoldWord.CELL_STRIDE, columns * item)
        put(call, FoldWord.ROUND_STRIDE, LANES * columns * item)
        _fold(block, plan, cells, 1, 0, columns)


@called(2, I64)
def _next_strip(block: int, plan: int) -> int:
    """Go to the next strip; return whether there is one."""
    keep_apart()
    start, box, axis = get(plan, Plan.START), get(plan, Plan.BOX), get(plan, Plan.AXIS)
    if get(block, LeafWord.NDIM) == get(block, LeafWord.REDUCED):
        return 0
    put(plan, Plan.INDEX, get(plan, Plan.INDEX) + get(plan, Plan.COLUMNS))
    put(start, axis, get(start, axis) + get(plan, Plan.STEP))
    while get(start, axis) >= get(box, axis):
        put(start, axis, 0)
        axis -= 1
        if axis < get(block, LeafWord.REDUCED):
            return 0
        put(start, axis, get(start, axis) + 1)
    return 1


@called(2)
def fold_leaf(block: int, plan: int) -> None:
    """Fold the leaf at the plan's place, or a run of leaves from there on."""
    keep_apart()
    make_plan(block, plan)
    box, axis = get(plan, Plan.BOX), get(plan, Plan.AXIS)
    put(get(plan, Plan.CALL), FoldWord.N, get(plan, Plan.N))
    more = 1
    while more:
        long = 1
        if get(block, LeafWord.NDIM) > get(block, LeafWord.REDUCED):
            left = get(box, axis) - get(get(plan, Plan.START), axis)
            long = min(get(plan, Plan.STEP), left)
        put(plan, Plan.COLUMNS, long * get(plan, Plan.WHOLE))
        _place_states(block, plan)
        if get(plan, Plan.WAY):
            _fold_in_place(block, plan)
        else:
            _fold_gathered(block, plan)
        if _apart(plan):
            index, pitch = get(plan, Plan.INDEX), get(plan, Plan.PITCH)
            scatter_states(block, get(plan, Plan.PARTS), index, pitch, get(plan, Plan.RUN))
        more = _next_strip(block, plan)
