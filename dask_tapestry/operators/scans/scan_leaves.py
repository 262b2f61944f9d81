"""Leaves of scans: how long the pieces are that are scanned by themselves."""

from __future__ import annotations

from math import gcd, isqrt

from dask_tapestry.cells import Spaced
from dask_tapestry.operators.tuning import MOST_LEAF_STRETCH, MOST_SCAN_LEAVES, SCAN_LEAF_CELLS


def leaf_length(extent: int, chunks: Spaced | None = None) -> int:
    """Cells of a leaf of an axis, whose stored chunks end where leaves do if that is possible.

    Examples
    --------
    >>> leaf_length(1000), leaf_length(10**12)
    (128, 65536)

    Sixteen leaves in a chunk of 2000 cells, and 64 chunks of two cells in a leaf:

    >>> leaf_length(14_000, Spaced(2000)), leaf_length(14_000, Spaced(2))
    (125, 128)
    """
    usual = max(SCAN_LEAF_CELLS, 1 << (-(-extent // MOST_SCAN_LEAVES) - 1).bit_length())
    if chunks is None or chunks.side + chunks.offset >= extent:
        return usual
    both = gcd(chunks.side, chunks.offset)  # leaves begin with the axis, and chunks may not
    fitting = [
        n
        for n in divisors(both)
        if usual <= MOST_LEAF_STRETCH * n and n <= MOST_LEAF_STRETCH * usual
    ]
    if fitting:
        return min(fitting, key=lambda n: max(n, usual) / min(n, usual))
    return both * (usual // both) if both == chunks.side < usual else usual


def divisors(number: int) -> list[int]:
    """The divisors of a number.

    Examples
    --------
    >>> divisors(12)
    [1, 2, 3, 4, 6, 12]
    """
    small = [n for n in range(1, isqrt(number) + 1) if number % n == 0]
    return sorted({*small, *(number // n for n in small)})
