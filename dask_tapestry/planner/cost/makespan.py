"""Makespan: how long slots take for all blocks of a grid, in units of its largest block."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import sqrt
from typing import NamedTuple

from dask_tapestry.planner.tuning import UNEVEN_SLOTS
from dask_tapestry.zspace import Cuts


class GridBlocks(NamedTuple):
    """What is known of all blocks of a grid.

    Attributes
    ----------
    total, largest
        How many there are, and how many of these are as large as the largest.
    equal
        How many blocks as large as the largest hold all cells.

    Examples
    --------
    >>> GridBlocks.of([Cuts.regular(14, 4)])
    GridBlocks(total=4, largest=3, equal=3.5)
    """

    total: int
    largest: int
    equal: float

    @staticmethod
    def of(cuts: Sequence[Cuts]) -> GridBlocks:
        """The blocks of a grid."""
        total, largest, equal = 1, 1, 1.0
        for one in cuts:
            own, alike, parts = _blocks_along(one)
            total, largest, equal = total * own, largest * alike, equal * parts
        return GridBlocks(total, largest, equal)

    def waves(self, slots: int) -> float:
        """How many of the largest blocks the busiest of some slots computes.

        A last wave of largest blocks that is not full counts as one; smaller blocks fill it, and
        those for which there is no room come after them.

        Examples
        --------
        >>> grids = [Cuts.regular(14, 4)], [Cuts.regular(17, 4)], []
        >>> [GridBlocks.of(cuts).waves(2) for cuts in grids]
        [2.0, 2.25, 1.0]
        """
        smaller = self.total - self.largest
        full = -(-self.largest // slots)  # exact, of any number of blocks
        after = smaller - (full * slots - self.largest)
        if after <= 0:
            return float(full)
        return full + -(-after // slots) * (self.equal - self.largest) / smaller

    def uneven(self, pieces: int = 1) -> float:
        """By what part of a block's time slots finish at different times, as blocks are unequal.

        Pieces of a block take unequal time as blocks do, but the time of many comes near their
        mean.

        Examples
        --------
        >>> blocks = GridBlocks.of([Cuts.regular(14, 4)])
        >>> blocks.uneven(), blocks.uneven(pieces=16), GridBlocks.of([]).uneven()
        (0.1, 0.025, 0.0)
        """
        return UNEVEN_SLOTS / sqrt(pieces) if self.total > 1 else 0.0


@lru_cache(maxsize=4096)
def _blocks_along(cuts: Cuts) -> tuple[int, int, float]:
    """Blocks along a dimension, those as long as the longest, and the cells in units of these."""
    count, longest = cuts.count, cuts.longest
    equal = cuts.extent / longest if longest else 1.0
    if cuts.edges:
        return count, sum([length == longest for length in cuts.lengths()]), equal
    ends = {0, count - 1}
    same = sum([b - a == longest for a, b in map(cuts.block, ends)])
    return count, same + max(0, count - 2) * (cuts.step == longest), equal
