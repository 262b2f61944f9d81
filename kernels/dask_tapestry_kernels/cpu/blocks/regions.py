"""Regions of an array that is cut into tiles: labelled in each, joined across them, renumbered.

A tile is a stretch of the array in raster order: so the regions of an earlier tile, and within it
those of smaller numbers, begin earlier. A region of a tile is told by a code, the number of its
tile and its own in it; of the codes that are joined the least one is that of the first cell.
"""

from __future__ import annotations

from itertools import product
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.bucket_blocks import BucketBlocks
from dask_tapestry_kernels.cpu.blocks.region_runs import label_block
from dask_tapestry_kernels.cpu.blocks.unions import least_joined
from dask_tapestry_kernels.kernel_table import Kernel
from dask_tapestry_kernels.output_blocks import OutputBlocks, OutputShape
from dask_tapestry_kernels.parameters.region_tiles import Place, Tiled
from dask_tapestry_kernels.stopping import stop_if_asked

Block = np.ndarray[Any, Any]
Keep = tuple[Any, ...]  # slices: cells of a whole result that are wanted
TILE: Final = 2**32  # codes of a tile


def parts(
    out: None,  # noqa: ARG001
    x: Block,
    *,
    structure: Block,
    tiled: Tiled,
    points: tuple[int, ...],
    outputs: tuple[OutputShape, ...],
) -> OutputBlocks:
    """Numbers of the regions of tiles, each by itself, and how many there are.

    Parameters
    ----------
    structure
        Which cells around one are its neighbours.
    tiled
        How tiles are cut.
    points
        How many tiles there are along the axes of the grid.
    outputs
        How the numbers, "labels", and the "counts" lie, or one of both.
    """
    results = OutputBlocks.empty(points, outputs)
    own = {output.name: array for output, array in zip(outputs, results.arrays, strict=True)}
    for tile in np.ndindex(points):
        stop_if_asked()
        cells = np.ascontiguousarray(x[tiled.slices_in(tile)])
        labels = np.empty(cells.shape, np.int32)
        count = label_block(labels, cells, structure)
        if "counts" in own:
            own["counts"][tile] = count
        if "labels" in own:
            room = own["labels"][tiled.slices_in(tile)]
            room[...] = 0  # beyond the end of the array
            room[tuple(map(slice, labels.shape))] = labels
    return results


def joints(
    out: None,  # noqa: ARG001
    labels: Block,
    *,
    first: Place,
    points: tuple[int, ...],
    begins: Place,
    structure: Block,
    tiled: Tiled,
    axis: int,
) -> BucketBlocks:
    """Pairs of codes of regions that touch across tiles, a bucket for each tile.

    Of each tile those with tiles that come after it along `axis` and lie at the same place, or
    beside it, along those that follow.

    Parameters
    ----------
    first, points
        The first tile, and how many there are.
    begins
        The first cell of `labels` in the array.
    """
    steps = [e for e in _steps(structure) if _leads_ahead(e, axis)]
    pairs_by_tile = BucketBlocks.empty(points)
    for at in np.ndindex(points):
        place = tuple([one + lo for one, lo in zip(at, first, strict=True)])
        found = [_touching(labels, begins, tiled, place, step) for step in steps]
        pairs = np.concatenate([np.empty((0, 2), np.int64), *[p for ps in found for p in ps]])
        pairs_by_tile.cells[at] = np.unique(pairs, axis=0) if len(pairs) else pairs
    return pairs_by_tile


def _steps(structure: Block) -> list[Place]:
    """Steps from a cell to its neighbours."""
    return [e for e in product((-1, 0, 1), repeat=structure.ndim) if structure[_from_middle(e)]]


def _from_middle(step: Place) -> Place:
    return tuple([1 + one for one in step])


def _leads_ahead(step: Place, axis: int) -> bool:
    """Whether a step leads ahead along an axis, and along none before it."""
    return not any(step[:axis]) and step[axis] == 1


def _touching(labels: Block, begins: Place, tiled: Tiled, tile: Place, step: Place) -> list[Block]:
    """Pairs of codes of a tile's regions and of those that are a step away in others."""
    ends, cut = tiled.ends(tile), tiled.cut
    own = [
        (max(lo, -e), min(hi, n - e))
        for (lo, hi), e, n in zip(ends, step, tiled.shape, strict=True)
    ]
    side, pairs = tiled.side, []
    lo, hi = own[cut]
    above = [at + e for at, e in zip(tile[:-1], step, strict=False)]
    for neighbour_row in {(lo + step[cut]) // side, (hi - 1 + step[cut]) // side}:
        neighbour = (*above, neighbour_row)
        if neighbour == tile:
            continue
        part = list(own)
        part[cut] = (
            max(lo, neighbour_row * side - step[cut]),
            min(hi, (neighbour_row + 1) * side - step[cut]),
        )
        if all(a < b for a, b in part):
            pairs.append(
                _pairs(labels, begins, part, step, (tiled.number(tile), tiled.number(neighbour)))
            )
    return pairs


def _pairs(
    labels: Block,
    begins: Place,
    part: list[tuple[int, int]],
    step: Place,
    tiles: tuple[int, int],
) -> Block:
    """Pairs of codes of cells and those that lie a step away, each once."""
    ends = list(zip(part, begins, step, strict=True))
    one = labels[tuple([slice(a - lo, b - lo) for (a, b), lo, _ in ends])]
    other = labels[tuple([slice(a - lo + e, b - lo + e) for (a, b), lo, e in ends])]
    both = (one != 0) & (other != 0)
    pairs = one[both].astype(np.int64) * TILE + other[both]
    differ = np.ones(len(pairs), bool)
    differ[1:] = pairs[1:] != pairs[:-1]  # most neighbours are of the same regions
    each = np.unique(pairs[differ])
    return np.stack([each // TILE + tiles[0] * TILE, each % TILE + tiles[1] * TILE], axis=1)


def merge(out: None, counts: Block, *joined: BucketBlocks) -> BucketBlocks:  # noqa: ARG001
    """What becomes of the regions of each tile, by what is joined across tiles.

    A bucket has rows of two numbers: how many regions begin in tiles before, and how many this one
    has; how many regions there are in all, and 0; then of each region of the tile that begins in
    another, or is joined with one that begins earlier, its number and the one that it gets.
    """
    none = np.empty((0, 2), np.int64)
    pairs = np.concatenate([none, *[bucket for buckets in joined for bucket in buckets.cells.flat]])
    codes, places = np.unique(pairs.reshape(-1), return_inverse=True)
    at = places.reshape(-1, 2)
    least = least_joined(len(codes), at[:, 0], at[:, 1])
    merged_codes = codes[least != np.arange(len(codes))]
    tiles = counts.reshape(-1).astype(np.int64)
    starts = np.searchsorted(merged_codes, np.arange(len(tiles) + 1) * TILE)
    own_counts = tiles - np.diff(starts)
    before = np.cumsum(own_counts) - own_counts
    roots = codes[least[least != np.arange(len(codes))]]
    tile = roots // TILE
    number = before[tile] + roots % TILE - (np.searchsorted(merged_codes, roots) - starts[tile])
    changed = np.stack([merged_codes % TILE, number], axis=1)
    made, total = BucketBlocks.empty(counts.shape), int(own_counts.sum())
    for n, place in enumerate(np.ndindex(counts.shape)):
        head = np.array([[before[n], tiles[n]], [total, 0]], np.int64)
        made.cells[place] = np.concatenate([head, changed[starts[n] : starts[n + 1]]])
    return made


def renumber(
    out: Block | None,
    labels: Block,
    numbers: BucketBlocks,
    *,
    tiled: Tiled,
    dtype: np.dtype[Any],
    keep: Keep,
) -> Block:
    """Numbers of regions of the whole array, for those of tiles and what becomes of these."""
    fits = out is not None and out.shape == labels.shape
    made = out if out is not None and fits else np.empty(labels.shape, dtype)
    for place in np.ndindex(numbers.shape):
        stop_if_asked()
        where = tiled.slices_in(place)
        np.take(_table(numbers.cells[place], dtype), labels[where], out=made[where], mode="clip")
    return made[(*keep, ...)]


def _table(rows: Block, dtype: np.dtype[Any]) -> Block:
    """The number that each region of a tile gets; 0 for cells of none."""
    (before, count), changed = rows[0], rows[2:]
    begins = np.ones(count + 1, bool)
    begins[0], begins[changed[:, 0]] = False, False
    table = np.cumsum(begins) + before
    table[0], table[changed[:, 0]] = 0, changed[:, 1]
    found: Block = table.astype(dtype)
    return found


def count(out: Block | None, numbers: BucketBlocks) -> Block:  # noqa: ARG001
    """How many regions there are in all, as the bucket of any tile says."""
    return np.asarray(numbers.cells.flat[0][1, 0])


KERNELS: Final[dict[str, Kernel]] = {
    "regionparts": parts,  # type: ignore[dict-item]
    "regionjoints": joints,  # type: ignore[dict-item]
    "regionmerge": merge,  # type: ignore[dict-item]
    "renumber": renumber,
    "regioncount": count,
}
