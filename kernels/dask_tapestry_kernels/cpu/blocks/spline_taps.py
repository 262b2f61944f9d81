"""Which cells a spline is made of at a coordinate, by what lies beyond the ends of an axis.

A coordinate is brought into the range of the axis first; cells near it that lie beyond the ends
are then those that a mode says. Both steps are those of `scipy.ndimage`.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from dask_tapestry_kernels.cpu.blocks.spline_weights import WEIGHTS

Block = np.ndarray[Any, Any]
FAR: Final = 2.0**50  # coordinates further out are taken as this far
UNMAPPED: Final = ("nearest", "grid-constant")  # modes that leave coordinates as they are
BORDERS: Final = {"constant": "mirror", "wrap": "mirror"}  # modes whose cells go on as another's


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


class Taps(NamedTuple):
    """The cells that splines are made of at some coordinates along an axis.

    Attributes
    ----------
    places
        Shape (cells, coordinates); -1 for what lies beyond the ends, in mode ``"grid-constant"``.
    weights
        Of the same shape.
    outside
        Coordinates where there is no spline, which have place 0.
    """

    places: Block
    weights: Block
    outside: Block


def taps(c: Block, length: int, order: int, mode: str) -> Taps:
    """The cells and weights at coordinates along an axis of `length`.

    Examples
    --------
    >>> taps(np.array([0.25, 3.0]), 4, 1, "mirror").places
    array([[0, 3],
           [1, 2]])
    """
    with np.errstate(invalid="ignore"):
        inside = mapped(np.clip(c, -FAR, FAR), length, mode)
        outside = np.isnan(inside)
        inside = np.where(outside, 0.0, inside)
    weights = np.empty((order + 1, *inside.shape))
    for number, one in enumerate(WEIGHTS[order](inside)):
        weights[number] = one
    first = np.floor(inside if order % 2 else inside + 0.5).astype(np.int64) - order // 2
    steps = np.arange(order + 1).reshape(-1, *(1,) * inside.ndim)
    places = continued(first + steps, length, mode)
    return Taps(np.where(outside, 0, places), weights, outside)


def mapped(c: Block, n: int, mode: str) -> Block:
    """Coordinates brought into the range of an axis of n cells; NaN where there is no spline."""
    if mode in UNMAPPED:
        return c
    low, high = c < 0, c > n - 1
    if not (low.any() or high.any()):
        return c
    if mode == "constant":
        return np.where(low | high, np.nan, c)
    if n == 1:
        return np.where(low | high, 0.0, c)
    return np.where(low, BELOW[mode](c, n), np.where(high, ABOVE[mode](c, n), c))


def _mirror_below(c: Block, n: int) -> Block:
    period = 2 * n - 2
    c = period * np.trunc(-c / period) + c
    return np.where(c <= 1 - n, c + period, -c)


def _mirror_above(c: Block, n: int) -> Block:
    period = 2 * n - 2
    c = c - period * np.trunc(c / period)
    return np.where(c >= n, period - c, c)


def _reflect_below(c: Block, n: int) -> Block:
    period = 2 * n
    c = np.where(c < -period, period * np.trunc(-c / period) + c, c)
    return np.where(c < -n, c + period, np.where(c > -1e-15, 1e-15, -c) - 1)


def _reflect_above(c: Block, n: int) -> Block:
    period = 2 * n
    c = c - period * np.trunc(c / period)
    return np.where(c >= n, period - c - 1, c)


def _wrap_below(c: Block, n: int) -> Block:
    found: Block = c + (n - 1) * (np.trunc(-c / (n - 1)) + 1)
    return found


def _wrap_above(c: Block, n: int) -> Block:
    found: Block = c - (n - 1) * np.trunc(c / (n - 1))
    return found


def _grid_wrap_below(c: Block, n: int) -> Block:
    found: Block = c + n * (np.trunc((-1 - c) / n) + 1)
    return found


def _grid_wrap_above(c: Block, n: int) -> Block:
    found: Block = c - n * np.trunc(c / n)
    return found


BELOW: Final = {
    "mirror": _mirror_below,
    "reflect": _reflect_below,
    "wrap": _wrap_below,
    "grid-wrap": _grid_wrap_below,
}
ABOVE: Final = {
    "mirror": _mirror_above,
    "reflect": _reflect_above,
    "wrap": _wrap_above,
    "grid-wrap": _grid_wrap_above,
}


def continued(places: Block, n: int, mode: str) -> Block:
    """Cells of an axis of n for places that may lie beyond its ends; -1 for a constant there.

    Examples
    --------
    >>> continued(np.arange(-3, 7), 4, "reflect")
    array([2, 1, 0, 0, 1, 2, 3, 3, 2, 1])
    """
    if mode == "grid-constant":
        return np.where((places < 0) | (places >= n), -1, places)
    if n == 1:
        return np.zeros_like(places)
    border = BORDERS.get(mode, mode)
    if border == "nearest":
        return np.clip(places, 0, n - 1)
    if border == "grid-wrap":
        return places % n
    period = 2 * n - 2 if border == "mirror" else 2 * n
    found = places % period
    return np.where(found < n, found, period - (border == "reflect") - found)


def rounded(cells: Block, dtype: np.dtype[Any]) -> Block:
    """Doubles as cells of `dtype`: integers are the nearest in its range, halves away from zero.

    What is no number is the integer 0.

    Examples
    --------
    >>> rounded(np.array([-1.5, 2.5, 300.0, -300.0]), np.dtype("i1"))
    array([  -2,    3,  127, -128], dtype=int8)
    """
    with np.errstate(all="ignore"):
        if dtype.kind in "fc":
            return cells.astype(dtype)
        if dtype.kind == "b":
            return np.not_equal(np.trunc(cells), 0)
        info = np.iinfo(dtype)
        away = np.where(cells > 0, cells + 0.5, 0.0 if dtype.kind == "u" else cells - 0.5)
        away = np.where(np.isnan(cells), 0.0, away)
        most = away >= float(info.max)
        made = np.where(most, 0.0, np.maximum(away, float(info.min))).astype(dtype)
        return np.where(most, dtype.type(info.max), made)
