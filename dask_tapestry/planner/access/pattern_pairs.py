"""Pairs of patterns: which may have a box, or the same part of a block, in common.

Patterns may be hundreds, where blocks and what they read are cut at odd places: so each is held
against all before it at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd
from typing import Any

import numpy as np

from dask_tapestry.planner.access.pattern import Pattern, swept_hull

Vector = np.ndarray[Any, Any]


class PatternPairs:
    """Some patterns of boxes that have as many dimensions, to be compared in pairs."""

    def __init__(self, patterns: Sequence[Pattern]) -> None:
        ndim = patterns[0].box.ndim if patterns else 0
        hulls = [swept_hull(p) for p in patterns]

        def table(rows: list[Any]) -> Vector:
            kind = None if ndim else int  # of what is large, Python's own integers
            return np.array(rows, kind).reshape(len(patterns), ndim)

        self._lo = table([p.box.lo for p in patterns])
        self._hi = table([p.box.hi for p in patterns])
        self._first = table([h.lo for h in hulls])
        self._end = table([h.hi for h in hulls])
        self._pace = table(
            [[gcd(*(s.shift[a] for s in p.steps)) for a in range(ndim)] for p in patterns]
        )

    def sharing(self, number: int) -> list[int]:
        """Numbers of the patterns before one of which a box may be one of its boxes."""
        sides, own = self._hi[:number] - self._lo[:number], self._hi[number] - self._lo[number]
        last, own_last = self._end[:number] - sides, self._end[number] - own
        met = (sides == own) & (sides > 0)
        met &= (self._first[:number] <= own_last) & (self._first[number] <= last)
        near = np.flatnonzero(met.all(axis=1))
        if near.size:
            near = near[self._reaches(number, near, self._lo).all(axis=1)]
        return [int(n) for n in near]

    def are_apart(self, number: int, shortest: Sequence[int]) -> bool:
        """Whether no box of a pattern can have the same part of a block as one of those before.

        Blocks have `shortest` cells along each axis, or more.
        """
        shared = np.minimum(self._end[:number], self._end[number])
        shared = shared - np.maximum(self._first[:number], self._first[number])
        near = np.flatnonzero((shared > 0).all(axis=1))
        if not near.size:
            return True
        equal = self._reaches(number, near, self._lo) | self._reaches(number, near, self._hi)
        apart = (shared[near] < np.array(shortest)) & ~equal
        return bool(apart.any(axis=1).all())

    def _reaches(self, number: int, others: Vector, corner: Vector) -> Vector:
        """Along each axis, whether corners of a box of others and of one of this may be alike."""
        pace = np.gcd(self._pace[others], self._pace[number])
        distance = corner[number] - corner[others]
        reached: Vector = np.where(pace == 0, distance == 0, distance % np.maximum(pace, 1) == 0)
        return reached
