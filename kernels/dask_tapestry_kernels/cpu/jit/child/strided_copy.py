"""Cells of any strides copied by compiled code: planes of rows, and boxes of any rank.

Cells are of 1, 2, 4, 8 or 16 bytes; strides are in bytes. Importing this module imports numba.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import carray, njit  # type: ignore[attr-defined]

from dask_tapestry_kernels.cpu.jit.child.compiled_functions import called, keep_apart, room
from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import (
    get_int64,
    pointer,
    read_cell,
    set_int64,
    write_cell,
)

Steps = tuple[int, int, int, int]  # bytes to the next row and cell of source, then of target
counters = room(8 * 72)


@njit(nogil=True, error_model="numpy")
def _copy_as(
    kind: Any, source: int, target: int, rows: int, n: int, size: int, steps: Steps
) -> None:
    """Copy rows x n cells as numbers of `kind`, which has `size` bytes."""
    from_row, from_cell, to_row, to_cell = steps
    zero = kind(0)
    for i in range(rows):
        at, to = source + i * from_row, target + i * to_row
        if to_cell == size and from_cell == size:
            cells, places = carray(pointer(at), (n,), kind), carray(pointer(to), (n,), kind)
            for j in range(n):
                places[j] = cells[j]
        elif to_cell == size and from_cell == 0:
            places = carray(pointer(to), (n,), kind)
            cell = read_cell(at, zero)
            for j in range(n):
                places[j] = cell
        else:
            for j in range(n):
                write_cell(to + j * to_cell, read_cell(at + j * from_cell, zero))


@njit(nogil=True, error_model="numpy")
def copy_plane(source: int, target: int, rows: int, n: int, size: int, steps: Steps) -> None:
    """Copy rows x n cells of `size` bytes from one address to another."""
    if size == 8:
        _copy_as(np.int64, source, target, rows, n, size, steps)
    elif size == 4:
        _copy_as(np.int32, source, target, rows, n, size, steps)
    elif size == 1:
        _copy_as(np.int8, source, target, rows, n, size, steps)
    elif size == 2:
        _copy_as(np.int16, source, target, rows, n, size, steps)
    else:
        _copy_as(np.complex128, source, target, rows, n, size, steps)


@called(5)
def copy_box(source: int, target: int, dims: int, count: int, size: int) -> None:
    """Copy a box of cells of `size` bytes to `target`, side by side in C order.

    `dims` is the address of `count` pairs (extent, stride in bytes) of the source, last axis first.
    """
    keep_apart()
    n, along = (get_int64(dims, 0), get_int64(dims, 1)) if count else (1, size)
    rows, down = (get_int64(dims, 2), get_int64(dims, 3)) if count > 1 else (1, 0)
    at = counters()
    for axis in range(2, count):
        set_int64(at, axis, 0)
    while True:
        copy_plane(source, target, rows, n, size, (down, along, n * size, size))
        target += rows * n * size
        axis = 2
        while axis < count:
            done, step = get_int64(at, axis) + 1, get_int64(dims, 2 * axis + 1)
            if done < get_int64(dims, 2 * axis):
                set_int64(at, axis, done)
                source += step
                break
            set_int64(at, axis, 0)
            source -= (done - 1) * step
            axis += 1
        if axis >= count:
            return
