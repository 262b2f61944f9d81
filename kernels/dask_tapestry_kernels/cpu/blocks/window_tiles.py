"""Tiles of the results that windows make, and the cells that they are made of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.stopping import stop_if_asked

Block = np.ndarray[Any, Any]
REACH: Final = 4  # windows that a tile has room for along an axis: the rest is read twice
ROW: Final = 1024  # neighbours that are worth a call of NumPy


def cells_at(x: Block, place: Sequence[int], steps: Sequence[int], shape: Sequence[int]) -> Block:
    """The cell at one place of each window, for `shape` windows that are `steps` apart.

    Examples
    --------
    >>> cells_at(np.arange(9), (1,), (3,), (3,))
    array([1, 4, 7])
    """
    ways = zip(place, steps, shape, strict=True)
    parts = [slice(e, e + step * (n - 1) + 1, step) if n else slice(0) for e, step, n in ways]
    return x[(*parts, ...)]


def tile_sides(shape: Sequence[int], window: Sequence[int], cells: int) -> tuple[int, ...]:
    """Sides of tiles of about `cells` results, long along axes where windows overlap.

    Examples
    --------
    >>> tile_sides((4000, 4000), (61, 1), 2**15)
    (244, 1024)
    """
    wanted = [1 if w == 1 else REACH * w for w in window]
    if wanted:
        wanted[-1] = max(wanted[-1], ROW)
    sides = [min(n, own) for n, own in zip(shape, wanted, strict=True)]
    for axis in reversed(range(len(sides))):
        others = max(1, prod(sides) // max(1, sides[axis]))
        sides[axis] = min(shape[axis], max(sides[axis], cells // others))
    return tuple(sides)


def window_tiles(
    x: Block, out: Block, window: Sequence[int], steps: Sequence[int], cells: int
) -> Iterator[tuple[Block, Block]]:
    """Parts of a result, of about `cells` cells, each with the part of `x` that its windows see."""
    sides = tile_sides(out.shape, window, cells)
    starts = [range(0, n, max(1, side)) for n, side in zip(out.shape, sides, strict=True)]
    for corner in product(*starts):
        stop_if_asked()
        result_slices, window_slices = [], []
        for first, side, n, w, step in zip(corner, sides, out.shape, window, steps, strict=True):
            end = min(n, first + side)
            result_slices.append(slice(first, end))
            window_slices.append(slice(first * step, (end - 1) * step + w))
        whole: Any = ...  # even of one cell an array that can be written to
        yield x[(*window_slices, whole)], out[(*result_slices, whole)]
