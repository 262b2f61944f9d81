"""Boxes of cells of any strides, copied side by side by compiled code.

Importing this module imports numba, so only what compiles, or loads what was compiled, does.
"""

from __future__ import annotations

from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import (
    copy_bytes,
    get_int64,
    move_1,
    move_2,
    move_4,
    move_8,
    set_int64,
)
from dask_tapestry_kernels.cpu.reduction.child.simd_accumulators import called, keep_apart, room

counters = room(8 * 72)


@called(5)
def copy_line(target: int, source: int, size: int, stride: int, item: int) -> None:
    """Copy `size` cells that lie a stride apart."""
    keep_apart()
    if stride == item:
        copy_bytes(target, source, size * item)
    elif item == 8:
        for i in range(size):
            move_8(target + 8 * i, source + i * stride)
    elif item == 4:
        for i in range(size):
            move_4(target + 4 * i, source + i * stride)
    elif item == 2:
        for i in range(size):
            move_2(target + 2 * i, source + i * stride)
    elif item == 1:
        for i in range(size):
            move_1(target + i, source + i * stride)
    else:
        for i in range(size):
            copy_bytes(target + i * item, source + i * stride, item)


@called(5)
def copy_box(target: int, source: int, dims: int, count: int, item: int) -> None:
    """Copy a box to `target`, in C order.

    `dims` are `count` pairs (size, stride in bytes) of the source, the last axis first.
    """
    keep_apart()
    if count == 0:
        copy_bytes(target, source, item)
        return
    size, stride = get_int64(dims, 0), get_int64(dims, 1)
    at = counters()
    for axis in range(1, count):
        set_int64(at, axis, 0)
    while True:
        copy_line(target, source, size, stride, item)
        target += size * item
        axis = 1
        while axis < count:
            done, step = get_int64(at, axis) + 1, get_int64(dims, 2 * axis + 1)
            if done < get_int64(dims, 2 * axis):
                set_int64(at, axis, done)
                source += step
                break
            set_int64(at, axis, 0)
            source -= (done - 1) * step
            axis += 1
        if axis == count:
            return
