"""Regions of stored arrays: where the cells of a tensor go, and the chunks that they touch.

A stored chunk (or a shard of chunks) is read and written as a whole, so one task must write all of
it. A tensor may begin or end within a chunk, or skip cells. So it is cut not in its own coordinates
but in those of its *cover*: the cells from the start of the first chunk to the last cell that is
written. There every edge between tasks can lie between chunks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import gcd
from typing import Any

import numpy as np

from dask_tapestry.errors import ShapeError
from dask_tapestry.io.tuning import MOST_COMPARED_PAIRS
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.teg.region import Progression
from dask_tapestry.zspace import ZRange


@dataclass(frozen=True)
class WriteRegion:
    """The coordinates that are written along each dimension, and the shape of the stored chunks.

    Examples
    --------
    >>> region = WriteRegion.of((slice(3, 9),), (20,), (4,))
    >>> region.shape, region.origin, region.cover
    ((6,), (0,), (9,))
    >>> print(region.cells(ZRange((4,), (8,))))
    [1:5]
    """

    along: tuple[Progression, ...]
    sides: tuple[int, ...]

    @classmethod
    def of(
        cls, region: Sequence[slice], array: tuple[int, ...], sides: tuple[int, ...]
    ) -> WriteRegion:
        """The region that slices of an array of shape `array` select.

        Raises
        ------
        ShapeError
            If there are not as many slices as dimensions, or a step is negative.
        """
        if len(region) != len(array):
            raise ShapeError(f"region {_text(region)} does not fit an array of shape {array}")
        if any(item.step is not None and item.step < 1 for item in region):
            raise ShapeError(
                f"region {_text(region)} has a step that is not positive: flip the array to write"
            )
        bounds = [item.indices(n) for item, n in zip(region, array, strict=True)]
        return cls(tuple(Progression.of(a, s, len(range(a, b, s))) for a, b, s in bounds), sides)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the tensor that is written."""
        return tuple(p.count for p in self.along)

    @property
    def origin(self) -> tuple[int, ...]:
        """First cell of the first chunk."""
        return tuple(p.start // n * n for p, n in zip(self.along, self.sides, strict=True))

    @property
    def cover(self) -> tuple[int, ...]:
        """Cells from the origin to the last one that is written."""
        return tuple(
            p.stop - at if p.count else 0 for p, at in zip(self.along, self.origin, strict=True)
        )

    @property
    def hull(self) -> tuple[tuple[int, int], ...]:
        """First and one-past-last coordinate that is written, for each dimension."""
        return tuple((p.start, p.stop) for p in self.along)

    @property
    def is_dense(self) -> bool:
        """Whether no cell between the first and the last is left out."""
        return all(p.step == 1 for p in self.along)

    def cells(self, box: ZRange) -> ZRange:
        """Cells of the tensor that lie in a box of the cover."""
        sides = [
            (_first(p, at + lo), _first(p, at + hi))
            for p, at, lo, hi in zip(self.along, self.origin, box.lo, box.hi, strict=True)
        ]
        return ZRange(tuple(lo for lo, _ in sides), tuple(hi for _, hi in sides))

    def selection(self, cells: ZRange) -> tuple[slice, ...]:
        """Where in the array a box of the tensor goes."""
        return tuple(
            slice(p.start + lo * p.step, p.start + (hi - 1) * p.step + 1, p.step)
            for p, lo, hi in zip(self.along, cells.lo, cells.hi, strict=True)
        )

    def view(self, array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """The cells of an array in memory that are written."""
        if 0 in self.shape:
            return array.reshape(-1)[:0]
        key: Any = (
            *self.selection(ZRange.of_shape(self.shape)),
            ...,
        )  # a view of no dimensions too
        view: np.ndarray[Any, Any] = array[key]
        return view

    def meets(self, other: WriteRegion) -> bool:
        """Whether both write to one stored chunk."""
        if 0 in self.shape or 0 in other.shape:
            return False
        return all(
            _share_chunk(p, q, n)
            for p, q, n in zip(self.along, other.along, self.sides, strict=True)
        )

    def __str__(self) -> str:
        return _text([slice(p.start, p.stop, p.step) for p in self.along])


def _share_chunk(p: Progression, q: Progression, side: int) -> bool:
    """Whether two progressions have coordinates in one chunk of length `side`."""
    if p.start // side > (q.stop - 1) // side or q.start // side > (p.stop - 1) // side:
        return False
    if _count(p, side) * _count(q, side) > MOST_COMPARED_PAIRS:
        return True
    return any(a.meets(b) for a, b in product(_chunk_numbers(p, side), _chunk_numbers(q, side)))


def _count(p: Progression, side: int) -> int:
    """Return the number of progressions that `_chunk_numbers` yields."""
    return 1 if p.step <= side else min(p.count, side // gcd(p.step, side))


def _chunk_numbers(p: Progression, side: int) -> Iterator[Progression]:
    """Yield the numbers of the chunks in which a progression has coordinates, as progressions."""
    first = p.start // side
    if p.step <= side:  # it leaves out no chunk
        yield Progression(first, 1, (p.stop - 1) // side - first + 1)
        return
    cycle = side // gcd(p.step, side)  # so many steps on, the place within a chunk is the same
    for n in range(_count(p, side)):
        count = -(-(p.count - n) // cycle)
        yield Progression((p.start + n * p.step) // side, p.step * cycle // side, count)


def _first(p: Progression, coordinate: int) -> int:
    """Return the number of the first member of a progression at or behind a coordinate."""
    return min(max(-(-(coordinate - p.start) // p.step), 0), p.count)


def _text(region: Sequence[slice]) -> str:
    """Return slices as they are written in brackets."""
    parts = []
    for item in region:
        start, stop = ("" if end is None else end for end in (item.start, item.stop))
        step = f":{item.step}" if item.step not in (None, 1) else ""
        parts.append(f"{start}:{stop}{step}")
    return f"[{', '.join(parts)}]"
