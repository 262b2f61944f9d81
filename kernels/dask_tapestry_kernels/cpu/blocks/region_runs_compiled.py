"""Regions of one block of true cells in a compiled loop, by runs and a forest of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, Final, Protocol

import numpy as np

from dask_tapestry_kernels.cpu.jit.compile_service import compiled
from dask_tapestry_kernels.cpu.jit.memory_layout import address

Block = np.ndarray[Any, Any]

SMALL: Final = 16_384  # cells; fewer are not worth a kernel that is not loaded
ARITY: Final = 13

SOURCE: Final = """\
import numpy as np
from numba import carray, njit
from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import pointer


def label(cells, out, lines, width, joined, first, start, end, least, sides, table, axes, many):
    x = carray(pointer(cells), (lines * width,), np.uint8)
    o = carray(pointer(out), (lines * width,), np.int32)
    f = carray(pointer(first), (lines + 1,), np.int64)
    s = carray(pointer(start), (lines * width,), np.int32)
    e = carray(pointer(end), (lines * width,), np.int32)
    p = carray(pointer(least), (lines * width,), np.int32)
    n = carray(pointer(sides), (2 * axes + 1,), np.int64)
    t = carray(pointer(table), (many * (axes + 2) + 1,), np.int64)
    runs, edge = 0, np.uint8(joined)
    f[0] = 0
    for line in range(lines):
        base = line * width
        ends, before = runs, np.uint8(0)
        for k in range(width):  # without branches, which noise would mispredict
            cell = np.uint8(x[base + k] & edge)
            s[runs] = k
            p[runs] = runs
            e[ends] = k
            runs += np.int64(x[base + k] & (before ^ 1))
            ends += np.int64(before & (cell ^ 1))
            before = cell
        if before:
            e[ends] = width
        f[line + 1] = runs
        if not joined:
            for run in range(f[line], runs):
                e[run] = s[run] + 1
        for reach in range(many):
            at = reach * (axes + 2)
            step, inside, rest = 0, True, line
            for back in range(axes):
                axis = axes - 1 - back
                here = rest % n[axis] + t[at + axis]
                rest //= n[axis]
                inside = inside and 0 <= here and here < n[axis]
                step += t[at + axis] * n[axes + axis]
            if not inside:
                continue
            low, high = t[at + axes], t[at + axes + 1]
            q, last = f[line + step], f[line + step + 1]
            for run in range(f[line], runs):
                a, b = s[run] + low, e[run] - 1 + high
                while q < last and e[q] <= a:
                    q += 1
                r = q
                while r < last and s[r] <= b:
                    i, j = np.int64(run), np.int64(r)
                    while p[i] != i:
                        p[i] = p[p[i]]
                        i = np.int64(p[i])
                    while p[j] != j:
                        p[j] = p[p[j]]
                        j = np.int64(p[j])
                    if i < j:
                        p[j] = i
                    elif j < i:
                        p[i] = j
                    r += 1
    count = 0
    for run in range(runs):
        if p[run] == run:
            count += 1
            p[run] = -count
        else:
            p[run] = p[p[run]]
    run, before = -1, np.uint8(0)
    for line in range(lines):
        before = np.uint8(0)
        for k in range(line * width, (line + 1) * width):
            run += np.int64(x[k] & (before ^ 1))
            o[k] = -p[max(run, 0)] & -np.int32(x[k])
            before = np.uint8(x[k] & edge)
    f[0] = count


kernel = njit("void({arguments})", nogil=True, error_model="numpy")(label)
"""


class HasTouchingCells(Protocol):
    """Cells of a line before that touch a run."""

    @property
    def line(self) -> tuple[int, ...]:
        """Steps along all axes but the last."""

    @property
    def low(self) -> int:
        """From the first cell of the run."""

    @property
    def high(self) -> int:
        """From its last cell."""


@cache
def source() -> str:
    """The text of the module."""
    return SOURCE.format(arguments=", ".join(["int64"] * ARITY))


def label(out: Block, x: Block, joined: bool, reaches: Sequence[HasTouchingCells]) -> int | None:
    """Fill `out` with the numbers of regions and return how many; None where NumPy has to do."""
    native = compiled(source(), ARITY, "labelling", x.size) if x.size >= SMALL else None
    if native is None:
        return None
    *sides, width = x.shape
    lines = x.size // width
    most = lines * ((width + 1) // 2) if joined else int(np.count_nonzero(x))
    first = np.empty(lines + 1, np.int64)
    start, end, least = np.empty((3, most + 1), np.int32)
    behind = [int(np.prod(sides[axis + 1 :])) for axis in range(len(sides))]
    table = np.array([*[n for r in reaches for n in (*r.line, r.low, r.high)], 0], np.int64)
    told = np.array([*sides, *behind, 0], np.int64)
    own = [address(one) for one in (first, start, end, least, told, table)]
    native(address(x), address(out), lines, width, int(joined), *own, len(sides), len(reaches))
    return int(first[0])
