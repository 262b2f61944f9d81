"""Waves: how long slots take for all blocks of a grid, in units of its largest block."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import ceil, prod, sqrt
from typing import Final

from dask_tapestry.zspace import Cuts

UNEVEN: Final = 0.1  # of a block's seconds by which slots end apart, as blocks take unequal time


def equal_blocks(cuts: Sequence[Cuts]) -> float:
    """How many blocks as large as the largest hold all cells.

    Examples
    --------
    >>> equal_blocks([Cuts.regular(14, 4)])
    3.5
    """
    return prod([c.extent / c.longest if c.longest else 1.0 for c in cuts])


def waves(cuts: Sequence[Cuts], slots: int) -> float:
    """How many of the largest blocks the busiest of some slots computes.

    A last wave of largest blocks that is not full counts as one; smaller blocks fill it.

    Examples
    --------
    >>> waves([Cuts.regular(14, 4)], 2), waves([Cuts.regular(17, 4)], 2), waves([], 2)
    (2, 2.125, 1)
    """
    return max(ceil(prod([_longest(c) for c in cuts]) / slots), equal_blocks(cuts) / slots)


def uneven(cuts: Sequence[Cuts], pieces: int = 1) -> float:
    """By how much of the largest block slots end apart: blocks take unequal time.

    Pieces of a block take unequal time as blocks do, but the time of many comes near their mean.

    Examples
    --------
    >>> cuts = [Cuts.regular(14, 4)]
    >>> uneven(cuts), uneven(cuts, pieces=16), uneven([])
    (0.1, 0.025, 0.0)
    """
    return UNEVEN / sqrt(pieces) if any(c.count > 1 for c in cuts) else 0.0


@lru_cache(maxsize=1024)
def _longest(cuts: Cuts) -> int:
    """How many blocks along a dimension are as long as the longest."""
    if not cuts.edges:
        inner, longest = max(0, cuts.count - 2), cuts.longest
        ends = {0, cuts.count - 1}
        same = sum([b - a == longest for a, b in map(cuts.block, ends)])
        return same + inner * (cuts.step == longest)
    return sum([length == cuts.longest for length in cuts.lengths()])
