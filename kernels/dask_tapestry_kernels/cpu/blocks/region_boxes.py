"""Boxes of labelled regions: of each tile those of the labels in it, and what these are together.

Cells are taken by runs of a line that have one label: between its ends a run changes no box.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.bucket_blocks import BucketBlocks
from dask_tapestry_kernels.cpu.blocks import region_boxes_compiled
from dask_tapestry_kernels.kernel_table import Kernel
from dask_tapestry_kernels.parameters.region_tiles import Tiled
from dask_tapestry_kernels.stopping import stop_if_asked

Block = np.ndarray[Any, Any]
WIDE: Final = 4  # times as many numbers as cells: labels that lie so far apart are counted anew


def boxes(
    out: None,  # noqa: ARG001
    labels: Block,
    *,
    first: tuple[int, ...],
    points: tuple[int, ...],
    begins: tuple[int, ...],
    tiled: Tiled,
    most: int,
) -> BucketBlocks:
    """Of each tile a bucket: rows of a label, its first and its last cell along each axis.

    Parameters
    ----------
    first, points
        The first tile, and how many there are.
    begins
        The first cell of `labels` in the array.
    most
        The greatest label that is wanted, of those from 1 on.
    """
    buckets = BucketBlocks.empty(points)
    for at in np.ndindex(points):
        stop_if_asked()
        place = tuple([one + lo for one, lo in zip(at, first, strict=True)])
        ends = zip(tiled.ends(place), begins, strict=True)
        cells = labels[tuple([slice(lo - start, hi - start) for (lo, hi), start in ends])]
        corner = np.array([lo for lo, _ in tiled.ends(place)])
        buckets.cells[at] = _of_tile(np.ascontiguousarray(cells), most, corner)
    return buckets


def _of_tile(cells: Block, most: int, corner: Block) -> Block:
    """Rows of the labels of a tile whose first cell is the `corner`."""
    rank = cells.ndim
    none = np.empty((0, 1 + 2 * rank), np.int64)
    if not cells.size:
        return none
    low, high = max(1, int(cells.min())), min(most, int(cells.max()))
    if high < low:
        return none
    if high - low < WIDE * cells.size:
        names = np.arange(low, high + 1)
    else:
        names, codes = np.unique(cells, return_inverse=True)
        cells, low, high = codes.reshape(cells.shape) + 1, 1, len(names)
    table = np.empty((len(names), 2, rank), np.int64)
    table[:, 0], table[:, 1] = cells.shape, -1
    if not region_boxes_compiled.fill(table, cells, low, high):
        _fill(table, cells, low, high)
    found = np.flatnonzero((table[:, 1, 0] >= 0) & (names >= 1) & (names <= most))
    ends = table[found] + corner
    return np.concatenate([names[found, None].astype(np.int64), ends.reshape(-1, 2 * rank)], axis=1)


def _fill(table: Block, cells: Block, low: int, high: int) -> None:
    """Note where runs of the labels from `low` to `high` begin and end."""
    differ = np.ones(cells.shape, bool)
    differ[..., 1:] = cells[..., 1:] != cells[..., :-1]
    starts = np.flatnonzero(differ)
    lengths = np.diff(starts, append=cells.size)
    named = cells.reshape(-1)[starts]
    wanted = (named >= low) & (named <= high)
    rows = named[wanted].astype(np.int64) - low
    places = np.unravel_index(starts[wanted], cells.shape)
    for axis, place in enumerate(places):
        last = place if axis < cells.ndim - 1 else place + lengths[wanted] - 1
        np.minimum.at(table[:, 0, axis], rows, place)
        np.maximum.at(table[:, 1, axis], rows, last)


def table(out: Block | None, found: BucketBlocks, *, most: int, rank: int) -> Block:  # noqa: ARG001
    """First and last cells of the labels from 1 to `most`: (labels, 2, axes), or -1 of none."""
    box_table = np.full((most, 2, rank), -1, np.int64)
    for rows in found.cells.flat:
        at, ends = rows[:, 0] - 1, rows[:, 1:].reshape(-1, 2, rank)
        before = box_table[at]
        first = np.where(before[:, 0] < 0, ends[:, 0], np.minimum(before[:, 0], ends[:, 0]))
        box_table[at, 0], box_table[at, 1] = first, np.maximum(before[:, 1], ends[:, 1])
    return box_table


KERNELS: Final[dict[str, Kernel]] = {
    "regionboxes": boxes,  # type: ignore[dict-item]
    "boxtable": table,
}
