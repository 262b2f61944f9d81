"""The bin that each cell lies in, by arithmetic where that decides it and by search elsewhere.

Searching 100 edges for unsorted cells takes 100 ns a cell. Here a cell's place on an even grid is
computed, which takes 2 ns; where the grid cell holds no edge, nor has one within the rounding of
the computation, the bin is known. Only the other cells are searched for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cpu.cells.interpreter import tiles
from dask_tapestry_kernels.cpu.reduction import bin_numbers_compiled
from dask_tapestry_kernels.kernel_table import Kernel
from dask_tapestry_kernels.parameters.even_edges import check_even

Block = np.ndarray[Any, Any]
Place = Callable[[Block, Block], Block]

GRID: Final = 8192  # grid cells for uneven edges, at least; a table of them stays in cache
GRID_A_BIN: Final = 16
TILE_CELLS: Final = 32_768
ROUNDINGS: Final = 16.0  # more than subtraction, scaling and the edges' own rounding add up to
FEW: Final = 16  # one cell in so many is worth searching for; else all of the tile are corrected


def bin_number(
    out: Block | None, x: Block, edges: Block, *, even: bool, dtype: np.dtype[Any]
) -> Block:
    """Number of the bin that each cell of `x` lies in, counted from 1.

    A cell below all bins has number 0; one above them, or a NaN, one more than there are bins.
    A bin holds its lower edge and not its upper one; the last bin holds both.

    Parameters
    ----------
    x
        Numbers of any shape.
    edges
        One more than there are bins, ascending, of one dimension.
    even
        Whether the edges are evenly spaced.
    dtype
        Integer dtype of the result, which has the shape of `x`.

    Raises
    ------
    ValueError
        If even edges are not finite, or lie closer than their dtype can tell.
    """
    if even:
        check_even(edges)
    result = np.empty(x.shape, dtype) if out is None else out
    with np.errstate(all="ignore"):
        if _natively(result, x, edges, even):
            return result
        number = _method(x, edges, even)
        for tile in tiles(x.shape, TILE_CELLS):
            cells = x[tile]
            result[tile] = number(cells.ravel()).reshape(cells.shape)
    return result


def _method(x: Block, edges: Block, even: bool) -> Callable[[Block], Block]:
    """How to find the bins of the cells of a tile."""
    if x.dtype.itemsize == 1 and x.dtype.kind in "iu" and x.size > TILE_CELLS:
        return _tabled(x.dtype, edges)
    finite = _finite(x, edges)
    if len(finite) > 1 and finite[0] < finite[-1] and x.size >= GRID:
        by_grid = _even_grid(edges) if even else _uneven_grid(edges, finite)
        if by_grid is not None:
            return by_grid
    return lambda cells: searched(cells, edges)


def _finite(x: Block, edges: Block) -> Block:
    """The finite edges, if float64 tells them and the cells apart."""
    kinds = x.dtype.kind + edges.dtype.kind
    plain = set(kinds) <= set("fiu") and max(x.dtype.itemsize, edges.dtype.itemsize) <= 8
    return edges[np.isfinite(edges)] if plain else np.empty(0)


def _natively(result: Block, x: Block, edges: Block, even: bool) -> bool:
    """Whether a compiled loop has written the numbers."""
    if x.size < bin_numbers_compiled.SMALL:
        return False
    places = places_of(x, edges, even)
    return places is not None and bin_numbers_compiled.write_numbers(result, x, places)


def places_of(x: Block, edges: Block, even: bool) -> bin_numbers_compiled.Places | None:
    """What compiled loops are told to number cells as those of `x`; None where NumPy has to."""
    if x.dtype.itemsize == 1 and x.dtype.kind in "iu":
        return None
    finite = _finite(x, edges).astype(np.float64)
    if len(finite) < 2 or not finite[0] < finite[-1]:
        return None
    low, high = float(finite[0]), float(finite[-1])
    count = len(edges) - 1 if even else max(GRID, GRID_A_BIN * len(edges))
    scale = count / (high - low)
    tolerance = _tolerance(edges if even else finite, count, scale)
    if not tolerance < 0.25 or count >= 2**30:
        return None
    if even:
        return bin_numbers_compiled.even_places(edges, scale, tolerance)
    spans = _spans(edges, (finite - low) * scale, count, tolerance)
    return bin_numbers_compiled.uneven_places(edges, (low, high, scale), spans)


def _spans(edges: Block, positions: Block, count: int, tolerance: float) -> Block:
    """For each grid cell the range of bins that its values may have; one bin beyond the ends."""
    below, grid = int(np.isneginf(edges).sum()), np.arange(-1.0, count + 1)
    spans = np.empty((count + 2, 2), np.int64)
    spans[:, 0] = below + np.searchsorted(positions, grid - 2 * tolerance, side="left")
    spans[:, 1] = below + np.searchsorted(positions, grid + 1 + 2 * tolerance, side="right")
    spans[0], spans[-1] = below, below + len(positions)
    return spans


def searched(cells: Block, edges: Block) -> Block:
    """Numbers by search; 0 below, one more than there are bins above and of a NaN."""
    numbers = np.searchsorted(edges, cells, side="right")
    if len(edges) > 1:
        numbers = np.where(cells == edges[-1], len(edges) - 1, numbers)
    return np.asarray(numbers)


def _tabled(dtype: np.dtype[Any], edges: Block) -> Callable[[Block], Block]:
    """The bins of cells of one byte: each possible value is searched for once."""
    every = np.arange(256, dtype=np.uint8).view(dtype)
    table = searched(every, edges)
    return lambda cells: table.take(cells.view(np.uint8))


class _Scratch:
    """Arrays of a tile that are used again: fresh ones cost more than the arithmetic on them."""

    def __init__(self) -> None:
        self.place = np.empty(TILE_CELLS)
        self.off = np.empty(TILE_CELLS)
        self.number = np.empty(TILE_CELLS, np.int32)
        self.near = np.empty(TILE_CELLS, bool)


def _even_grid(edges: Block) -> Callable[[Block], Block] | None:
    """For even edges the grid cells are the bins, and edges are near whole places."""
    count = len(edges) - 1
    low, high = float(edges[0]), float(edges[-1])
    scale = count / (high - low)
    tolerance = _tolerance(edges, count, scale)
    if not tolerance < 0.25 or count >= 2**30:
        return None
    bounds = _Bounds(edges)
    scratch = _Scratch()

    def numbers(cells: Block) -> Block:
        n = len(cells)
        position, off = scratch.place[:n], scratch.off[:n]
        number, near = scratch.number[:n], scratch.near[:n]
        np.subtract(cells, low, out=position, dtype=np.float64)
        np.multiply(position, scale, out=position)
        np.rint(position, out=off)
        np.subtract(off, position, out=off)
        np.abs(off, out=off)
        np.less(off, tolerance, out=near)
        np.add(position, 1.0, out=position)
        np.maximum(position, 0.0, out=position)
        np.fmin(position, count + 1.0, out=position)  # a NaN, too
        np.copyto(number, position, casting="unsafe")
        if near.any():
            bounds.correct(number, cells, near)
        return number

    return numbers


class _Bounds:
    """The edges, to correct computed numbers that may be off by one."""

    def __init__(self, edges: Block) -> None:
        self.edges = edges
        inner = edges.astype(np.float64)
        beyond = np.nextafter(inner[-1], np.inf)  # so that the last bin holds the last edge
        self.lower = np.concatenate([[-np.inf], inner[:-1], [beyond]])
        self.upper = np.concatenate([self.lower[1:], [np.nan]])

    def correct(self, numbers: Block, cells: Block, near: Block) -> None:
        """Compare the cells `near` an edge with it."""
        places = np.flatnonzero(near)
        if len(places) * FEW < len(cells):
            numbers[places] = searched(cells[places], self.edges)
            return
        np.subtract(numbers, cells < self.lower.take(numbers), out=numbers, casting="unsafe")
        np.add(numbers, cells >= self.upper.take(numbers), out=numbers, casting="unsafe")
        np.putmask(numbers, cells < self.lower[1], 0)
        np.putmask(numbers, cells >= self.lower[-1], len(self.lower) - 1)


def _tolerance(edges: Block, count: int, scale: float) -> float:
    """By how much a place on a grid of `count` cells may be off, in grid cells."""
    kind = edges.dtype if edges.dtype.kind == "f" else np.dtype(np.float64)
    finite = edges[np.isfinite(edges)].astype(np.float64)
    size = float(np.max(np.abs(finite)))
    return ROUNDINGS * float(np.finfo(kind).eps) * (count + size * scale)


def _uneven_grid(edges: Block, finite: Block) -> Callable[[Block], Block] | None:
    """A grid over the finite edges, and the bin of each grid cell that holds none of them."""
    inner = finite.astype(np.float64)
    low, high = float(inner[0]), float(inner[-1])
    count = max(GRID, GRID_A_BIN * len(edges))
    scale = count / (high - low)
    tolerance = _tolerance(inner, count, scale)
    if not tolerance < 0.25:
        return None
    table, unclear = _grid_table(edges, (inner - low) * scale, count, tolerance)
    scratch = _Scratch()

    def numbers(cells: Block) -> Block:
        n = len(cells)
        scaled, number = scratch.place[:n], scratch.number[:n]
        np.subtract(cells, low, out=scaled, dtype=np.float64)
        np.multiply(scaled, scale, out=scaled)
        np.maximum(scaled, -1.0, out=scaled)
        np.fmin(scaled, float(count), out=scaled)  # a NaN, too
        np.add(scaled, 1.0, out=scaled)
        np.copyto(number, scaled, casting="unsafe")
        found = table.take(number)
        missing = np.flatnonzero(found == unclear)
        if len(missing):
            found[missing] = searched(cells[missing], edges)
        return found

    return numbers


def _grid_table(edges: Block, positions: Block, count: int, tolerance: float) -> tuple[Block, int]:
    """Bins of what lies below the grid, of its cells, and of what lies above.

    Returns the table and the number that stands in it for grid cells with an edge, and for what
    lies above, where a NaN lands, if anything but no bin is there.
    """
    unclear = len(edges) + 1
    grid = np.arange(count + 2) - 0.5  # the middle of each, the first and last outside
    below = int(np.isneginf(edges).sum())
    table = below + np.searchsorted(positions, grid, side="right")
    for side in (-tolerance, tolerance):
        table[np.clip(np.floor(positions + side), -1, count).astype(np.intp) + 1] = unclear
    if below + len(positions) < len(edges):
        table[-1] = unclear
    return table, unclear


KERNELS: Final[dict[str, Kernel]] = {
    "bin": bin_number,
}
