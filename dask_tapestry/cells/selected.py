"""Selected cells: those along one reduced axis that a mask chose, known when a tree is built."""

from __future__ import annotations

from bisect import bisect_left
from functools import cached_property
from typing import Any

import numpy as np

from dask_tapestry.late_dataclass import dataclass


@dataclass(frozen=True)
class Selected:
    """The cells along a reduced axis that are folded; the others are left out.

    Attributes
    ----------
    axis
        Place of the axis among the reduced ones.
    extent
        Its cells.
    bits
        Which of them are folded: eight cells a byte, as `numpy.packbits` lays them out.
    """

    axis: int
    extent: int
    bits: bytes

    def __getstate__(self) -> dict[str, Any]:
        return {"axis": self.axis, "extent": self.extent, "bits": self.bits}

    @cached_property
    def _places(self) -> np.ndarray[Any, Any]:
        """Coordinates of all cells that are folded, ascending."""
        bits = np.frombuffer(self.bits, np.uint8)
        return np.flatnonzero(np.unpackbits(bits, count=self.extent))

    @cached_property
    def _listed(self) -> list[int]:
        """The same as numbers of Python: a few are found in a tenth of the time."""
        places: list[int] = self._places.tolist()
        return places

    @cached_property
    def _counted(self) -> dict[tuple[int, int, int], np.ndarray[Any, Any]]:
        """What `counts` found: every merge of nodes asks for those of its level."""
        return {}

    @property
    def cells(self) -> int:
        """Number of cells that are folded."""
        return len(self._places)

    def between(self, low: int, high: int) -> tuple[int, int]:
        """Running numbers of the first one from `low` on, and of the first one from `high` on."""
        first = bisect_left(self._listed, low)
        return first, bisect_left(self._listed, high, first)

    def places(self, low: int, high: int) -> np.ndarray[Any, Any]:
        """Coordinates of those in ``[low, high)``."""
        first, last = self.between(low, high)
        return self._places[first:last]

    def hull(self, low: int, high: int) -> tuple[int, int]:
        """First and one-past-last coordinate of those in ``[low, high)``; of none no span."""
        first, last = self.between(low, high)
        return (self._listed[first], self._listed[last - 1] + 1) if first < last else (low, low)

    def counts(self, start: int, side: int, number: int) -> np.ndarray[Any, Any]:
        """How many lie in each of a `number` of spans of `side` cells, one after the other."""
        spans = (start, side, number)
        if spans not in self._counted:
            edges = start + side * np.arange(number + 1)
            self._counted[spans] = np.diff(np.searchsorted(self._places, edges))
        return self._counted[spans]


def selected_by(mask: np.ndarray[Any, Any], axis: int) -> Selected:
    """The cells along an axis where a mask is true.

    Examples
    --------
    >>> chosen = selected_by(np.array([False, True, True, False, True]), 0)
    >>> chosen.cells, chosen.between(2, 5), chosen.places(2, 5).tolist()
    (3, (1, 3), [2, 4])
    >>> chosen.counts(-1, 3, 2).tolist()
    [1, 2]
    """
    return Selected(axis, mask.size, np.packbits(mask).tobytes())
