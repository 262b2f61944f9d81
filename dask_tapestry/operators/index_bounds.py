"""IndexBounds: the range of known indices, so that a block reads no more than that range.

Indices that are data on the client are looked at once: the least and the greatest of each of some
thousand spans along their first dimension. Sorted or clustered indices then read little.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np

from dask_tapestry.teg import Region
from dask_tapestry.zspace import ZRange

MOST_SPANS: Final = 1024


@dataclass(frozen=True)
class IndexBounds:
    """Least and greatest indices in spans of the first dimension of index tensors.

    Parameters
    ----------
    span
        Coordinates of the first dimension in a span.
    table
        int64 of shape (tensors, spans, 2), as bytes: least and greatest index.
    spans
        Number of spans.
    """

    span: int
    table: bytes
    spans: int

    @classmethod
    def of(cls, places: Sequence[np.ndarray[Any, Any]]) -> IndexBounds | None:
        """Bounds of non-negative indices of one shape; None where there are none."""
        shape = np.broadcast_shapes(*[p.shape for p in places])
        if not shape or 0 in shape:
            return None
        span = -(-shape[0] // MOST_SPANS)
        starts = np.arange(0, shape[0], span)
        table = np.empty((len(places), len(starts), 2), np.int64)
        for number, one in enumerate(places):
            rows = one.reshape((1,) * (len(shape) - one.ndim) + one.shape)
            lines = rows.reshape(rows.shape[0], -1)
            if len(lines) == 1 < shape[0]:
                table[number] = lines.min(), lines.max()
                continue
            table[number, :, 0] = np.minimum.reduceat(lines.min(1), starts)
            table[number, :, 1] = np.maximum.reduceat(lines.max(1), starts)
        return cls(span, table.tobytes(), len(starts))

    @cached_property
    def _table(self) -> np.ndarray[Any, Any]:
        flat: np.ndarray[Any, Any] = np.frombuffer(self.table, np.int64)
        return flat.reshape(-1, self.spans, 2)

    def hull(self, number: int, places: ZRange) -> tuple[int, int]:
        """Range that holds all indices of tensor `number` in a box of its coordinates."""
        first, end = places.lo[0] // self.span, -(-places.hi[0] // self.span)
        part = self._table[number, first:end]
        return int(part[:, 0].min()), int(part[:, 1].max()) + 1

    def restrict(self, region: Region) -> IndexBounds | None:
        """Bounds of the indices in a region of their coordinates."""
        lead = region[0]
        if not lead.count:
            return None
        span = max(1, self.span // lead.step)
        starts = range(0, lead.count, span)
        table = np.empty((len(self._table), len(starts), 2), np.int64)
        for row, a in enumerate(starts):
            b = min(a + span, lead.count) - 1
            lo, hi = lead.start + a * lead.step, lead.start + b * lead.step + 1
            for number in range(len(table)):
                low, end = self.hull(number, ZRange((lo,), (hi,)))
                table[number, row] = low, end - 1
        return IndexBounds(span, table.tobytes(), len(starts))
