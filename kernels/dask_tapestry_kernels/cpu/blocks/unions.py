"""Union of sets by pairs: which numbers of a graph hang together."""

from __future__ import annotations

from typing import Any

import numpy as np

Block = np.ndarray[Any, Any]


def least_joined(count: int, first: Block, second: Block) -> Block:
    """For each of the numbers below `count` the least one that pairs join it with.

    All pairs at once: each number is put under the least one that it is joined with, what is under
    another is replaced by what that is under, and so again until no pair is left. Numbers that lie
    under themselves become at least half as many in two rounds.

    Source: Y. Shiloach and U. Vishkin, "An O(log n) parallel connectivity algorithm", 1982.

    Examples
    --------
    >>> least_joined(6, np.array([5, 2]), np.array([2, 3]))
    array([0, 1, 2, 2, 4, 2])
    """
    under = np.arange(count)
    left, right = first, second
    while len(left):
        low, high = np.minimum(left, right), np.maximum(left, right)
        np.minimum.at(under, high, low)
        moved = np.unique(high)
        while True:  # what lies under a number that lies under another
            above = under[under[moved]]
            if np.array_equal(above, under[moved]):
                break
            under[moved] = above
        left, right = under[left], under[right]
        differ = left != right
        left, right = left[differ], right[differ]
    while True:
        above = under[under]
        if np.array_equal(above, under):
            return under
        under = above
