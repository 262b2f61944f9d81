"""Ranks: which cells of sorted lanes are found sooner than all are sorted, and in which passes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

LONG: Final = 2**17  # cells of a line, from which a sample is worth its time
SAMPLE: Final = 2**14  # cells
DOUBT: Final = 320  # cells of a sample: 5 standard deviations of where a rank is in it, at most
FEW_PASSES: Final = 6  # over a line, which take less time than sorting it
NEAR: Final = 4 * DOUBT / SAMPLE  # of a line: ranks that one pass may serve together


def is_long(length: int, dtype: np.dtype[Any]) -> bool:
    """Whether some cells of sorted lanes of `length` are found sooner than all are sorted."""
    is_number = dtype.kind in "iuf" and dtype.itemsize in (4, 8) and dtype.isnative
    return length >= LONG and is_number


def are_few(ranks: Sequence[int], length: int) -> bool:
    """Whether passes for these ranks take less time than sorting lanes of `length`."""
    return len(groups(ranks, length)) <= FEW_PASSES


def groups(ranks: Sequence[int], size: int) -> list[list[int]]:
    """Ranks of a line in groups of near ones, in order, each once.

    Examples
    --------
    >>> groups([999_999, 499_999, 500_000], 1_000_000)
    [[499999, 500000], [999999]]
    """
    rank_groups: list[list[int]] = []
    for rank in sorted(set(ranks)):
        if rank_groups and rank - rank_groups[-1][0] <= NEAR * size:
            rank_groups[-1].append(rank)
        else:
            rank_groups.append([rank])
    return rank_groups
