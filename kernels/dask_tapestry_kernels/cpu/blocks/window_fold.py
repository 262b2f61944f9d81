"""Sums, means, minima and maxima of box windows, by doubling.

What two neighbouring windows of n cells come to is that of one of 2n, so a window of n cells takes
about log2(n) passes and no running total: a value depends on the cells of its window alone, and has
the same bits however blocks are cut.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cpu.blocks.window_tiles import cells_at, window_tiles
from dask_tapestry_kernels.floating_point import listening
from dask_tapestry_kernels.kernel_table import Kernel
from dask_tapestry_kernels.parameters.casts import from_double

Block = np.ndarray[Any, Any]
TILE_CELLS: Final = 2**15
EXTREMES: Final[dict[str, Callable[..., Any]]] = {"minimum": np.minimum, "maximum": np.maximum}


def window_fold(
    out: Block | None,
    x: Block,
    *,
    window: tuple[int, ...],
    steps: tuple[int, ...],
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    fold: str,
) -> Block:
    """The sum, mean, minimum or maximum of each box window.

    Parameters
    ----------
    window, steps
        Cells of a window, and from one to the next, along each axis.
    shape, dtype
        Of the result; a mean, and a sum of floats, is taken of doubles and converted as C does.
    fold
        ``"sum"``, ``"mean"``, ``"minimum"`` or ``"maximum"``.
    """
    if out is None:
        out = np.empty(shape, dtype)
    if not out.size:
        return out
    first, work = (0,) * len(window), np.dtype(np.float64)
    if fold == "sum" and dtype.kind in "iu":
        work = dtype
    with np.errstate(all="ignore"), listening(frozenset()):
        for seen, result_part in window_tiles(x, out, window, steps, TILE_CELLS):
            cells = seen
            for axis, length in enumerate(window):
                if length > 1:
                    if fold in EXTREMES:
                        cells = _extreme(EXTREMES[fold], cells, axis, length)
                        continue
                    cells = _sum(cells, axis, length, work)
                    if fold == "mean":
                        cells = np.true_divide(cells, float(length), dtype=np.float64)
            picked = cells_at(cells, first, steps, result_part.shape)
            result_part[...] = from_double(picked, dtype) if picked.dtype != dtype else picked
    return out


def _part(cells: Block, axis: int, first: int, count: int) -> Block:
    return cells[(*(slice(None),) * axis, slice(first, first + count))]


def _extreme(fold: Callable[..., Any], cells: Block, axis: int, length: int) -> Block:
    """Windows of a power of two; two of these that overlap are any longer one."""
    count, have = cells.shape[axis], 1
    while have < length:
        further = min(have, length - have)
        count -= further
        cells = fold(_part(cells, axis, 0, count), _part(cells, axis, further, count))
        have += further
    return cells


def _sum(cells: Block, axis: int, length: int, work: np.dtype[Any]) -> Block:
    """Sums of powers of two that together are the window, the shortest first."""
    wanted = cells.shape[axis] - length + 1
    total: Any = None
    done, have = 0, 1
    while have <= length:
        if length & have:
            part = _part(cells, axis, done, wanted)
            total = part if total is None else np.add(total, part, dtype=work)
            done += have
        if 2 * have <= length:
            count = cells.shape[axis] - have
            pair = _part(cells, axis, 0, count), _part(cells, axis, have, count)
            cells = np.add(*pair, dtype=work)
        have *= 2
    found: Block = total
    return found


KERNELS: Final[dict[str, Kernel]] = {"windowfold": window_fold}
