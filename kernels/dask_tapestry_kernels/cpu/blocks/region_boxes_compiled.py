"""Boxes of labelled regions in a compiled loop."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cpu.jit.compile_service import compiled
from dask_tapestry_kernels.cpu.jit.memory_layout import address, storage

Block = np.ndarray[Any, Any]

SMALL: Final = 16_384  # cells; fewer are not worth a kernel that is not loaded
ARITY: Final = 9

SOURCE: Final = """\
import numpy as np
from numba import carray, njit
from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import pointer


def box(cells, table, sides, places, axes, lines, width, low, high):
    x = carray(pointer(cells), (lines * width,), np.{cell})
    n = carray(pointer(sides), (axes,), np.int64)
    p = carray(pointer(places), (axes,), np.int64)
    first, last = np.{cell}(low), np.{cell}(high)
    for line in range(lines):
        rest = line
        for back in range(1, axes):
            axis = axes - 1 - back
            p[axis] = rest % n[axis]
            rest //= n[axis]
        base, k = line * width, 0
        while k < width:
            label = x[base + k]
            begin = k
            k += 1
            while k < width and x[base + k] == label:
                k += 1
            if label < first or label > last:
                continue
            row = np.int64(label) - low
            t = carray(pointer(table + row * axes * 16), (2 * axes,), np.int64)
            t[axes - 1] = min(t[axes - 1], begin)
            t[2 * axes - 1] = max(t[2 * axes - 1], k - 1)
            for axis in range(axes - 1):
                t[axis] = min(t[axis], p[axis])
                t[axes + axis] = max(t[axes + axis], p[axis])


kernel = njit("void({arguments})", nogil=True, error_model="numpy")(box)
"""


@lru_cache(maxsize=16)
def source(cell: np.dtype[Any]) -> str:
    """The text of a module for labels of a dtype."""
    return SOURCE.format(cell=storage(cell), arguments=", ".join(["int64"] * ARITY))


def fill(table: Block, cells: Block, low: int, high: int) -> bool:
    """Note where runs of the labels from `low` to `high` begin and end; False where NumPy has to.

    Rows of the table, for these labels, have the first cells along all axes, then the last ones.
    """
    if cells.size < SMALL or not cells.dtype.isnative:
        return False
    native = compiled(source(cells.dtype), ARITY, "boxes of regions", cells.size)
    if native is None:
        return False
    sides, places = np.array(cells.shape, np.int64), np.empty(cells.ndim, np.int64)
    lines = cells.size // cells.shape[-1]
    own = [address(one) for one in (cells, table, sides, places)]
    native(*own, cells.ndim, lines, cells.shape[-1], low, high)
    return True
