"""Ranked sizes: those of a form that were looked at, and which are too coarse to be."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import final

from dask_tapestry.planner.cost.rank import Rank


@final
class RankedSizes:
    """The ranks of a form's sizes, from coarse to fine, each looked at once.

    Parameters
    ----------
    sizes
        Of the form.
    looked_at
        Returns the rank of the form in a size, and by how much its first step exceeds the memory of
        a task, given the rank beyond which nothing more is looked at.
    other
        The rank of another way.
    """

    def __init__(
        self, sizes: Sequence[int], looked_at: Callable[[int, Rank], tuple[Rank, int]], other: Rank
    ) -> None:
        self._sizes, self._looked_at, self._other = sizes, looked_at, other
        self._ranks: dict[int, Rank] = {}
        self._too_large = -1  # the finest place of which the first step takes too much

    def rank(self, at: int) -> Rank:
        """The rank of the size in this place."""
        found = self._ranks.get(at)
        if found is None:
            found, excess = self._looked_at(self._sizes[at], self._least)
            self._ranks[at] = found
            self._too_large = max(self._too_large, at) if excess else self._too_large
        return found

    @property
    def _least(self) -> Rank:
        return min([self._other, *self._ranks.values()])

    def takes_too_much(self, at: int) -> bool:
        """Whether the first step takes too much, as that of this size or of a finer one does.

        Coarser blocks take more. What the other steps take may be less: they read fewer results.
        """
        return at <= self._too_large
