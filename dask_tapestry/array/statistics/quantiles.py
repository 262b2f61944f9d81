"""Quantiles and medians: exact, of lanes of any length, by NumPy's formulas."""

from __future__ import annotations

from typing import Any

import numpy as np

from dask_tapestry.array.core.array import Array
from dask_tapestry.array.core.convert import asarray
from dask_tapestry.array.core.core_axes import Lanes
from dask_tapestry.array.core.dispatch import implements
from dask_tapestry.array.core.out import into
from dask_tapestry.array.statistics.averages import mean
from dask_tapestry.array.statistics.nan_reductions import nanmean
from dask_tapestry.array.statistics.quantile_methods import check_method
from dask_tapestry.array.statistics.quantile_values import nan_values, values, weighted_values
from dask_tapestry.errors import DTypeError, ShapeError
from dask_tapestry.operators.axes import Axes
from dask_tapestry.operators.order_statistics import ranks
from dask_tapestry.operators.sort import sort

__all__ = [
    "median",
    "nanmedian",
    "nanpercentile",
    "nanquantile",
    "percentile",
    "quantile",
]


@implements(np.median)
def median(
    a: Any,
    axis: Axes = None,
    out: Any = None,
    overwrite_input: bool = False,  # noqa: ARG001
    keepdims: bool = False,
) -> Array:
    """Return the median along `axis`, by default of all cells; a NaN wins.

    Parameters
    ----------
    overwrite_input
        NumPy's; it makes no difference.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> float(dt.median(dt.asarray([7, 1, 3, 2])))
    2.5
    """
    array = asarray(a)
    lanes = Lanes(array, axis)
    x = lanes.array
    n = x.shape[0]
    if not n:
        return into(out, lanes.restored(mean(x, axis=0), keepdims))
    middle = sorted({(n - 1) // 2, n // 2})
    found = Array(ranks(x.node, [*middle, -1], 0))
    value: Any = mean(found[: len(middle)], axis=0)
    if x.dtype.kind in "fcm":
        value = np.where(np.isnan(found[-1]), found[-1], value)
    return into(out, lanes.restored(value, keepdims))


@implements(np.nanmedian)
def nanmedian(
    a: Any,
    axis: Axes = None,
    out: Any = None,
    overwrite_input: bool = False,
    keepdims: bool = False,
) -> Array:
    """Return the median of the cells along `axis` that are not NaN; NaN where there is none.

    Parameters
    ----------
    overwrite_input
        NumPy's; it makes no difference.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> float(dt.nanmedian(dt.asarray([7, 1, float("nan"), 2])))
    2.0
    """
    array = asarray(a)
    if not array.size:
        return into(out, nanmean(array, axis, keepdims=_keeps(keepdims)))
    if array.dtype.kind not in "fcm":
        return median(array, axis, out, overwrite_input, _keeps(keepdims))
    lanes = Lanes(array, axis)
    ordered = Array(sort(lanes.array.node, 0))
    count = (~np.isnan(lanes.array)).sum(axis=0)
    low, high = (count - 1) // 2, count // 2
    before, after = lanes.pick(ordered, low), lanes.pick(ordered, high)
    both = mean(np.stack([before, after]), axis=0)
    value: Any = np.where(low == high, before, both)
    return into(out, lanes.restored(value, _keeps(keepdims)))


@implements(np.quantile)
def quantile(
    a: Any,
    q: Any,
    axis: Axes = None,
    out: Any = None,
    overwrite_input: bool = False,  # noqa: ARG001
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: Any = None,
) -> Array:
    """Return the quantiles `q` along `axis`, by default of all cells, as `numpy.quantile`.

    The values are NumPy's to the bit, for all its methods. Lanes of any length are sorted; only
    with `weights` a lane must fit into a block.

    Parameters
    ----------
    q
        Between 0 and 1; not lazy. Several come along new first dimensions.
    overwrite_input
        NumPy's; it makes no difference.
    method
        One of NumPy's thirteen.
    weights
        Of cells, for method ``"inverted_cdf"``.

    Raises
    ------
    ShapeError
        If `q` is out of range, or for an unknown method.
    TypeError
        For complex cells.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.quantile(dt.arange(5), [0.25, 0.9]).compute()
    array([1. , 3.6])
    """
    return _quantile(a, q, 1, axis, out, method, keepdims, weights, skip_nan=False)


@implements(np.percentile)
def percentile(
    a: Any,
    q: Any,
    axis: Axes = None,
    out: Any = None,
    overwrite_input: bool = False,  # noqa: ARG001
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: Any = None,
) -> Array:
    """Return percentiles along `axis`: `quantile` of ``q / 100``.

    Parameters
    ----------
    q
        Between 0 and 100; not lazy.
    overwrite_input
        NumPy's; it makes no difference.
    method, weights
        As for `quantile`.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> float(dt.percentile(dt.arange(5), 25))
    1.0
    """
    return _quantile(a, q, 100, axis, out, method, keepdims, weights, skip_nan=False)


@implements(np.nanquantile)
def nanquantile(
    a: Any,
    q: Any,
    axis: Axes = None,
    out: Any = None,
    overwrite_input: bool = False,  # noqa: ARG001
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: Any = None,
) -> Array:
    """Return quantiles of the cells along `axis` that are not NaN; NaN where there is none.

    Parameters
    ----------
    q
        Between 0 and 1; not lazy.
    overwrite_input
        NumPy's; it makes no difference.
    method, weights
        As for `quantile`.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> float(dt.nanquantile(dt.asarray([7, 1, float("nan"), 2]), 0.5))
    2.0
    """
    return _quantile(a, q, 1, axis, out, method, _keeps(keepdims), weights, skip_nan=True)


@implements(np.nanpercentile)
def nanpercentile(
    a: Any,
    q: Any,
    axis: Axes = None,
    out: Any = None,
    overwrite_input: bool = False,  # noqa: ARG001
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: Any = None,
) -> Array:
    """Return percentiles along `axis` of the cells that are not NaN: `nanquantile` of ``q / 100``.

    Parameters
    ----------
    q
        Between 0 and 100; not lazy.
    overwrite_input
        NumPy's; it makes no difference.
    method, weights
        As for `quantile`.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> float(dt.nanpercentile(dt.asarray([7, 1, float("nan"), 2]), 50))
    2.0
    """
    return _quantile(a, q, 100, axis, out, method, _keeps(keepdims), weights, skip_nan=True)


def _quantile(
    a: Any,
    q: Any,
    scale: int,
    axis: Axes,
    out: Any,
    method: str,
    keepdims: bool,
    weights: Any,
    skip_nan: bool,
) -> Array:
    array = asarray(a)
    if array.dtype.kind == "c":
        raise DTypeError("a must be an array of real numbers")
    chosen = _checked(q, scale)
    weak = type(q) in (int, float)
    if skip_nan and not array.size:
        return into(out, nanmean(array, axis, keepdims=keepdims))
    lanes = Lanes(array, axis)
    if weights is not None:
        if method != "inverted_cdf":
            raise ShapeError(f"Only method 'inverted_cdf' supports weights. Got: {method}.")
        loads = Lanes(lanes.fitted(asarray(weights)), axis)
        found = weighted_values(lanes.array, loads.array, chosen, skip_nan)
    else:
        check_method(method)
        skips = skip_nan and array.dtype.kind in "fmM"
        found = (
            nan_values(lanes, chosen, method, weak)
            if skips
            else values(lanes.array, chosen, method, weak)
        )
    return into(out, lanes.restored(found, keepdims, chosen.ndim))


def _checked(q: Any, scale: int) -> np.ndarray[Any, Any]:
    """The quantiles, between 0 and 1."""
    if isinstance(q, Array):
        raise DTypeError("quantiles to compute are numbers or NumPy arrays, not lazy arrays")
    given = np.asanyarray(q)
    chosen: np.ndarray[Any, Any] = np.asanyarray(
        np.true_divide(given, scale) if scale > 1 else given
    )
    if chosen.size and not (chosen.min() >= 0 and chosen.max() <= 1):
        name = "Quantiles" if scale == 1 else "Percentiles"
        raise ShapeError(f"{name} must be in the range [0, {scale}]")
    if chosen.ndim > 2:
        raise ShapeError("q must be a scalar or 1d")
    return chosen


def _keeps(keepdims: Any) -> bool:
    """NumPy's nan-functions have no value as the default."""
    return keepdims is not np._NoValue and bool(keepdims)
