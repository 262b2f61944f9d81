"""Splines: their coefficients, coordinates along an axis, and what lies beyond its ends.

The modes are those of `scipy.ndimage`.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

Block = np.ndarray[Any, Any]
FAR: Final = 2.0**50  # coordinates further out are taken as this far
UNMAPPED: Final = ("nearest", "grid-constant")  # modes that leave coordinates as they are
BORDERS: Final = {"constant": "mirror", "wrap": "mirror"}  # modes whose cells go on as another's


class Spline(NamedTuple):
    """A spline whose coefficients are a box of an array's.

    Attributes
    ----------
    lengths
        Cells of the array along each axis, those that were put before and after it included.
    pad
        How many were put before each.
    order, mode, cval
        Its order, what lies beyond the ends, and the constant there.
    """

    lengths: tuple[int, ...]
    pad: int
    order: int
    mode: str
    cval: float


class SplineAxis(NamedTuple):
    """Where along an axis the cells of a result lie: number k at ``((k + shift) * zoom) + pad``.

    Attributes
    ----------
    length
        Cells of the axis, those that were put before and after it included.
    pad
        How many were put before it.
    shift, zoom
        None for nothing.
    centred
        Whether coordinates are those of cells' edges while they are multiplied: half a cell more.
    start, step
        The cells of the result are numbers ``start + step * i``.
    """

    length: int
    pad: int = 0
    shift: float | None = None
    zoom: float | None = None
    centred: bool = False
    start: int = 0
    step: int = 1

    def at(self, numbers: Any) -> Any:
        """Coordinates of cells of the result.

        Examples
        --------
        >>> float(SplineAxis(9, 0, 0.5, 2.0).at(3))
        7.0
        """
        c = np.asarray(self.start + self.step * numbers, np.float64)
        with np.errstate(invalid="ignore"):
            if self.shift is not None:
                c = c + self.shift
            if self.zoom is not None:
                c = (c + 0.5) * self.zoom - 0.5 if self.centred else c * self.zoom
            return c + float(self.pad)


def continued(indices: Block, n: int, mode: str) -> Block:
    """Cells of an axis of n for places that may lie beyond its ends; -1 for a constant there.

    Examples
    --------
    >>> continued(np.arange(-3, 7), 4, "reflect")
    array([2, 1, 0, 0, 1, 2, 3, 3, 2, 1])
    """
    if mode == "grid-constant":
        return np.where((indices < 0) | (indices >= n), -1, indices)
    if n == 1:
        return np.zeros_like(indices)
    border = BORDERS.get(mode, mode)
    if border == "nearest":
        return np.clip(indices, 0, n - 1)
    if border == "grid-wrap":
        return indices % n
    period = 2 * n - 2 if border == "mirror" else 2 * n
    remainder = indices % period
    return np.where(remainder < n, remainder, period - (border == "reflect") - remainder)
