"""Cells of any strides copied by compiled code: lines, planes of rows, and boxes of any rank.

Cells are of 1, 2, 4, 8 or 16 bytes; strides are in bytes.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numba import types

from dask_tapestry_kernels.cpu.jit.child.interleaved_cells import (
    BYTES,
    MOST_ROWS,
    Places,
    join_cells,
    split_cells,
)
from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import (
    LINE,
    VECTOR,
    copy_bytes,
    copy_vector,
    get_int64,
    read_cell,
    set_int64,
    size_of,
    write_cell,
)
from dask_tapestry_kernels.cpu.jit.child.turned_tiles import TILE, turn_tile
from dask_tapestry_kernels.elementary.compiled_functions import called, inlined, keep_apart, room

Steps = tuple[int, int, int, int]  # bytes to the next row and cell of source, then of target
STEPS: Final = types.UniTuple(types.int64, 4)
WORD: Final = 8  # bytes; larger cells are no numbers
NARROW: Final = 8  # cells of a row up to which a plane is copied column by column
counters = room(8 * 72)


@inlined
def _copy_as(zero: Any, source: int, target: int, n: int, step: int, to_step: int) -> None:
    """Copy n cells of the type of `zero`; the loops differ in what LLVM makes of them."""
    if to_step != size_of(zero):
        for i in range(n):
            write_cell(target + i * to_step, 0, read_cell(source + i * step, 0, zero))
    elif step == 2 * to_step:  # known strides become shuffles of vectors
        for i in range(n):
            write_cell(target, i, read_cell(source, 2 * i, zero))
    elif step == 3 * to_step and size_of(zero) == 1:  # of larger cells it takes as long
        for i in range(n):
            write_cell(target, i, read_cell(source, 3 * i, zero))
    elif step == 4 * to_step and size_of(zero) == 1:
        for i in range(n):
            write_cell(target, i, read_cell(source, 4 * i, zero))
    elif step == -to_step:
        for i in range(n):
            write_cell(target, i, read_cell(source, -i, zero))
    elif step != 0:
        for i in range(n):
            write_cell(target, i, read_cell(source + i * step, 0, zero))
    else:
        cell = read_cell(source, 0, zero)
        for i in range(n):
            write_cell(target, i, cell)


@called(6)
def copy_line(source: int, target: int, n: int, size: int, step: int, to_step: int) -> None:
    """Copy n cells of `size` bytes, `step` apart, to places `to_step` apart."""
    keep_apart()
    if step == size and to_step == size:
        copy_bytes(target, source, n * size)
    elif size == 8:
        _copy_as(np.int64(0), source, target, n, step, to_step)
    elif size == 4:
        _copy_as(np.int32(0), source, target, n, step, to_step)
    elif size == 1:
        _copy_as(np.int8(0), source, target, n, step, to_step)
    elif size == 2:
        _copy_as(np.int16(0), source, target, n, step, to_step)
    else:
        for i in range(n):
            copy_bytes(target + i * to_step, source + i * step, size)


@inlined
def _turn_as(zero: Any, source: int, target: int, rows: int, n: int, along: int, down: int) -> None:
    """Copy whole tiles of the type of `zero` whose columns lie side by side, and then rows do."""
    size = size_of(zero)
    for first in range(0, rows, LINE // size):
        for j in range(0, n, TILE):
            for i in range(first, min(first + LINE // size, rows), TILE):
                at, to = source + i * size + j * along, target + i * down + j * size
                turn_tile(at, to, along, down, zero)


@called(7)
def _turn(source: int, target: int, rows: int, n: int, size: int, along: int, down: int) -> None:
    """Copy whole tiles of cells of `size` bytes."""
    keep_apart()
    if size == 8:
        _turn_as(np.int64(0), source, target, rows, n, along, down)
    elif size == 4:
        _turn_as(np.int32(0), source, target, rows, n, along, down)
    elif size == 2:
        _turn_as(np.int16(0), source, target, rows, n, along, down)
    else:
        _turn_as(np.int8(0), source, target, rows, n, along, down)


@called(6)
def copy_pieces(source: int, target: int, count: int, length: int, down: int, to_down: int) -> None:
    """Copy `count` pieces of `length` bytes, `down` bytes apart, to places `to_down` apart."""
    keep_apart()
    vectors = length // VECTOR
    if vectors * VECTOR == length:
        for _ in range(count):
            for vector in range(vectors):
                copy_vector(target + vector * VECTOR, source + vector * VECTOR)
            source += down
            target += to_down
    else:
        for _ in range(count):
            copy_bytes(target, source, length)
            source += down
            target += to_down


@called(5, STEPS)
def copy_rows(source: int, target: int, rows: int, n: int, size: int, steps: Steps) -> None:
    """`copy_plane` line by line, along the longer axis if the other one is short."""
    keep_apart()
    down, along, to_down, to_along = steps
    if along == size and to_along == size:
        copy_pieces(source, target, rows, n * size, down, to_down)
    elif n <= NARROW and n < rows:
        for j in range(n):
            copy_line(source + j * along, target + j * to_along, rows, size, down, to_down)
    else:
        for i in range(rows):
            copy_line(source + i * down, target + i * to_down, n, size, along, to_along)


@inlined
def _places(first: int, apart: int) -> Places:
    """Addresses of rows that are `apart` bytes from one to the next."""
    return first, first + apart, first + 2 * apart, first + 3 * apart


@called(5, STEPS)
def _copy_few(source: int, target: int, rows: int, n: int, size: int, steps: Steps) -> None:
    """Copy a plane whose columns lie side by side and then rows do, few of either."""
    keep_apart()
    _, along, to_down, _ = steps
    if 1 < rows <= MOST_ROWS and along == rows * size:
        vectors = n * size // BYTES
        split_cells(source, _places(target, to_down), rows, vectors, size)
        done = vectors * BYTES // size
        copy_rows(source + done * along, target + done * size, rows, n - done, size, steps)
    elif 1 < n <= MOST_ROWS and to_down == n * size:
        vectors = rows * size // BYTES
        join_cells(_places(source, along), target, n, vectors, size)
        done = vectors * BYTES // size
        copy_rows(source + done * size, target + done * to_down, rows - done, n, size, steps)
    else:
        copy_rows(source, target, rows, n, size, steps)


@called(5, STEPS)
def copy_plane(source: int, target: int, rows: int, n: int, size: int, steps: Steps) -> None:
    """Copy rows x n cells of `size` bytes from one address to another."""
    keep_apart()
    down, along, to_down, to_along = steps
    if along == size and to_down == size:  # rows become columns as columns become rows
        rows, n, down, along, to_down, to_along = n, rows, along, down, to_along, to_down
    if down != size or to_along != size or size > WORD:
        copy_rows(source, target, rows, n, size, (down, along, to_down, to_along))
        return
    if min(rows, n) < TILE:
        _copy_few(source, target, rows, n, size, (down, along, to_down, to_along))
        return
    high, wide = rows // TILE * TILE, n // TILE * TILE
    _turn(source, target, high, wide, size, along, to_down)
    steps = (down, along, to_down, to_along)
    if wide < n:
        right, to_right = source + wide * along, target + wide * size
        copy_rows(right, to_right, high, n - wide, size, steps)
    if high < rows:
        copy_rows(source + high * size, target + high * to_down, rows - high, n, size, steps)


@called(5)
def copy_box(source: int, target: int, dims: int, count: int, size: int) -> None:
    """Copy a box of cells of `size` bytes to `target`, side by side in C order.

    `dims` is the address of `count` pairs (extent, stride in bytes) of the source, last axis first.
    """
    keep_apart()
    n, step = (get_int64(dims, 0), get_int64(dims, 1)) if count else (1, size)
    plane = count > 1 and (step == size or get_int64(dims, 3) == size)
    first, rows, apart = (2, get_int64(dims, 2), get_int64(dims, 3)) if plane else (1, 1, 0)
    at = counters()
    for axis in range(first, count):
        set_int64(at, axis, 0)
    while True:
        if plane:
            copy_plane(source, target, rows, n, size, (apart, step, n * size, size))
        else:
            copy_line(source, target, n, size, step, size)
        target += rows * n * size
        axis = first
        while axis < count:
            done, down = get_int64(at, axis) + 1, get_int64(dims, 2 * axis + 1)
            if done < get_int64(dims, 2 * axis):
                set_int64(at, axis, done)
                source += down
                break
            set_int64(at, axis, 0)
            source -= (done - 1) * down
            axis += 1
        if axis >= count:
            return
