"""Interleaved cells of a few blocks: the first cell of each, then the second one."""

from __future__ import annotations

from typing import Any, Final

from numba import njit

from dask_tapestry_kernels.cpu.jit.child.interleaved_cells import BYTES, join_cells
from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import get_int64 as get
from dask_tapestry_kernels.cpu.jit.child.strided_copy import copy_line

OPTIONS: Final[Any] = {"nogil": True, "error_model": "numpy"}


@njit("void(int64, int64, int64, int64, int64)", **OPTIONS)
def kernel(table: int, count: int, n: int, size: int, target: int) -> None:
    """Interleave `count` blocks of n cells of `size` bytes, whose addresses lie at `table`.

    The table has `interleaved_cells.MOST_ROWS` addresses.
    """
    sources = get(table, 0), get(table, 1), get(table, 2), get(table, 3)
    vectors = n * size // BYTES
    join_cells(sources, target, count, vectors, size)
    done = vectors * BYTES
    for number in range(count):
        at, to = get(table, number) + done, target + done * count + number * size
        copy_line(at, to, n - done // size, size, size, count * size)
