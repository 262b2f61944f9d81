"""How many columns a compiled fold takes at a time: what it shares with the tables made for it.

The columns of all formulas lie side by side in a lane of accumulators, each formula's in whole
vectors, and the next lane follows. So columns are cut down to what a lane holds.
"""

from __future__ import annotations

from typing import Final

WIDTH: Final = 32  # columns of a vector; fewer are copied into a vector that long
ROUNDS: Final = 8  # of rows, taken together
BROUGHT: Final = 512  # columns of a formula that are made at a time: values stay in caches
MOST_FORMULAS: Final = 16  # that are folded together
LEAST_STRIP: Final = MOST_FORMULAS * WIDTH  # columns of a lane: a vector for each formula
# Bytes of cells that are read twice, the second time from a cache: of 28 M float64 in rows of 2000,
# std(x - m) takes 22.3 ms of a thread so, with half 23.3, with four times as many 24.9
AGAIN_BYTES: Final = 2**21
LEAST_AGAIN: Final = 128  # columns of them: rows of fewer are brought from memory line by line
VALUES: Final = ROUNDS * BROUGHT  # cells of a formula that are made at a time


def columns_at_a_time(strip: int, formulas: int, kept: int) -> int:
    """Columns of each formula that are folded at a time: whole vectors, as even as can be.

    Parameters
    ----------
    strip
        Columns that a lane of accumulators holds, `LEAST_STRIP` at least.
    formulas
        Formulas whose columns lie side by side, `MOST_FORMULAS` at most; 0: cells in memory.
    kept
        Columns to fold.

    Examples
    --------
    >>> columns_at_a_time(1536, 5, 5000), columns_at_a_time(1536, 0, 600)
    (288, 608)
    """
    most = strip // max(1, formulas) // WIDTH * WIDTH
    strips = (kept + most - 1) // most
    vectors = (kept + strips * WIDTH - 1) // (strips * WIDTH)
    return vectors * WIDTH


def columns_read_again(n: int, item: int, kept: int) -> int:
    """Columns of leaves of n rows that are folded by one pass and then by the next.

    Examples
    --------
    >>> columns_read_again(1024, 8, 5000), columns_read_again(32, 8, 70)
    (256, 70)
    """
    return min(kept, max(LEAST_AGAIN, AGAIN_BYTES // (n * item) // WIDTH * WIDTH))


def whole_vectors(columns: int) -> int:
    """Columns, and the rest of the last vector.

    Examples
    --------
    >>> whole_vectors(64), whole_vectors(65)
    (64, 96)
    """
    return (columns + WIDTH - 1) // WIDTH * WIDTH
