"""Tiles in which regions are labelled: stretches of an array in raster order."""

from __future__ import annotations

from typing import NamedTuple

Place = tuple[int, ...]


class Tiled(NamedTuple):
    """How an array is cut into tiles: of one cell along leading axes, of `side` along the next.

    Attributes
    ----------
    shape
        Of the array, with as many cells along the axis that is cut as tiles have together.
    grid
        Tiles along the leading axes, the last of which is the one that is cut.
    side
        Cells of a tile along that one.
    """

    shape: tuple[int, ...]
    grid: tuple[int, ...]
    side: int

    @property
    def cut(self) -> int:
        """The axis that is cut."""
        return len(self.grid) - 1

    def number(self, place: Place) -> int:
        """Number of a tile, in raster order."""
        found = 0
        for at, count in zip(place, self.grid, strict=True):
            found = found * count + at
        return found

    def ends(self, place: Place) -> list[tuple[int, int]]:
        """The cells of a tile along each axis."""
        made = [(at, at + 1) for at in place[:-1]]
        made.append((place[-1] * self.side, (place[-1] + 1) * self.side))
        return made + [(0, n) for n in self.shape[len(place) :]]

    def slices_in(self, place: Place) -> tuple[slice, ...]:
        """The slices of a tile within a block that begins with the first tile."""
        return tuple([slice(*one) for one in self.ends(place)[: len(place)]])
