"""Gaps filled on lines, as by xarray's `interpolate_na`: those of a block at once."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from xarray.core import missing

from dask_tapestry.arrays.tuning import FILLED_CELLS

Block = np.ndarray[Any, Any]
Fill = Callable[[Block, Block], Block]


def filler_of(func: Callable[..., Any], dtype: np.dtype[Any]) -> Fill | None:
    """What fills the gaps of a block as `func` fills those of a lane; None where it is not known.

    {Parameters} func: What `interpolate_na` gives `apply_ufunc`. dtype: That of the cells.
    """
    if not isinstance(func, partial) or dtype.char not in "efd":
        return None
    is_linear = func.args == (getattr(missing, "NumpyInterpolator", None),)
    if not is_linear or func.func is not getattr(missing, "func_interpolate_na", None):
        return None
    return fill_gaps if func.keywords == {"method": "linear"} else None


def fill_gaps(cells: Block, places: Block) -> Block:
    """Fill what is NaN between two numbers of a lane, on the line between them.

    {Parameters} cells: Real; lanes along the last axis. places: Ascending, one for each of a lane.
    {Returns} numpy.ndarray: As `cells`, to the bits of `numpy.interp` of each lane.

    >>> fill_gaps(np.array([np.nan, 1.0, np.nan, 4.0]), np.array([0.0, 1.0, 2.0, 4.0]))
    array([nan,  1.,  2.,  4.])
    """
    if not cells.size:
        return cells
    in_line = abs(cells.strides[-1]) == min(map(abs, cells.strides))
    filled = np.array(cells if in_line else np.moveaxis(cells, -1, 0), order="C")
    count = len(places)
    lanes = filled.reshape(-1, count) if in_line else filled.reshape(count, -1).T
    side = max(1, FILLED_CELLS // count)
    for first in range(0, len(lanes), side):
        _fill_lanes(lanes[first : first + side], places)
    return filled if in_line else np.moveaxis(filled, 0, -1)


def _fill_lanes(lanes: Block, places: Block) -> None:
    """Fill gaps along the last axis of two, in place: runs of NaN between two numbers."""
    count = len(places)
    found = np.flatnonzero(np.ascontiguousarray(np.isnan(lanes)))
    if not found.size:
        return
    lane, at = np.divmod(found, count)
    begins = np.ones(found.size, np.bool_)
    begins[1:] = (np.diff(found) != 1) | (at[1:] == 0)
    starts = np.flatnonzero(begins)
    lengths = np.diff(starts, append=found.size)
    low = at[starts] - 1
    high = low + lengths + 1
    inside = (low >= 0) & (high < count)
    low, high, own = low[inside], high[inside], lane[starts[inside]]
    filled, run = np.repeat(inside, lengths), np.repeat(np.arange(len(low)), lengths[inside])
    lane, at = lane[filled], at[filled]
    first, last = (lanes[own, end].astype(np.float64)[run] for end in (low, high))
    lanes[lane, at] = _between(places[at], places[low][run], places[high][run], first, last)


def _between(x: Block, low: Block, high: Block, first: Block, last: Block) -> Block:
    """Values at `x` on lines from ``(low, first)`` to ``(high, last)``, as `numpy.interp` has it.

    Infinities are tried from the other side, and where both sides are the same.
    """
    with np.errstate(all="ignore"):
        slope = (last - first) / (high - low)
        value: Block = slope * (x - low) + first
        if (lost := np.isnan(value)).any():
            other = slope * (x - high) + last
            other = np.where(np.isnan(other) & (first == last), first, other)
            value[lost] = other[lost]
    return value
