"""IndexRanges: which range known indices have, so that a block reads no more than that range.

Indices that are data on the client are looked at once: the least and the greatest of each of some
thousand spans along their first dimension. Sorted or clustered indices then read little. An index
that is out of bounds is refused by the kernel that reads it (`cpu/blocks/take.py`).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import field
from functools import lru_cache
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np

from dask_tapestry.cells import Spaced
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.tuning import MOST_INDEX_SPANS, MOST_KNOWN_CELLS, TELLING_WIDTH
from dask_tapestry.teg import Region
from dask_tapestry.zspace import ZRange

Table = np.ndarray[Any, np.dtype[np.int64]]
Line = np.ndarray[Any, np.dtype[np.int64]]


@dataclass(frozen=True)
class IndexRanges:
    """Least and greatest indices in spans of the first dimension of index tensors.

    Parameters
    ----------
    span
        Coordinates of the first dimension in a span.
    identity
        Of the table: tables of one text are equal.
    table
        Shape (tensors, spans, 2): least and greatest index.
    bits
        Which cells the indices are of, eight cells a byte: where there is one line of them, they
        ascend, and there are few cells; else None.
    """

    span: int
    identity: str
    table: Table = field(compare=False, repr=False)
    bits: bytes | None = None

    @property
    def ascending(self) -> np.ndarray[Any, Any] | None:
        """The indices, where they are known, ascend, and are of one dimension."""
        if self.bits is None:
            return None
        return np.flatnonzero(np.unpackbits(np.frombuffer(self.bits, np.uint8)))

    @classmethod
    def of(
        cls,
        indices: Sequence[np.ndarray[Any, Any]],
        most: int = MOST_INDEX_SPANS,
        span: int | None = None,
    ) -> IndexRanges | None:
        """Bounds of non-negative indices of one shape, in at most so many spans; None of none.

        Or in spans of some length, where it is known between which places indices lie close.

        Where indices lie so that each span has nearly all of their range, as at random, there is
        one span.
        """
        shape = np.broadcast_shapes(*[p.shape for p in indices])
        if not shape or 0 in shape:
            return None
        span = -(-shape[0] // most) if span is None else span
        starts = np.arange(0, shape[0], span)
        table = np.empty((len(indices), len(starts), 2), np.int64)
        for number, one in enumerate(indices):
            rows = one.reshape((1,) * (len(shape) - one.ndim) + one.shape)
            lines = rows.reshape(rows.shape[0], -1)
            if len(lines) == 1 < shape[0]:
                table[number] = lines.min(), lines.max()
                continue
            alone = lines.shape[1] == 1
            low, high = (lines[:, 0],) * 2 if alone else (lines.min(1), lines.max(1))
            table[number, :, 0] = np.minimum.reduceat(low, starts)
            table[number, :, 1] = np.maximum.reduceat(high, starts)
        least, greatest = table[:, :, 0].min(1), table[:, :, 1].max(1)
        widths = (table[:, :, 1] - table[:, :, 0]).mean(1)
        bits = _bits(indices[0]) if len(indices) == 1 else None
        if (widths >= TELLING_WIDTH * (greatest - least)).all():
            return cls._held(shape[0], np.stack([least, greatest], -1)[:, None], bits)
        return cls._held(span, table, bits)

    @classmethod
    def _held(cls, span: int, table: Table, bits: bytes | None) -> IndexRanges:
        told = f"{table.shape}".encode() + table.tobytes()
        return cls(span, blake2b(told, digest_size=16).hexdigest(), table, bits)

    def hull(self, number: int, places: ZRange) -> tuple[int, int]:
        """Range that holds all indices of tensor `number` in a box of its coordinates."""
        return _hull(self, number, places.lo[0] // self.span, -(-places.hi[0] // self.span))

    def apart(self, number: int, places: ZRange, stored: Spaced) -> tuple[tuple[int, int], ...]:
        """Ranges in `hull`, ascending, that hold these indices; none has a part of another's chunk.

        Those of some places lie within those of more.

        Examples
        --------
        >>> ranges = IndexRanges.of([np.array([3, 4, 25, 8, 26])])
        >>> ranges.apart(0, ZRange((0,), (5,)), Spaced(5))
        ((3, 5), (8, 9), (25, 27))
        >>> ranges.apart(0, ZRange((0,), (5,)), Spaced(10))
        ((3, 9), (25, 27))
        """
        first, end = places.lo[0] // self.span, -(-places.hi[0] // self.span)
        rows = _ascending_rows(self, number, stored)
        if rows is not None:
            return rows.apart(first, end)
        return _ranges_apart(self, number, first, end, stored)

    def restrict(self, region: Region) -> IndexRanges | None:
        """Bounds of the indices in a region of their coordinates."""
        lead = region[0]
        if not lead.count:
            return None
        span = max(1, self.span // lead.step)
        firsts = np.arange(0, lead.count, span)
        lasts = np.minimum(firsts + span, lead.count) - 1
        begin = (lead.start + firsts * lead.step) // self.span
        end = (lead.start + lasts * lead.step) // self.span + 1
        runs = np.stack([begin, end], -1).ravel()  # of rows; those between two runs do not count
        rows = np.concatenate([self.table, self.table[:, -1:]], 1)  # so that `end` is a row too
        low = np.minimum.reduceat(rows[:, :, 0], runs, axis=1)[:, ::2]
        high = np.maximum.reduceat(rows[:, :, 1], runs, axis=1)[:, ::2]
        places = self.ascending
        bits = None if places is None else _bits(places[lead.start :: lead.step][: lead.count])
        return self._held(span, np.stack([low, high], -1), bits)


def _bits(indices: np.ndarray[Any, Any]) -> bytes | None:
    """Of which cells these are the indices, as bits; None if they do not ascend, or may be far.

    Negative ones, which count from the end, are of no cells that are known here.
    """
    is_near = indices.ndim == 1 and 0 <= indices[0] <= indices[-1] < MOST_KNOWN_CELLS
    if not is_near or not (np.diff(indices) > 0).all():
        return None
    mask = np.zeros(int(indices[-1]) + 1, bool)
    mask[indices] = True
    return np.packbits(mask).tobytes()


@lru_cache(maxsize=1024)  # blocks that differ in what is not indexed read the same range
def _hull(ranges: IndexRanges, number: int, first: int, end: int) -> tuple[int, int]:
    """Range that holds all indices in spans from the first one up to an end."""
    part = ranges.table[number, first:end]
    return int(part[:, 0].min()), int(part[:, 1].max()) + 1


class _AscendingRows(NamedTuple):
    """Spans whose least and greatest indices ascend: where ranges end is found once for all boxes.

    Attributes
    ----------
    low, ends
        The least index of each span, and one more than the greatest.
    joints
        Ascending numbers of the spans that have no part of a chunk of the span before.
    """

    low: list[int]
    ends: list[int]
    joints: list[int]

    def apart(self, first: int, end: int) -> tuple[tuple[int, int], ...]:
        """Ranges of the indices in spans from the first one up to an end, in chunks of their own.

        By looking for the joints it takes a tenth of the time of comparing the spans.
        """
        last = min(end, len(self.low))
        inner = self.joints[bisect_right(self.joints, first) : bisect_left(self.joints, last)]
        low, ends = self.low, self.ends
        starts, lasts = [first, *inner], [*inner, last]
        return tuple([(low[a], ends[b - 1]) for a, b in zip(starts, lasts, strict=True)])


@lru_cache(maxsize=256)
def _ascending_rows(ranges: IndexRanges, number: int, stored: Spaced) -> _AscendingRows | None:
    """The spans of a tensor, where their least and their greatest indices ascend."""
    low, high = ranges.table[number].T
    if (np.diff(low) < 0).any() or (np.diff(high) < 0).any():
        return None
    joints = np.flatnonzero(_is_far(low, high + 1, stored)) + 1
    return _AscendingRows(low.tolist(), (high + 1).tolist(), joints.tolist())


def _is_far(low: Line, ends: Line, stored: Spaced) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Whether each span but the first has no part of a chunk of those before, which end there."""
    side, offset = stored
    before = (ends[:-1] - 1 - offset) // side
    return (low[1:] > ends[:-1]) & ((low[1:] - offset) // side > before)


@lru_cache(maxsize=1024)  # blocks that differ in what is not indexed read the same ranges apart
def _ranges_apart(
    ranges: IndexRanges, number: int, first: int, end: int, stored: Spaced
) -> tuple[tuple[int, int], ...]:
    """Ranges of the indices in spans from the first one up to an end, in chunks of their own."""
    part = ranges.table[number, first:end]
    low, high = part[np.argsort(part[:, 0], kind="stable")].T
    ends = np.maximum.accumulate(high) + 1
    starts = np.append(0, np.flatnonzero(_is_far(low, ends, stored)) + 1)
    lasts = np.append(starts[1:], len(low)) - 1
    return tuple(zip(low[starts].tolist(), ends[lasts].tolist(), strict=True))
