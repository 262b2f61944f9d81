"""Medians: `median` and `nanmedian`, exact, for axes of any length."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.core.lanes import LaneArray
from dask_tapestry.arrays.core.out_argument import assigned_to_out
from dask_tapestry.arrays.core.reduction_arguments import flag
from dask_tapestry.arrays.elementwise.ufuncs import isnan
from dask_tapestry.arrays.elementwise.where_and_clip import where
from dask_tapestry.arrays.statistics.averages import mean
from dask_tapestry.arrays.statistics.nan_averages import nanmean
from dask_tapestry.operators.axes import Axes
from dask_tapestry.operators.joins.stack import stack
from dask_tapestry.operators.sorting.order_statistics import ranks

__all__ = ["median", "nanmedian"]


@implements(np.median)
def median(
    a: ArrayLike,
    axis: Axes = None,
    out: Array | None = None,
    overwrite_input: bool = False,  # noqa: ARG001
    keepdims: bool = False,
) -> Array:
    """Return the median along `axis`, as `numpy.median`; NaN where a cell is NaN.

    {Parameters} {a, axis, out, overwrite_input, keepdims}
    {Returns} Array: Shape of `a` without the reduced axes: float64 for integers, else of the dtype
        of `a`.
    {See Also} nanmedian, quantile, mean
    {Examples}
    >>> float(dt.median(dt.asarray([7, 1, 3, 2])))
    2.5
    """
    array = asarray(a)
    lanes = LaneArray(array, axis)
    x = lanes.array
    n = x.shape[0]
    if not n:
        return assigned_to_out(out, lanes.restored(mean(x, axis=0), keepdims))
    middle = sorted({(n - 1) // 2, n // 2})
    found = Array(ranks(x.node, [*middle, -1], 0))
    value = mean(found[: len(middle)], axis=0)
    if x.dtype.kind in "fcm":
        value = where(isnan(found[-1]), found[-1], value)
    return assigned_to_out(out, lanes.restored(value, keepdims))


@implements(np.nanmedian)
def nanmedian(
    a: ArrayLike,
    axis: Axes = None,
    out: Array | None = None,
    overwrite_input: bool = False,
    keepdims: bool = False,
) -> Array:
    """Return the median of the cells along `axis` that are not NaN, as `numpy.nanmedian`.

    {Parameters} {a, axis, out, overwrite_input, keepdims}
    {Returns} Array: Shape of `a` without the reduced axes, NaN where all cells are.
    {See Also} median, nanquantile
    {Examples}
    >>> float(dt.nanmedian(dt.asarray([7, 1, float("nan"), 2])))
    2.0
    """
    array = asarray(a)
    if not array.size:
        return assigned_to_out(out, nanmean(array, axis, keepdims=flag(keepdims)))
    if array.dtype.kind not in "fcm":
        return median(array, axis, out, overwrite_input, flag(keepdims))
    lanes = LaneArray(array, axis)
    count = (~isnan(lanes.array)).sum(axis=0)
    low, high = (count - 1) // 2, count // 2
    both = lanes.pick(Array(stack([low.node, high.node])))
    middle = where(low == high, both[0], mean(both, axis=0))
    value = where(count == 0, lanes.first_number(), middle)
    return assigned_to_out(out, lanes.restored(value, flag(keepdims)))
