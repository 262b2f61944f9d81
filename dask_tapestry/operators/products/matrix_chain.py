"""Chains of matrices: the order in which their product takes fewest multiplications."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple


class Splits(NamedTuple):
    """Where each part [i, j) of a chain is divided; the number of multiplications in all."""

    of: Mapping[tuple[int, int], int]
    cost: int


@lru_cache(maxsize=256)
def best_splits(sides: tuple[int, ...]) -> Splits:
    """The best order for matrices of ``sides[i]`` rows and ``sides[i + 1]`` columns.

    Source: Cormen, Leiserson, Rivest and Stein, "Introduction to Algorithms", matrix-chain
    multiplication.

    Examples
    --------
    >>> best_splits((1, 9, 9, 1)).cost, best_splits((9, 9, 9, 1)).of[0, 3]
    (90, 1)
    """
    count = len(sides) - 1
    costs, splits = dict.fromkeys([(i, i + 1) for i in range(count)], 0), {}
    for length in range(2, count + 1):
        for i in range(count - length + 1):
            j = i + length
            ways = {
                k: costs[i, k] + costs[k, j] + sides[i] * sides[k] * sides[j]
                for k in range(i + 1, j)
            }
            splits[i, j] = min(ways, key=ways.__getitem__)
            costs[i, j] = ways[splits[i, j]]
    return Splits(splits, costs[0, count])
