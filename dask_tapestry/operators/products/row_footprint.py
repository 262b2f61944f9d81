"""Footprints of rows: which cells of a grid the rows of a sparse matrix touch, tile by tile.

The rows lie in a grid of results, the columns in a grid of operands. The rows of each tile of the
first are looked at once: a box of the second holds their columns. A block of results then reads the
boxes of its tiles.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from hashlib import blake2b
from math import prod
from typing import Any

import numpy as np

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.products.sparse_rows import SparseRows
from dask_tapestry.operators.tuning import MOST_FOOTPRINT_MARKS, MOST_FOOTPRINT_TILES
from dask_tapestry.zspace import ZRange

Table = np.ndarray[Any, np.dtype[np.integer[Any]]]


@dataclass(frozen=True)
class RowFootprint:
    """Boxes that hold the columns of tiles of rows, and where rows begin among all cells.

    Attributes
    ----------
    spans
        Cells of a tile along each axis of the grid of rows.
    step
        Rows from one of the marks to the next.
    identity
        Of the tables: tables of one text are equal.
    low, high
        Corners of the boxes: shape (axes of the columns' grid, *tiles). Of tiles that touch
        nothing the first corner lies beyond all others.
    marks
        Where every `step`-th row begins, and where the last one ends.
    """

    spans: tuple[int, ...]
    step: int
    identity: str
    low: Table = field(compare=False, repr=False)
    high: Table = field(compare=False, repr=False)
    marks: Table = field(compare=False, repr=False)

    @classmethod
    def of(cls, weights: SparseRows, rows: Sequence[int], grid: Sequence[int]) -> RowFootprint:
        """The footprint of a matrix whose rows lie in the grid `rows` and whose columns in `grid`.

        Examples
        --------
        >>> from dask_tapestry.operators.products.sparse_rows import rows_of_cells
        >>> places = np.array([0, 1, 2]), np.array([1, 7, 3])
        >>> seen = RowFootprint.of(rows_of_cells(np.ones(3), *places, (3, 8)), (3,), (2, 4))
        >>> seen.hull(ZRange((0,), (1,))), seen.hull(ZRange((1,), (3,)))
        (ZRange((0, 1), (1, 2)), ZRange((0, 3), (2, 4)))
        """
        most = int(MOST_FOOTPRINT_TILES ** (1 / max(1, len(rows))))
        spans = tuple([max(1, -(-n // most)) for n in rows])
        step = max(1, -(-prod(rows) // MOST_FOOTPRINT_MARKS))
        stored_rows = np.flatnonzero(np.diff(weights.starts))
        low: list[Table] = []
        high: list[Table] = []
        for axis in range(len(grid)):
            along = weights.columns // max(1, prod(grid[axis + 1 :])) % max(1, grid[axis])
            for found, fold, none in ((low, np.minimum, grid[axis]), (high, np.maximum, -1)):
                of_rows = np.full(prod(rows), none, np.int64)
                if stored_rows.size:
                    of_rows[stored_rows] = fold.reduceat(along, weights.starts[stored_rows])
                found.append(_tiled(of_rows.reshape(rows), fold, spans))
        marks = np.append(weights.starts[:-1:step], weights.starts[-1:])
        tables = tuple(map(_narrow, (np.stack(low), np.stack(high) + 1, marks)))
        told = f"{spans}{step}".encode() + b"".join([t.tobytes() for t in tables])
        return cls(spans, step, blake2b(told, digest_size=16).hexdigest(), *tables)

    def hull(self, box: ZRange) -> ZRange:
        """The box that holds the columns of a box of rows; empty where they touch nothing."""
        nothing = (0,) * len(self.low)
        if box.is_empty:
            return ZRange(nothing, nothing)
        spans = zip(box.lo, box.hi, self.spans, strict=True)
        tiles = (slice(None), *[slice(a // span, -(-b // span)) for a, b, span in spans])
        axes = tuple(range(1, self.low.ndim))
        low, high = self.low[tiles].min(axis=axes), self.high[tiles].max(axis=axes)
        if not high.all():
            return ZRange(nothing, nothing)
        return ZRange(tuple(low.tolist()), tuple(high.tolist()))

    def cells(self, first: int, end: int) -> tuple[int, int]:
        """Range of the matrix's cells that holds those of the rows from `first` to `end`."""
        if first >= end:
            return 0, 0
        return int(self.marks[first // self.step]), int(self.marks[-(-end // self.step)])


def _narrow(table: Table) -> Table:
    return table.astype(np.min_scalar_type(table.max(initial=0)))


def _tiled(of_rows: Table, fold: np.ufunc, spans: Sequence[int]) -> Table:
    """The grid of rows folded to one of tiles."""
    for axis, span in enumerate(spans):
        if of_rows.shape[axis]:
            of_rows = fold.reduceat(of_rows, np.arange(0, of_rows.shape[axis], span), axis)
    return of_rows
