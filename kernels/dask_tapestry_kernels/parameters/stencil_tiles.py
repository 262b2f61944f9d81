"""Tiles in which several steps of a stencil are computed while they stay in a cache."""

from __future__ import annotations

from functools import lru_cache
from math import prod
from typing import Final

Ints = tuple[int, ...]

CACHE: Final = 2**20  # bytes of a tile's fields, twice: half of a second-level cache
WIDTHS: Final = (4096, 2048, 1024, 512, 256, 128, 64)  # of a tile: cells of its last dimension
CALL_CELLS: Final = 48  # that could be computed in the time that each row of a tile costs


@lru_cache(maxsize=512)
def tile_of(shape: Ints, reach: Ints, steps: int, cell_bytes: int) -> tuple[float, Ints]:
    """How much more than the cells a tile takes, and the shape of the tile that takes least.

    Examples
    --------
    >>> more, sides = tile_of((6000, 6000), (1, 1), 8, 8)
    >>> sides, round(more, 2)
    ((110, 512), 1.08)
    """
    best: tuple[float, Ints] | None = None
    for width in dict.fromkeys(min(width, shape[-1]) for width in (*WIDTHS, 1)):
        sides = _sides(shape, reach, steps, width, CACHE // (2 * cell_bytes))
        work = sum(
            prod([n + 2 * left * r for n, r in zip(sides, reach, strict=True)])
            for left in range(steps)
        )
        call = (1 + CALL_CELLS / max(1, sides[-1])) / (1 + CALL_CELLS / 512)
        more = work * call / (steps * max(1, prod(sides)))
        if best is None or more < best[0]:
            best = more, sides
    assert best is not None
    return best


def _sides(shape: Ints, reach: Ints, steps: int, width: int, room: int) -> Ints:
    """A tile of this width, the other sides as equal as the room lets them be."""
    around = [2 * (steps - 1) * r for r in reach]
    left = max(1, room // (width + around[-1]))
    sides = [width]
    for axis in range(len(shape) - 2, -1, -1):
        side = int(left ** (1 / (axis + 1)) + 1e-9)
        sides.insert(0, max(1, min(shape[axis], side - around[axis])))
        left = max(1, left // (sides[0] + around[axis]))
    return tuple(sides)
