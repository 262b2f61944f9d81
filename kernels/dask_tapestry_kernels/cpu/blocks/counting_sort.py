"""Counting sort: integers of a small range are sorted by counting them, in a compiled loop.

The last number that the dtype has is left out of the range: it fills runs that are not whole.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cpu.jit.compile_service import compiled
from dask_tapestry_kernels.cpu.jit.memory_layout import address, storage

Block = np.ndarray[Any, Any]

SMALL: Final = 16_384  # cells; fewer are not worth a kernel that is not loaded
ARITY: Final = 5
MOST: Final = 2**17  # different numbers: a table of 1 MiB
CELLS_A_NUMBER: Final = 4  # from which counting is faster than NumPy's sort

TEXT: Final = """\
import numpy as np
from numba import carray, njit
from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import pointer


def count_sort(cells, table, found, n, most):
    x = carray(pointer(cells), (n,), np.{cell})
    f = carray(pointer(found), (1,), np.int64)
    none, low, high = np.{cell}({last}), np.{cell}({last}), np.{cell}({first})
    for k in range(n):
        low = min(low, x[k])
        high = max(high, x[k] if x[k] != none else np.{cell}({first}))
    span = np.uint64(high) - np.uint64(low) if low <= high else np.uint64(0)
    f[0] = np.int64(span < np.uint64(most))
    if low > high or not f[0]:
        return
    many = np.int64(span) + 1
    t = carray(pointer(table), (2 * many,), np.int64)
    for k in range(2 * many):
        t[k] = 0
    first, odd = np.uint64(low), np.uint64(many)
    for k in range(n):
        number = np.uint64(x[k]) - first
        if number < odd:
            t[number + (odd if k & 1 else np.uint64(0))] += 1
    at = 0
    for number in range(many):
        count = t[number] + t[number + many]
        y = carray(pointer(cells + at * {size}), (count,), np.{cell})
        cell = np.{cell}(first + np.uint64(number))
        for k in range(count):
            y[k] = cell
        at += count
    y = carray(pointer(cells + at * {size}), (n - at,), np.{cell})
    for k in range(n - at):
        y[k] = none


kernel = njit("void({arguments})", nogil=True, error_model="numpy")(count_sort)
"""


@lru_cache(maxsize=16)
def source(cell: np.dtype[Any]) -> str:
    """The text of a module that sorts a line of integers if their range is small."""
    info = np.iinfo(cell)
    return TEXT.format(
        cell=storage(cell),
        size=cell.itemsize,
        first=info.min,
        last=info.max,
        arguments=", ".join(["int64"] * ARITY),
    )


def count_sort(cells: Block, axis: int) -> bool:
    """Sort integers along the last axis in place; False where counting is not the way.

    False may come after some lines: those before the first whose range is too large are sorted.
    """
    length = cells.shape[axis]
    wanted = cells.dtype.kind in "iu" and cells.dtype.itemsize > 1 and cells.dtype.isnative
    last = axis in (-1, cells.ndim - 1) and cells.flags.c_contiguous
    if not wanted or not last or length < SMALL:
        return False
    native = compiled(source(cells.dtype), ARITY, "sorting", cells.size)
    if native is None:
        return False
    most = min(MOST, length // CELLS_A_NUMBER)
    table, found = np.empty(2 * most, np.int64), np.zeros(1, np.int64)
    for line in cells.reshape(-1, length):
        native(address(line), address(table), address(found), length, most)
        if not found[0]:
            return False
    return True
