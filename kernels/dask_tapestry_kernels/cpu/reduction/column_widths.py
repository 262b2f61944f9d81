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


def whole_vectors(columns: int) -> int:
    """Columns, and the rest of the last vector.

    Examples
    --------
    >>> whole_vectors(64), whole_vectors(65)
    (64, 96)
    """
    return (columns + WIDTH - 1) // WIDTH * WIDTH
