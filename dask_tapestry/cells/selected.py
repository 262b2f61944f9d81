"""Selected cells: those along one reduced axis that a mask chose, known when a tree is built."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np


class Selected(NamedTuple):
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

    @property
    def cells(self) -> int:
        """Number of cells that are folded."""
        return len(places_of(self))

    def between(self, low: int, high: int) -> tuple[int, int]:
        """Running numbers of the first one from `low` on, and of the first one from `high` on."""
        first, last = np.searchsorted(places_of(self), (low, high))
        return int(first), int(last)

    def places(self, low: int, high: int) -> np.ndarray[Any, Any]:
        """Coordinates of those in ``[low, high)``."""
        first, last = self.between(low, high)
        return places_of(self)[first:last]


def selected_by(mask: np.ndarray[Any, Any], axis: int) -> Selected:
    """The cells along an axis where a mask is true.

    Examples
    --------
    >>> chosen = selected_by(np.array([False, True, True, False, True]), 0)
    >>> chosen.cells, chosen.between(2, 5), chosen.places(2, 5).tolist()
    (3, (1, 3), [2, 4])
    """
    return Selected(axis, mask.size, np.packbits(mask).tobytes())


@lru_cache(maxsize=256)
def places_of(selected: Selected) -> np.ndarray[Any, Any]:
    """Coordinates of all cells that are folded, ascending."""
    bits = np.frombuffer(selected.bits, np.uint8)
    return np.flatnonzero(np.unpackbits(bits, count=selected.extent))
