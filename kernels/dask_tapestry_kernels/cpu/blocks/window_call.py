"""A function called for the cells of every window."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cpu.blocks.window_tiles import cells_at, window_tiles
from dask_tapestry_kernels.kernel_table import Kernel
from dask_tapestry_kernels.parameters.casts import from_double

Block = np.ndarray[Any, Any]
HELD: Final = 2**16  # cells of windows that are gathered at a time
LEAST_TILE: Final = 2**8


def window_call(
    out: Block | None,
    x: Block,
    *,
    window: tuple[int, ...],
    steps: tuple[int, ...],
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    places: tuple[tuple[int, ...], ...],
    function: Callable[[Block], Any],
) -> Block:
    """What a function returns for the cells of each window, as doubles.

    Parameters
    ----------
    window, steps
        Cells of a window, and from one to the next, along each axis.
    shape, dtype
        Of the result.
    places
        Those of a window that the function gets, in their order.
    """
    if out is None:
        out = np.empty(shape, dtype)
    if not out.size:
        return out
    tile = max(LEAST_TILE, HELD // len(places))
    for windows_part, result_part in window_tiles(x, out, window, steps, tile):
        cells = np.empty((*result_part.shape, len(places)))
        for number, place in enumerate(places):
            cells[..., number] = cells_at(windows_part, place, steps, result_part.shape)
        values = np.empty(result_part.shape)
        for at in np.ndindex(*result_part.shape):
            values[at] = function(cells[at])
        result_part[...] = from_double(values, dtype)
    return out


KERNELS: Final[dict[str, Kernel]] = {"windowcall": window_call}
