"""Lattices: the cells of a regular grid in which a reduction over stored data begins.

Stored data is read and decoded in whole chunks, so a reduction's nodes should end where chunks do.
A cell of the lattice is a stored chunk, several along the reduced axes where chunks are small, or
an equal part of one where they are large. It depends on the reduced axes' extents and the stored
grid alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Final, NamedTuple

from dask_tapestry.cells.tuning import (
    FEW_LATTICE_CELLS,
    FOLDED_CELLS,
    LEAST_FOLDED_CELLS,
    MOST_LANE_CELLS,
    MOST_LATTICE_CELLS,
    PART_FOLDED_CELLS,
)

DIVISORS: Final = (2, 3, 5, 7)  # of chunks that are too large; larger parts divide few lengths


class Spaced(NamedTuple):
    """Stored chunks along an axis: the first begins at `offset`, in ``(-side, 0]``."""

    side: int
    offset: int = 0


class Lattice(NamedTuple):
    """Cells with these `sides`, the first at `offset`; those at the edges are clipped."""

    sides: tuple[int, ...]
    offset: tuple[int, ...]


def lattice_of(
    extents: tuple[int, ...],
    chunks: Sequence[Spaced | None],
    beside: int = 1,
    least: int = LEAST_FOLDED_CELLS,
) -> Lattice | None:
    """The lattice over axes of these `extents`; None for one cell, or where nothing is stored.

    Parameters
    ----------
    extents
        Of the reduced axes.
    chunks
        The stored chunks along them; None where nothing is stored.
    beside
        Cells of a chunk along the other axes.
    least
        Cells that a node stands for at least.

    Examples
    --------
    >>> lattice_of((14_000, 14_000), [Spaced(2000), Spaced(2000)])
    Lattice(sides=(2000, 2000), offset=(0, 0))

    A day of a stored field is a chunk, and four of them a cell:

    >>> lattice_of((3650,), [Spaced(1)], beside=721 * 1440)
    Lattice(sides=(4,), offset=(0,))

    A cell has whole rows, where these were transformed and nothing is stored along them:

    >>> lattice_of((10**7, 64), [Spaced(65536), None])
    Lattice(sides=(16384, 64), offset=(0, 0))
    """
    if 0 in extents or all(map(_is_one, extents, chunks)):
        return None
    lanes = _whole_lanes(extents, chunks, beside)
    spacings = [
        Spaced(n) if axis in lanes or (chunk and _is_one(n, chunk)) else chunk or Spaced(1)
        for axis, (n, chunk) in enumerate(zip(extents, chunks, strict=True))
    ]
    sides = [chunk.side for chunk in spacings]
    _join(sides, spacings, extents, beside, least)
    most = MOST_LANE_CELLS if lanes else MOST_LATTICE_CELLS
    _divide(sides, beside, most, max(PART_FOLDED_CELLS, least), lanes)
    offset = [-(-chunk.offset % side) for chunk, side in zip(spacings, sides, strict=True)]
    covering = [s + o >= n for s, o, n in zip(sides, offset, extents, strict=True)]
    if all(covering):
        return None
    ends = zip(covering, extents, sides, strict=True)
    return Lattice(
        tuple([n if covers else side for covers, n, side in ends]),
        tuple([0 if covers else start for covers, start in zip(covering, offset, strict=True)]),
    )


def _whole_lanes(
    extents: tuple[int, ...], chunks: Sequence[Spaced | None], beside: int
) -> frozenset[int]:
    """The axes along which nothing is stored, if a lattice's cell may well have all of them.

    Often each cell along them is made of all, as by a sort or a transform: a part of such an axis
    costs as much as the whole.
    """
    lanes = [axis for axis, chunk in enumerate(chunks) if chunk is None]
    fit = prod([extents[axis] for axis in lanes]) * beside <= FEW_LATTICE_CELLS
    return frozenset(lanes if fit else ())


def _is_one(extent: int, chunk: Spaced | None) -> bool:
    """Whether no chunk ends within an axis."""
    return chunk is None or chunk.side + chunk.offset >= extent


def _join(
    sides: list[int],
    chunks: Sequence[Spaced],
    extents: tuple[int, ...],
    beside: int,
    least: int,
) -> None:
    """Double the shortest side, the last axis at a tie, while cells are too small."""
    while True:
        folded = prod(sides)
        size = folded * beside
        if folded >= least and (
            2 * size > MOST_LATTICE_CELLS or (size >= FEW_LATTICE_CELLS and folded >= FOLDED_CELLS)
        ):
            return
        ends = enumerate(zip(sides, chunks, extents, strict=True))
        growing = [axis for axis, (side, chunk, n) in ends if side + chunk.offset < n]
        if not growing:
            return
        sides[min(growing, key=lambda axis: (sides[axis], -axis))] *= 2


def _divide(sides: list[int], beside: int, most: int, least: int, lanes: frozenset[int]) -> None:
    """Divide the longest side that can be, the first axis at a tie, while cells are too large.

    Sides along `lanes` are divided where no other can be.
    """
    while prod(sides) * beside > most:
        parts = {axis: n for axis, side in enumerate(sides) if (n := _divisor(side)) > 1}
        parts = {axis: n for axis, n in parts.items() if prod(sides) >= least * n}
        if not parts:
            return
        axis = max(parts, key=lambda axis: (axis not in lanes, sides[axis], -axis))
        sides[axis] //= parts[axis]


def _divisor(side: int) -> int:
    return next((n for n in DIVISORS if side % n == 0), 1)
