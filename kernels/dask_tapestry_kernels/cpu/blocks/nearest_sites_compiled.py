"""The nearest site of each cell of a line, in compiled loops over lower envelopes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cpu.jit.compile_service import compiled
from dask_tapestry_kernels.cpu.jit.memory_layout import address

Block = np.ndarray[Any, Any]

SMALL: Final = 16_384  # cells; fewer are not worth a kernel that is not loaded
ARITY: Final = 11

SOURCE: Final = """\
import numpy as np
from numba import carray, njit
from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import pointer


def advance(sites, places, told, rooms, stacks, lines, width, done, metric, last, before):
    z = carray(pointer(places), (lines * done + 1,), np.int64)
    n = carray(pointer(told), (2 * done + 1,), np.float64)
    r = carray(pointer(rooms), (2 * width,), np.float64)
    g = carray(pointer(stacks), (2 * width,), np.int64)
    o = carray(pointer(stacks + 16 * width), (width,), np.int64)
    w = n[2 * done]
    cells = np.int64(1)
    for axis in range(done):
        cells *= np.int64(n[axis])
    for line in range(lines):
        x = carray(pointer(sites + line * width * 8), (width,), np.int64)
        for i in range(width):
            total, rest, behind = 0.0, x[i], cells
            for axis in range(done):
                at = rest
                if axis < done - 1:
                    behind //= np.int64(n[axis])
                    at = rest // behind
                    rest -= at * behind
                t = (at - z[line * done + axis]) * n[done + axis]
                if metric == 0:
                    total += t * t
                elif metric == 1:
                    total += abs(t)
                else:
                    total = max(total, abs(t))
            r[i] = total if x[i] >= 0 else -1.0
        top = -1
        if metric == 0:
            for i in range(width):
                if r[i] < 0:
                    continue
                while top >= 1:
                    u, v = g[top - 1], g[top]
                    a, b = (v - u) * w, (i - v) * w
                    c = a + b
                    if c * r[v] - b * r[u] - a * r[i] - a * b * c <= 0:
                        break
                    top -= 1
                top += 1
                g[top] = i
            at = 0
            for i in range(width):
                if top < 0:
                    o[i] = -1
                    continue
                t = (g[at] - i) * w
                here = r[g[at]] + t * t
                while at < top:
                    t = (g[at + 1] - i) * w
                    there = r[g[at + 1]] + t * t
                    if here < there or (here == there and not last):
                        break
                    here = there
                    at += 1
                o[i] = g[at]
        elif metric == 1:
            best, away = -1, 0.0
            for i in range(width):
                away += 1
                if r[i] >= 0 and (best < 0 or r[i] < away or (r[i] == away and last)):
                    best, away = i, r[i]
                o[i] = best
                r[width + i] = away
            best = -1
            for back in range(width):
                i = width - 1 - back
                away += 1
                if r[i] >= 0 and (best < 0 or r[i] < away or (r[i] == away and not last)):
                    best, away = i, r[i]
                if best >= 0 and (o[i] < 0 or away < r[width + i]):
                    o[i] = best
                elif best >= 0 and away == r[width + i] and last:
                    o[i] = best
        else:
            for i in range(width):
                if r[i] < 0:
                    continue
                while top >= 0:
                    at, u = g[width + top], g[top]
                    if max(abs(at - u), r[u]) <= max(abs(at - i), r[i]):
                        break
                    top -= 1
                begin = 0
                if top >= 0:
                    u = g[top]
                    middle = (u + i) // 2
                    if r[u] <= r[i]:
                        begin = 1 + max(u + np.int64(r[i]), middle)
                    else:
                        begin = 1 + min(i - np.int64(r[u]), middle)
                if begin < width:
                    top += 1
                    g[top], g[width + top] = i, begin
            for back in range(width):
                i = width - 1 - back
                o[i] = g[top] if top >= 0 else -1
                if top >= 0 and i == g[width + top]:
                    top -= 1
        for i in range(width):  # what is chosen is read before anything is written over it
            chosen = x[max(o[i], 0)]
            g[i] = o[i] * cells + chosen if before else chosen * width + o[i]
        for i in range(width):
            x[i] = g[i] if o[i] >= 0 else -1


kernel = njit("void({arguments})", nogil=True, error_model="numpy")(advance)
"""


@cache
def source() -> str:
    """The text of the module."""
    return SOURCE.format(arguments=", ".join(["int64"] * ARITY))


def advance(
    sites: Block,
    at: Sequence[Block],
    extents: Sequence[int],
    steps: Sequence[float],
    metric: int,
    last: bool,
    before: bool,
) -> bool:
    """Write the nearest site of each cell of lines over the `sites`; False where NumPy has to.

    Parameters
    ----------
    sites
        Contiguous int64 (lines, cells): coordinates along the axes that are done.
    at, extents
        Where each line lies along these, and their cells.
    steps
        From a cell to the next along these, and along the line.
    metric
        0 Euclidean, 1 of the taxicab, 2 of the chessboard.
    """
    native = compiled(source(), ARITY, "nearest sites", sites.size) if sites.size >= SMALL else None
    if native is None:
        return False
    lines, width = sites.shape
    places = np.stack([*at, np.zeros(lines, np.int64)], axis=1)[:, : len(at) or 1].copy()
    told = np.array([*extents, *steps], np.float64)
    rooms, stacks = np.empty(2 * width), np.empty(3 * width, np.int64)
    own = [address(one) for one in (sites, places, told, rooms, stacks)]
    native(*own, lines, width, len(at), metric, int(last), int(before))
    return True
