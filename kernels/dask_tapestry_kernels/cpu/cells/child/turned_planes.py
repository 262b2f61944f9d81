"""Planes of a block that are turned while they are copied, box by box.

Lines of a box are a piece of a page of memory, in the source and in the target, so that a line of
either is complete while it is in a cache. Boxes of formulas of turned operands are lower and longer
(`TURNED_STRIP` in `compiled_formulas.py`), as the other operands are read in rows.
"""

from __future__ import annotations

from typing import Any, Final

from numba import njit

from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import get_int64 as get
from dask_tapestry_kernels.cpu.jit.child.strided_copy import copy_plane
from dask_tapestry_kernels.elementary.compiled_functions import called, keep_apart

SIDE: Final = 64  # cells of a box along both axes
OPTIONS: Any = {"nogil": True, "error_model": "numpy"}


@called(4)
def _turn(source: int, target: int, table: int, steps: int) -> None:
    """Copy a plane: the axes of number 0 and 1 in the table."""
    keep_apart()
    size, rows, down, n, along = (
        get(table, 0), get(table, 2), get(table, 3), get(table, 4), get(table, 5)
    )  # fmt: skip
    to_down, to_along = get(steps, 0), get(steps, 1)
    for j in range(0, n, SIDE):
        for i in range(0, rows, SIDE):
            at = source + i * down + j * along
            to = target + i * to_down + j * to_along
            high, wide = min(SIDE, rows - i), min(SIDE, n - j)
            copy_plane(at, to, high, wide, size, (down, along, to_down, to_along))


@njit("void(int64, int64, int64)", **OPTIONS)
def kernel(source: int, target: int, table: int) -> None:
    """Copy all planes.

    At `table` lie the size of a cell and the number of axes beside the plane's; then the extent and
    the stride in the source of each axis, the plane's first; then the strides in the target.
    """
    others = get(table, 1)
    steps = table + 8 * (2 + 2 * (2 + others))
    planes = 1
    for axis in range(2, 2 + others):
        planes *= get(table, 2 + 2 * axis)
    for number in range(planes):
        at, to, rest = source, target, number
        for axis in range(1 + others, 1, -1):
            place = rest % get(table, 2 + 2 * axis)
            rest //= get(table, 2 + 2 * axis)
            at += place * get(table, 3 + 2 * axis)
            to += place * get(steps, axis)
        _turn(at, to, table, steps)
