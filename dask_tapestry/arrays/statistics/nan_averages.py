"""Means, variances and standard deviations that leave NaN out."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.core.out_argument import assigned_to_out
from dask_tapestry.arrays.core.reduction_arguments import (
    NOT_GIVEN,
    flag,
    fold_axes,
    mask_of,
    wanted_dtype,
)
from dask_tapestry.arrays.statistics.averages import degrees_of_freedom, mean, root_of, var
from dask_tapestry.arrays.statistics.nan_reductions import not_nan
from dask_tapestry.arrays.statistics.reductions import sum
from dask_tapestry.errors import DTypeError
from dask_tapestry.operators.axes import Axes
from dask_tapestry.operators.cells.elementwise import elementwise, scalar_of
from dask_tapestry.operators.cells.where import where as choose
from dask_tapestry.operators.reductions.reduce import reduce

__all__ = ["nanmean", "nanstd", "nanvar"]


def _one_pass(
    monoid: str,
    a: ArrayLike,
    axis: Axes,
    dtype: DTypeLike | None,
    keepdims: bool,
    where: ArrayLike,
    ddof: float = 0.0,
) -> Array | None:
    """Fold a monoid that leaves NaN out; None where another way is needed.

    That is for dtypes without NaN, with a mask, and for a `dtype` the monoid cannot return.

    {Raises} DTypeError: If `a` is inexact and `dtype` is not.
    """
    x, kind = asarray(a), wanted_dtype(dtype)
    if x.dtype.kind not in "fc":
        return None
    if kind is not None and kind.kind not in "fc":
        raise DTypeError("If a is inexact, then dtype must be inexact")
    kinds = ("ff", "fc", "cc") if monoid == "nanmean" else ("ff",)
    if kind is not None and x.dtype.kind + kind.kind not in kinds:
        return None
    if mask_of(where, x.node) is not None:
        return None
    axes = fold_axes(axis, x.ndim)
    return Array(reduce(x.node, monoid, axes, dtype=kind, keepdims=flag(keepdims), ddof=ddof))


def _where_not_nan(a: ArrayLike, where: ArrayLike) -> tuple[Array, ArrayLike]:
    """The array, and a mask of the cells that `where` names and that are not NaN."""
    x, numbers = not_nan(a)
    if numbers is None:
        return x, where
    mask = mask_of(where, x.node)
    if mask is None:
        return x, numbers
    return x, Array(elementwise("logical_and", numbers.node, mask))


@implements(np.nanmean)
def nanmean(
    a: ArrayLike,
    axis: Axes = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
    keepdims: bool = False,
    *,
    where: ArrayLike = NOT_GIVEN,
) -> Array:
    """Return the average of the cells along `axis` that are not NaN, as `numpy.nanmean`.

    {Parameters}
        {a, axis}
        dtype: Dtype to add in, and of the result; by default float64 for integers, else that of
            `a`.
        {out, keepdims, where}
    {Returns} Array: Shape of `a` without the reduced axes, NaN where no cell takes part.
    {Raises} DTypeError: If `a` is inexact and `dtype` is not.
    {See Also} mean, nanmedian, nansum
    {Examples}
    >>> float(dt.nanmean(dt.asarray([1.0, dt.nan, 2.0])))
    1.5
    """
    value = _one_pass("nanmean", a, axis, dtype, keepdims, where)
    if value is None:
        x, part = _where_not_nan(a, where)
        value = mean(x, axis, dtype, None, keepdims, where=part)
    return assigned_to_out(out, value)


@implements(np.nanvar)
def nanvar(
    a: ArrayLike,
    axis: Axes = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    where: ArrayLike = NOT_GIVEN,
    mean: ArrayLike = NOT_GIVEN,
    correction: float = NOT_GIVEN,
) -> Array:
    """Return the variance of the cells along `axis` that are not NaN, as `numpy.nanvar`.

    {Parameters} {a, axis, dtype.mean, out, ddof, keepdims, where, mean}
    {Returns} Array: Shape of `a` without the reduced axes, NaN where at most `ddof` cells take
        part.
    {Raises}
        {ShapeError.ddof}
        DTypeError: If `a` is inexact and `dtype` is not.
    {See Also} var, nanstd
    {Examples}
    >>> float(dt.nanvar(dt.asarray([1.0, dt.nan, 3.0])))
    1.0
    """
    free = degrees_of_freedom(ddof, correction)
    return assigned_to_out(out, _variance(a, axis, dtype, free, keepdims, where, mean))


def _variance(
    a: ArrayLike,
    axis: Axes,
    dtype: DTypeLike | None,
    ddof: float,
    keepdims: bool,
    where: ArrayLike,
    mean: ArrayLike,
) -> Array:
    """The variance in one pass where the monoid can, else of the cells that are not NaN."""
    if mean is NOT_GIVEN:
        value = _one_pass("nanvar", a, axis, dtype, keepdims, where, ddof)
        if value is not None:
            return value
    x, part = _where_not_nan(a, where)
    value = var(x, axis, dtype, None, ddof, keepdims, where=part, mean=mean)
    if x.dtype.kind not in "fc":
        return value
    enough = sum(part, axis, keepdims=keepdims) > ddof
    return Array(choose(enough.node, value.node, scalar_of(np.nan, value.dtype)))


@implements(np.nanstd)
def nanstd(
    a: ArrayLike,
    axis: Axes = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    where: ArrayLike = NOT_GIVEN,
    mean: ArrayLike = NOT_GIVEN,
    correction: float = NOT_GIVEN,
) -> Array:
    """Return the standard deviation of the cells along `axis` that are not NaN, as `numpy.nanstd`.

    {Parameters} {a, axis, dtype.mean, out, ddof, keepdims, where, mean}
    {Returns} Array: Shape of `a` without the reduced axes, NaN where at most `ddof` cells take
        part.
    {Raises}
        {ShapeError.ddof}
        DTypeError: If `a` is inexact and `dtype` is not.
    {See Also} std, nanvar
    {Examples}
    >>> float(dt.nanstd(dt.asarray([1.0, dt.nan, 3.0])))
    1.0
    """
    free = degrees_of_freedom(ddof, correction)
    if mean is NOT_GIVEN:
        value = _one_pass("nanstd", a, axis, dtype, keepdims, where, free)
        if value is not None:
            return assigned_to_out(out, value)
    value = _variance(a, axis, dtype, free, keepdims, where, mean)
    return assigned_to_out(out, Array(root_of(value.node)))
