"""Quantiles of lanes: picks the cells next to a place, and interpolates between them."""

from __future__ import annotations

from typing import Any

import numpy as np

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.lanes import LaneArray
from dask_tapestry.arrays.elementwise.ufuncs import isnan
from dask_tapestry.arrays.elementwise.where_and_clip import where
from dask_tapestry.arrays.statistics.quantile_methods import (
    CONTINUOUS,
    DISCRETE,
    Places,
    neighbours,
    weight,
)
from dask_tapestry.errors import IndexingError
from dask_tapestry.operators.cells.elementwise import astype
from dask_tapestry.operators.sorting.order_statistics import ranks
from dask_tapestry.operators.sorting.weighted_order_statistics import weighted_order_statistics

Quantiles = np.ndarray[Any, Any]


def values(x: Array, q: Quantiles, method: str, weak: bool) -> Array:
    """Return the quantiles of the lanes of `x`, its first dimension; NaN if a cell is NaN or NaT.

    {Parameters}
        q: Levels from 0 to 1.
        method: A key of `DISCRETE` or `CONTINUOUS`.
        weak: Whether `q` is a Python number, which does not promote the dtype.
    """
    n = x.shape[0]
    if not n:
        raise IndexingError("index -1 is out of bounds for axis 0 with size 0")
    if not q.size:
        return Array(astype(asarray(np.empty((*q.shape, *x.shape[1:]))).node, x.dtype))
    if method in DISCRETE:
        return _cells_at(x, DISCRETE[method](n, q), q)
    virtual_index = np.asanyarray(CONTINUOUS[method](n, q))
    if method == "linear" and virtual_index.dtype.kind in "iu":
        return _cells_at(x, virtual_index, q)
    before, after = (np.asanyarray(side).ravel() for side in neighbours(virtual_index, n))
    found = Array(ranks(x.node, [*map(int, before), *map(int, after), -1], 0))
    low, high, last = found[: q.size], found[q.size : -1], found[-1]
    t = np.asanyarray(weight(method, virtual_index, n)).astype(virtual_index.dtype)
    column = float(t) if weak else t.reshape(-1, *(1,) * (x.ndim - 1))
    mixed = _interpolated(low, high, column)
    return _shaped(_or_nan(mixed, last), q, x)


def _cells_at(x: Array, places: Places, q: Quantiles) -> Array:
    """The cells at whole places."""
    chosen = np.asanyarray(places).astype(np.intp).ravel()
    found = Array(ranks(x.node, [*map(int, chosen), -1], 0))
    return _shaped(_or_nan(found[:-1], found[-1]), q, x)


def _or_nan(value: Array, last: Array) -> Array:
    """`value`, but NaN where the last cell in order is NaN."""
    if last.dtype.kind not in "fmM":
        return value
    chosen: Array = where(isnan(last), last.astype(value.dtype), value)
    return chosen


def _shaped(value: Array, q: Quantiles, x: Array) -> Array:
    """The result with the axes of `q` first."""
    return value.reshape((*q.shape, *x.shape[1:]))


def _interpolated(low: Array, high: Array, t: float | Places) -> Array:
    """The value at `t` of the way from `low` to `high`, from the nearer one, as NumPy."""
    apart = high - low
    below = low + apart * t
    above = high - apart * (1 - t)
    if isinstance(t, float):
        return above.astype(below.dtype) if t >= 0.5 else below
    nearer: Array = where(t >= 0.5, above.astype(below.dtype), below)
    return nearer


def nan_values(
    lanes: LaneArray, q: Quantiles, method: str, weak: bool, tells: bool = True
) -> Array:
    """Return the quantiles of the cells of each lane that are not NaN; NaN if all are.

    {Parameters}
        lanes: The lanes, of any kind that has NaN or NaT.
        q, method, weak: As for `values`.
        tells: Whether a compute tells of lanes of NaN.
    """
    x = lanes.array
    count = (~isnan(x)).sum(axis=0)
    n = count.astype(q.dtype)
    if not q.size:
        return Array(astype(asarray(np.empty((*q.shape, *x.shape[1:]))).node, x.dtype))
    levels = q.reshape(-1, *(1,) * n.ndim)
    together = _nan_values(lanes, n, levels, method, weak)
    nothing: Any = np.array("NaT" if x.dtype.kind in "mM" else np.nan, together.dtype)[()]
    if tells:
        nothing = lanes.first_number().astype(together.dtype)
    value = where(count == 0, nothing, together)
    return _shaped(value, q, x)


def _nan_values(lanes: LaneArray, n: Array, q: Quantiles, method: str, weak: bool) -> Array:
    """Quantiles, one after the other, of lanes that hold `n` cells each, followed by NaN."""
    if method in DISCRETE:
        return lanes.pick(asarray(DISCRETE[method](n, q)))
    place, dtype = asarray(CONTINUOUS[method](n, q)), lanes.array.dtype
    if method == "linear" and place.dtype.kind in "iu":
        return lanes.pick(place)
    low, high = (lanes.pick(asarray(side)) for side in neighbours(place, n))
    t = weight(method, place, n).astype(place.dtype)
    if not weak or dtype.kind != "f":
        return _interpolated(low, high, t)
    narrow, rest = (part.astype(dtype) for part in (t, 1 - t))
    apart = high - low
    nearer: Array = where(t >= 0.5, high - apart * rest, low + apart * narrow)
    return nearer


def weighted_values(x: Array, weights: Array, q: Quantiles, skip_nan: bool) -> Array:
    """Return the cells at which the running weight reaches `q`."""
    if not x.shape[0]:
        raise IndexingError("index -1 is out of bounds for axis 0 with size 0")
    dtype = q.dtype if q.dtype.kind == "f" else np.dtype(np.float64)
    levels = q.ravel().tolist()
    found = Array(weighted_order_statistics(x.node, weights.node, levels, dtype, skip_nan))
    value = found[:-1] if skip_nan else _or_nan(found[:-1], found[-1])
    return _shaped(value, q, x)
