"""How one leaf is folded: in place or packed, and in which strips of columns.

A *plan* is a table of `Plan` on the stack of compiled code. Importing this module imports numba.
"""

from __future__ import annotations

from enum import auto
from typing import Final

from dask_tapestry_kernels.cpu.jit.child.compiled_functions import I64, called, keep_apart
from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import get_int64 as get
from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import set_int64 as put
from dask_tapestry_kernels.cpu.reduction.child.leaf_layout import (
    COLUMNS,
    FEW_CELLS,
    cells_lie_closer,
    runs_along_columns,
    way_in_place,
)
from dask_tapestry_kernels.cpu.reduction.leaf_tables import LeafWord, Word

ALIGNED: Final = 64  # bytes; each packed operand begins at a multiple


class Plan(Word):
    """A leaf or a run of leaves, and how it is folded: words for the functions of this module."""

    PLACE = auto()  #: address of the number of the (first) leaf along each reduced axis
    BOX = auto()  #: address of the leaf's extents
    START = auto()  #: address of where the strip begins along the kept axes
    PARTS = auto()  #: address of a table: where the strip's states are written
    ADDRESSES = auto()  #: address of a table: where the operands' cells lie
    CALL = auto()  #: address of a table of `FoldWord`
    N = auto()  #: cells of the leaf in each column
    INDEX = auto()  #: number of the strip's first state
    PITCH = auto()  #: states from one leaf to the next
    RUN = auto()  #: leaves
    WAY = auto()  #: `COLUMNS` or `SINGLE` where cells are folded in place, else 0
    ALONG = auto()  #: whether a formula reads its operands where they lie
    SIDE_BY_SIDE = auto()  #: whether packed leaves lie side by side, else columns do
    AXIS = auto()  #: a strip is `STEP` of this axis and all of the axes after it
    STEP = auto()
    WHOLE = auto()  #: columns of these later axes
    COLUMNS = auto()  #: columns of the strip
    FREE = auto()  #: address of the scratch memory that is left


@called(2)
def make_plan(block: int, plan: int) -> None:
    """Say how a leaf is folded, and cut its columns into strips."""
    keep_apart()
    ndim, reduced = get(block, LeafWord.NDIM), get(block, LeafWord.REDUCED)
    operands, item = get(block, LeafWord.OPERANDS), get(block, LeafWord.ITEM)
    box, strides, row = get(plan, Plan.BOX), operands + 16, get(block, LeafWord.ROW)
    n = get(plan, Plan.N)
    way = way_in_place(box, strides, ndim, reduced, item, n)
    closer = way != COLUMNS and n >= FEW_CELLS and cells_lie_closer(box, strides, ndim, reduced)
    count = get(block, LeafWord.COUNT)
    put(plan, Plan.SIDE_BY_SIDE, 1 if ndim == reduced or closer else 0)
    put(plan, Plan.ALONG, runs_along_columns(operands, count, ndim + 2, reduced, row))
    put(plan, Plan.WAY, 0 if row else way)
    put(plan, Plan.AXIS, ndim - 1)
    put(plan, Plan.STEP, get(box, ndim - 1) if ndim > reduced else 1)
    put(plan, Plan.WHOLE, 1)
    for axis in range(ndim):
        put(get(plan, Plan.START), axis, 0)
    if row or way == 0:
        put(plan, Plan.RUN, 1)
        _cut(block, plan)


@called(2)
def _cut(block: int, plan: int) -> None:
    """Cut the columns of a leaf that is packed into strips that fit the scratch memory."""
    keep_apart()
    count, width = get(block, LeafWord.COUNT), get(block, LeafWord.NDIM) + 2
    budget, axis, whole = get(block, LeafWord.ITEM), width - 3, 1
    for i in range(0 if get(plan, Plan.ALONG) else count):
        budget += get(get(block, LeafWord.OPERANDS), i * width + 1)
    free = get(block, LeafWord.SIZE) - ALIGNED * (count + 1)
    fits = max(1, free // (get(plan, Plan.N) * budget))
    box = get(plan, Plan.BOX)
    while axis > get(block, LeafWord.REDUCED) and whole * get(box, axis) <= fits:
        whole *= get(box, axis)
        axis -= 1
    put(plan, Plan.AXIS, axis)
    put(plan, Plan.STEP, max(1, fits // whole))
    put(plan, Plan.WHOLE, whole)


@called(3, I64)
def corner(block: int, plan: int, i: int) -> int:
    """Address of the first cell of operand i in the strip."""
    keep_apart()
    ndim, reduced = get(block, LeafWord.NDIM), get(block, LeafWord.REDUCED)
    operand = get(block, LeafWord.OPERANDS) + 8 * i * (ndim + 2)
    at: int = get(operand, 0)
    for axis in range(ndim):
        if axis < reduced:
            first = get(get(plan, Plan.PLACE), axis) * get(get(block, LeafWord.SIDES), axis)
        else:
            first = get(get(plan, Plan.START), axis)
        at += first * get(operand, 2 + axis)
    return at


@called(4, I64)
def strip_dims(block: int, plan: int, i: int, dims: int) -> int:
    """Write (extent, stride) of the strip of operand i, last axis first, neighbours merged.

    The leaf's axes come last where leaves lie side by side, else the kept ones. Returns how many
    pairs these are.
    """
    keep_apart()
    ndim, reduced = get(block, LeafWord.NDIM), get(block, LeafWord.REDUCED)
    strides = get(block, LeafWord.OPERANDS) + 8 * (i * (ndim + 2) + 2)
    axis, used = get(plan, Plan.AXIS), 0
    long = get(plan, Plan.COLUMNS) // get(plan, Plan.WHOLE)
    for turn in range(2):
        leaf = (turn == 0) == (get(plan, Plan.SIDE_BY_SIDE) != 0)
        k = reduced - 1 if leaf else ndim - 1
        stop = 0 if leaf else axis
        while k >= stop:
            size = get(get(plan, Plan.BOX), k) if leaf or k != axis else long
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
