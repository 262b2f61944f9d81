"""Weighted sums of windows: term by term over all cells of a tile, or compiled.

Products and sums are those of doubles, each rounded, in the order of the terms: with or without a
compiled loop, and however blocks are cut, a value has the same bits.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cpu.blocks import window_sum_compiled
from dask_tapestry_kernels.cpu.blocks.window_tiles import cells_at, window_tiles
from dask_tapestry_kernels.floating_point import listening
from dask_tapestry_kernels.kernel_table import Kernel
from dask_tapestry_kernels.parameters.casts import from_double

Block = np.ndarray[Any, Any]
Place = tuple[int, ...]
TILE_CELLS: Final = 2**15


def window_sum(
    out: Block | None,
    x: Block,
    *,
    window: tuple[int, ...],
    steps: tuple[int, ...],
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    singles: tuple[tuple[Place, float], ...],
    pairs: tuple[tuple[Place, Place, float], ...],
    sign: int,
    divisor: float,
) -> Block:
    """The sum of terms of each window.

    Parameters
    ----------
    window, steps
        Cells of a window, and from one to the next, along each axis.
    shape, dtype
        Of the result.
    singles
        Terms of one cell: place and weight.
    pairs, sign
        Terms of a cell plus or minus another one: the two places and the weight.
    divisor
        What the sum is divided by.
    """
    if out is None:
        out = np.empty(shape, dtype)
    if not out.size:
        return out
    with np.errstate(all="ignore"), listening(frozenset()):
        if not window_sum_compiled.summed(out, x, steps, singles, pairs, sign, divisor):
            for seen, made in window_tiles(x, out, window, steps, TILE_CELLS):
                total = _sum(seen, made.shape, steps, singles, pairs, sign)
                made[...] = from_double(total if divisor == 1 else total / divisor, dtype)
    return out


def _sum(
    x: Block,
    shape: tuple[int, ...],
    steps: tuple[int, ...],
    singles: tuple[tuple[Place, float], ...],
    pairs: tuple[tuple[Place, Place, float], ...],
    sign: int,
) -> Block:
    total, term = np.zeros(shape), np.empty(shape)
    for offset, weight in singles:
        cells = cells_at(x, offset, steps, shape)
        np.multiply(cells, weight, out=term, dtype=np.float64)
        total += term
    both = np.add if sign > 0 else np.subtract
    for offset, mirror, weight in pairs:
        first_cells, mirror_cells = (cells_at(x, p, steps, shape) for p in (offset, mirror))
        both(first_cells, mirror_cells, out=term, dtype=np.float64)
        term *= weight
        total += term
    return total


KERNELS: Final[dict[str, Kernel]] = {"windowsum": window_sum}
