"""Quantiles and percentiles: exact, for axes of any length."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.amounts import reading
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.core.known_values import known_now
from dask_tapestry.arrays.core.lanes import LaneArray, align_weights
from dask_tapestry.arrays.core.out_argument import assigned_to_out
from dask_tapestry.arrays.core.reduction_arguments import flag
from dask_tapestry.arrays.statistics.nan_averages import nanmean
from dask_tapestry.arrays.statistics.quantile_methods import check_method
from dask_tapestry.arrays.statistics.quantile_values import nan_values, values, weighted_values
from dask_tapestry.errors import ArgumentError, DTypeError, ShapeError
from dask_tapestry.operators.axes import Axes

__all__ = ["nanpercentile", "nanquantile", "percentile", "quantile"]

PERCENTS: Final = 100  # a quantile above 1 and up to here may be meant as a percentile


@implements(np.quantile)
def quantile(
    a: ArrayLike,
    q: ArrayLike,
    axis: Axes = None,
    out: Array | None = None,
    overwrite_input: bool = False,  # noqa: ARG001
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: ArrayLike | None = None,
) -> Array:
    """Return quantiles along `axis`, as `numpy.quantile`; NaN where a cell is NaN.

    The values are NumPy's to the bit, for all methods. An axis may be longer than a block, except
    with `weights`.

    {Parameters}
        {a}
        q: A level from 0 to 1, or a sequence of them; no array of what is stored.
        {axis, out, overwrite_input, method, keepdims, weights}
    {Returns} Array: Shape of `q`, then shape of `a` without the reduced axes.
    {Raises}
        ShapeError: If a level is out of range, or the method is unknown.
        DTypeError: If cells are complex, or `q` is a lazy array.
    {See Also} percentile, median, nanquantile
    {Examples}
    >>> dt.quantile(dt.arange(5), [0.25, 0.9]).compute()
    array([1. , 3.6])
    """
    return _quantile(
        a, _QuantileRequest(q, 1, method, weights), axis, out, keepdims, skip_nan=False
    )


@implements(np.percentile)
def percentile(
    a: ArrayLike,
    q: ArrayLike,
    axis: Axes = None,
    out: Array | None = None,
    overwrite_input: bool = False,  # noqa: ARG001
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: ArrayLike | None = None,
) -> Array:
    """Return percentiles along `axis`, as `numpy.percentile`: `quantile` of ``q / 100``.

    {Parameters}
        {a}
        q: A level from 0 to 100, or a sequence of them; no array of what is stored.
        {axis, out, overwrite_input, method, keepdims, weights}
    {Returns} Array: Shape of `q`, then shape of `a` without the reduced axes.
    {Raises} ShapeError, DTypeError: As for `quantile`.
    {See Also} quantile, nanpercentile
    {Examples}
    >>> float(dt.percentile(dt.arange(5), 25))
    1.0
    """
    return _quantile(
        a, _QuantileRequest(q, 100, method, weights), axis, out, keepdims, skip_nan=False
    )


@implements(np.nanquantile)
def nanquantile(
    a: ArrayLike,
    q: ArrayLike,
    axis: Axes = None,
    out: Array | None = None,
    overwrite_input: bool = False,  # noqa: ARG001
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: ArrayLike | None = None,
) -> Array:
    """Return quantiles of the cells along `axis` that are not NaN, as `numpy.nanquantile`.

    {Parameters}
        {a}
        q: A level from 0 to 1, or a sequence of them; no array of what is stored.
        {axis, out, overwrite_input, method, keepdims, weights}
    {Returns} Array: Shape of `q`, then shape of `a` without the reduced axes; NaN where all cells
        are.
    {Raises} ShapeError, DTypeError: As for `quantile`.
    {See Also} quantile, nanpercentile, nanmedian
    {Examples}
    >>> float(dt.nanquantile(dt.asarray([7, 1, float("nan"), 2]), 0.5))
    2.0
    """
    return _quantile(
        a, _QuantileRequest(q, 1, method, weights), axis, out, flag(keepdims), skip_nan=True
    )


@implements(np.nanpercentile)
def nanpercentile(
    a: ArrayLike,
    q: ArrayLike,
    axis: Axes = None,
    out: Array | None = None,
    overwrite_input: bool = False,  # noqa: ARG001
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: ArrayLike | None = None,
) -> Array:
    """Return percentiles of the cells along `axis` that are not NaN, as `numpy.nanpercentile`.

    {Parameters}
        {a}
        q: A level from 0 to 100, or a sequence of them; no array of what is stored.
        {axis, out, overwrite_input, method, keepdims, weights}
    {Returns} Array: Shape of `q`, then shape of `a` without the reduced axes; NaN where all cells
        are.
    {Raises} ShapeError, DTypeError: As for `quantile`.
    {See Also} percentile, nanquantile
    {Examples}
    >>> float(dt.nanpercentile(dt.asarray([7, 1, float("nan"), 2]), 50))
    2.0
    """
    return _quantile(
        a, _QuantileRequest(q, 100, method, weights), axis, out, flag(keepdims), skip_nan=True
    )


class _QuantileRequest(NamedTuple):
    """What the caller asks for: quantiles `q` of 1, or percentiles of 100, by a method."""

    q: ArrayLike
    scale: int
    method: str
    weights: ArrayLike | None

    @reading("q")
    def levels(self) -> np.ndarray[Any, Any]:
        """The quantiles, between 0 and 1."""
        fractions = np.asanyarray(known_now(self.q, "quantiles to compute"))
        if fractions.dtype.kind == "c":
            raise DTypeError("q must be real numbers")
        levels: np.ndarray[Any, Any] = np.asanyarray(
            np.true_divide(fractions, self.scale) if self.scale > 1 else fractions
        )
        if levels.size and not (levels.min() >= 0 and levels.max() <= 1):
            name = "Quantiles" if self.scale == 1 else "Percentiles"
            percents = self.scale == 1 and 1 < levels.max() <= PERCENTS
            hint = ": percentile takes percents" if percents else ""
            raise ArgumentError(
                f"{name} must be in the range [0, {self.scale}], not {fractions}{hint}"
            )
        if levels.ndim > 2:
            raise ShapeError("q must be a scalar or 1d")
        return levels


def _quantile(
    a: ArrayLike,
    request: _QuantileRequest,
    axis: Axes,
    out: Array | None,
    keepdims: bool,
    skip_nan: bool,
) -> Array:
    """The quantiles along `axis`, computed in the way that weights and NaN need."""
    array, method = asarray(a), request.method
    if array.dtype.kind == "c":
        raise DTypeError("a must be an array of real numbers")
    check_method(method)
    if request.weights is not None and method != "inverted_cdf":
        raise ArgumentError(f"Only method 'inverted_cdf' supports weights. Got: {method}.")
    levels = request.levels()
    weak = type(request.q) in (int, float)
    if skip_nan and not array.size:
        return assigned_to_out(out, nanmean(array, axis, keepdims=keepdims))
    lanes = LaneArray(array, axis)
    if request.weights is not None:
        weights = LaneArray(align_weights(asarray(request.weights), array.shape, axis), axis).array
        quantiles = weighted_values(lanes.array, weights, levels, skip_nan)
    else:
        check_method(method)
        if skip_nan and array.dtype.kind in "fmM":
            quantiles = nan_values(lanes, levels, method, weak)
        else:
            quantiles = values(lanes.array, levels, method, weak)
    return assigned_to_out(out, lanes.restored(quantiles, keepdims, levels.ndim))
