"""Which cells a spline is made of at a coordinate, by what lies beyond the ends of an axis.

A coordinate is brought into the range of the axis first; cells near it that lie beyond the ends
are then those that a mode says. Both steps are those of `scipy.ndimage`.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from dask_tapestry_kernels.cpu.blocks.spline_weights import WEIGHTS
from dask_tapestry_kernels.parameters.splines import FAR, UNMAPPED, continued

Block = np.ndarray[Any, Any]


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
