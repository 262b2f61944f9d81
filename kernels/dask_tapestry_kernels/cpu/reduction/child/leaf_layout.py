"""How a leaf lies in memory, and whether it can be folded there.

A leaf lies in a block whose axes have `strides` bytes; its extents are the `box`, reduced axes
first. Both are addresses of int64.
"""

from __future__ import annotations

from typing import Final

from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import get_int64 as get
from dask_tapestry_kernels.cpu.reduction.child.simd_accumulators import LANES
from dask_tapestry_kernels.elementary.compiled_functions import I64, called, keep_apart

FEW_CELLS: Final = 32  # of a leaf; with 16 a leaf by itself takes twice as long of one-byte cells
FEW_COLUMNS: Final = 8  # side by side, up to which they are not
# Cells of columns side by side that are worth a call; fewer are packed with those of other places.
# Sums of the middle axis of 400,000 x 5 x 8 float32 take 58 ms call by call, and 23 packed.
FEW_TOGETHER: Final = 96
COLUMNS, SINGLE = 1, 2  # ways to fold in place


@called(4, result=I64)
def cell_stride(box: int, strides: int, reduced: int, item: int) -> int:
    """Stride of the cells of a round where two strides describe the leaf, else 0."""
    keep_apart()
    axes, last = 0, 0
    for axis in range(reduced):
        if get(box, axis) > 1:
            axes += 1
            last = axis
    if axes == 0:
        return item
    if axes > 2 or (axes == 2 and get(box, last) != LANES):
        return 0
    stride: int = get(strides, last)
    return stride


@called(4, result=I64)
def round_stride(box: int, strides: int, reduced: int, item: int) -> int:
    """Stride of the rounds of such a leaf."""
    keep_apart()
    axes, first = 0, 0
    for axis in range(reduced - 1, -1, -1):
        if get(box, axis) > 1:
            axes += 1
            first = axis
    if axes == 0:
        return LANES * item
    stride: int = get(strides, first)
    return stride * (LANES if axes == 1 else 1)


@called(4, result=I64)
def cells_lie_closer(box: int, strides: int, ndim: int, reduced: int) -> int:
    """Whether neighbours in the leaf are nearer than neighbouring columns."""
    keep_apart()
    leaf, columns = 0, 0
    for axis in range(ndim):
        if get(box, axis) > 1:
            if axis < reduced:
                leaf = abs(get(strides, axis))
            else:
                columns = abs(get(strides, axis))
    return 1 if leaf < columns else 0


@called(7, result=I64)
def way_in_place(
    box: int, strides: int, ndim: int, reduced: int, item: int, n: int, n_stride: int
) -> int:
    """Whether a leaf of n cells a column, `n_stride` apart, can be folded where it lies.

    `COLUMNS` together, or each `SINGLE` one by itself; else 0.
    """
    keep_apart()
    if n_stride == 0:
        return 0
    if ndim == reduced:
        return SINGLE if n_stride == item else 0
    inner, width = get(strides, ndim - 1), get(box, ndim - 1)
    together = n * width >= FEW_TOGETHER and (width >= FEW_COLUMNS or n_stride == width * item)
    if inner == item and (ndim == reduced + 1 or together):
        return COLUMNS
    return SINGLE if n_stride == item and n >= FEW_CELLS else 0


@called(6, result=I64)
def runs_along_columns(
    operands: int, count: int, width: int, reduced: int, row: int, kept: int
) -> int:
    """Whether a formula can read its operands where they lie, a row of columns at a time.

    Each row is a call: of a few columns rows are taken together.
    """
    keep_apart()
    if row == 0 or reduced != 1 or width != 4 or kept < FEW_COLUMNS:
        return 0
    for i in range(count):
        if get(operands, i * width + 1) != get(operands, i * width + 3):
            return 0
    return 1
