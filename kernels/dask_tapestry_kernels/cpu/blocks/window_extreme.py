"""Minima and maxima over places of windows of any form, with an addend for each place or none."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cpu.blocks.window_fold import EXTREMES
from dask_tapestry_kernels.cpu.blocks.window_tiles import cells_at, window_tiles
from dask_tapestry_kernels.floating_point import listening
from dask_tapestry_kernels.kernel_table import Kernel
from dask_tapestry_kernels.parameters.casts import from_double, with_addend

Block = np.ndarray[Any, Any]
TILE_CELLS: Final = 2**15


def window_extreme(
    out: Block | None,
    x: Block,
    *,
    window: tuple[int, ...],
    steps: tuple[int, ...],
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    fold: str,
    places: tuple[tuple[int, ...], ...],
    addends: tuple[float, ...] | None,
) -> Block:
    """The minimum or maximum of each window over some of its places.

    Parameters
    ----------
    window, steps
        Cells of a window, and from one to the next, along each axis.
    shape, dtype
        Of the result.
    fold
        ``"minimum"`` or ``"maximum"``.
    places
        Those of a window that count.
    addends
        What is added to each, in double precision; None for nothing.
    """
    if out is None:
        out = np.empty(shape, dtype)
    if not out.size:
        return out
    better = EXTREMES[fold]
    with np.errstate(all="ignore"), listening(frozenset()):
        for seen, result_part in window_tiles(x, out, window, steps, TILE_CELLS):
            best: Block | None = None
            for number, place in enumerate(places):
                cells = cells_at(seen, place, steps, result_part.shape)
                if addends is not None:
                    cells = with_addend(cells, addends[number], number == 0)
                best = cells.copy() if best is None else better(best, cells, out=best)
            if best is not None:
                result_part[...] = from_double(best, dtype) if best.dtype != dtype else best
    return out


KERNELS: Final[dict[str, Kernel]] = {"windowextreme": window_extreme}
