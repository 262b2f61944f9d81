"""Formulas in tiles of a block: arrays that move by so many bytes from tile to tile."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

Block = np.ndarray[Any, Any]


class Operation(NamedTuple):
    """A formula in the first tile.

    Attributes
    ----------
    arrays
        What it reads, then what it writes.
    moves
        For each of these, the bytes it moves with each cell that the tile moves, by dimension.
    """

    expression: Any
    arrays: tuple[Block, ...]
    moves: tuple[tuple[int, ...], ...]


class GridLine(NamedTuple):
    """Tiles along a dimension: how many, from one to the next, and where the last one begins."""

    tiles: int
    step: int
    last: int
