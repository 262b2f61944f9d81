"""Reads of a user's operator whose function is called for some index points only."""

from __future__ import annotations

from collections.abc import Sequence

from dask_tapestry.teg import Progression, Region
from dask_tapestry.zspace import IndexProjection, ZRange


def with_longer_steps(read: IndexProjection, dim: int, part: int) -> IndexProjection:
    """A projection whose steps along `dim` take `part` steps of the one before."""
    rows = [[c * part if d == dim else c for d, c in enumerate(row)] for row in read.matrix]
    sides, strides = list(read.shape), list(read.stride)
    for axis, row in enumerate(read.matrix):
        if row[dim]:
            sides[axis], strides[axis] = read.extent[axis] + row[dim] * (part - 1), 1
    return IndexProjection(rows, read.offset, sides, strides, read.in_ndim)


def restricted(
    read: IndexProjection, kept: Sequence[Progression]
) -> tuple[IndexProjection, Region]:
    """A projection of the kept index points, counted from 0, and the region that they read."""
    rows = [[c * k.step for c, k in zip(row, kept, strict=True)] for row in read.matrix]
    start = read.affine(tuple(k.start for k in kept))
    moved = IndexProjection(rows, start, read.shape, read.stride, read.in_ndim)
    moving = [any(row[dim] for row in rows) for dim in range(len(kept))]
    counts = [k.count if moves else 1 for k, moves in zip(kept, moving, strict=True)]
    box = moved.of_range(ZRange((0,) * len(kept), counts))
    offsets, sides = [], []
    for axis, row in enumerate(read.matrix):
        dim = next((d for d, c in enumerate(row) if c), None)
        if dim is not None and _follows_cells(read, axis, dim):
            rows[axis] = list(row)
            offsets.append(0)
            keep = kept[dim]
            sides.append(Progression(box.lo[axis], keep.step, keep.count))
        else:
            offsets.append(start[axis] - box.lo[axis])
            sides.append(Progression.of(box.lo[axis], 1, box.hi[axis] - box.lo[axis]))
    return IndexProjection(rows, offsets, read.shape, read.stride, read.in_ndim), Region(sides)


def moves_by_cells(read: IndexProjection, dim: int) -> bool:
    """Whether `dim` moves each axis it moves by one cell a step: then steps can be left out.

    In a window, or where a step is several cells, the function itself skips cells.
    """
    return all(_follows_cells(read, axis, dim) for axis, row in enumerate(read.matrix) if row[dim])


def _follows_cells(read: IndexProjection, axis: int, dim: int) -> bool:
    """Whether `axis` follows `dim` by one cell a step, and nothing else."""
    row = read.matrix[axis]
    return row[dim] == 1 == read.shape[axis] and sum(map(bool, row)) == 1
