"""Costs of sorting: bytes beside the cells, and operations."""

from __future__ import annotations

from math import ceil, log2
from typing import Any, Final

import numpy as np

PLACES: Final = np.dtype(np.intp)
SPACE: Final = 0.75  # of a lane: room of a stable sort, or for the signs of zeros
FLOPS_A_LEVEL: Final = 5  # of a cell, for each doubling of the length: 2e7 cells take 70 ns each


def sort_bytes(cells: int, length: int, dtype: np.dtype[Any]) -> int:
    """Bytes beside `cells`, in lanes of `length`, that sorting them in place takes.

    Lanes are sorted one after the other, structured cells all together.
    """
    if dtype.names:
        return cells * (dtype.itemsize + 4 * PLACES.itemsize)
    return int(min(cells, length) * SPACE * dtype.itemsize)


def sort_flops(cells: int, length: int) -> int:
    """Operations it takes to sort `cells` in lanes of `length`."""
    return cells * FLOPS_A_LEVEL * ceil(log2(max(length, 2)))
