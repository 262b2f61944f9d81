"""Tiles of an array whose regions are labelled: stretches of it in raster order."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Final

from dask_tapestry.first import first_of
from dask_tapestry.teg import Tensor
from dask_tapestry.teg.stored_grid import stored_spacing
from dask_tapestry_kernels.parameters.region_tiles import Tiled

FEW: Final = 2**20  # cells of a tile
MOST: Final = 2**24
ROWS: Final = 16  # of a tile, lest faces have as many cells
TILES: Final = 2**12  # from which tiles are larger
UNEVEN: Final = 2  # times as many tiles, lest one lies in two chunks


def tiles_of(x: Tensor) -> Tiled:
    """How a tensor that has cells is cut into tiles."""
    stored = [None if s is None or s.offset else s.side for s in stored_spacing(x)]
    return region_tiles(x.type.shape, stored)


def region_tiles(shape: tuple[int, ...], stored: Sequence[int | None] = ()) -> Tiled:
    """How an array that has cells is cut into tiles.

    A tile has all cells along the last axes, some along the one before them, and one along those
    that lead: as many as that it has about 2**20 cells, or more of an array that would have very
    many tiles or whose rows are long, up to 2**24. Only a row of the last axis is cut by itself.
    Where the array is `stored` in chunks of so many cells along each axis, tiles end with them, as
    well as they can.

    Examples
    --------
    >>> region_tiles((4000, 4000))
    Tiled(shape=(4192, 4000), grid=(16,), side=262)
    >>> region_tiles((30, 5000, 7000))
    Tiled(shape=(30, 5066, 7000), grid=(30, 34), side=149)
    >>> region_tiles((4000, 4000), (1000, 1000))
    Tiled(shape=(4000, 4000), grid=(16,), side=250)
    """
    cut = 0
    while cut < len(shape) - 1 and prod(shape[cut + 1 :]) > MOST:
        cut += 1
    row = prod(shape[cut + 1 :])
    few = min(MOST, max(FEW, prod(shape) // TILES))
    side = min(shape[cut], max(1, few // row, min(ROWS, MOST // row)))
    if stored and stored[cut]:
        side = _fitted(side, min(stored[cut] or 1, shape[cut]))
    count = -(-shape[cut] // side)
    return Tiled((*shape[:cut], count * side, *shape[cut + 1 :]), (*shape[:cut], count), side)


def _fitted(side: int, chunk: int) -> int:
    """About `side` cells of which some make a chunk, or some chunks."""
    if side >= chunk:
        return side // chunk * chunk
    some = range(-(-chunk // side), chunk + 1)
    parts = first_of((n for n in some if chunk % n == 0), "divisor of a chunk")
    return chunk // parts if parts * side <= UNEVEN * chunk else side


def tile_bytes(cells: int) -> int:
    """Bytes that labelling a tile takes at most: its cells, numbers, and runs of one cell each."""
    return (1 + 4 + 6) * cells
