"""Reductions of what is a number: NaNs are left out.

A slice without numbers has the value that NumPy gives it; the warning that NumPy adds would come
when it is computed, far from the line that asked for it, and is left out.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dask_tapestry.array.core.array import Array
from dask_tapestry.array.core.convert import asarray
from dask_tapestry.array.core.dispatch import implements
from dask_tapestry.array.core.out import into
from dask_tapestry.array.core.reduction_arguments import (
    NOT_GIVEN,
    flag,
    fold_axes,
    folded,
    mask_of,
    placed,
    wanted_dtype,
)
from dask_tapestry.array.statistics.averages import degrees_of_freedom, mean, root_of, var
from dask_tapestry.array.statistics.reductions import prod, sum
from dask_tapestry.errors import DTypeError
from dask_tapestry.operators.axes import Axes, normalize_axes
from dask_tapestry.operators.elementwise import elementwise, scalar_of
from dask_tapestry.operators.reduce import reduce
from dask_tapestry.operators.where import where as choose

__all__ = [
    "nanargmax",
    "nanargmin",
    "nanmax",
    "nanmean",
    "nanmin",
    "nanprod",
    "nanstd",
    "nansum",
    "nanvar",
]


def _numbers(a: Any) -> tuple[Array, Array | None]:
    """The array, and which of its cells are numbers; None for dtypes without NaN."""
    x = asarray(a)
    if x.dtype.kind not in "fc":
        return x, None
    nan = elementwise("isnan", x.node)
    return x, Array(elementwise("logical_not", nan))


def _filled(a: Any, value: float) -> Array:
    x, numbers = _numbers(a)
    if numbers is None:
        return x
    return Array(choose(numbers.node, x.node, scalar_of(value, x.dtype)))


@implements(np.nansum)
def nansum(
    a: Any,
    axis: Axes = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = False,
    initial: Any = NOT_GIVEN,
    where: Any = NOT_GIVEN,
) -> Array:
    """Add the numbers along `axis`, NaNs as zeros, as `numpy.nansum`.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> float(dt.nansum(dt.asarray([1.0, dt.nan, 2.0])))
    3.0
    """
    return sum(_filled(a, 0.0), axis, dtype, out, keepdims, initial, where)


@implements(np.nanprod)
def nanprod(
    a: Any,
    axis: Axes = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = False,
    initial: Any = NOT_GIVEN,
    where: Any = NOT_GIVEN,
) -> Array:
    """Multiply the numbers along `axis`, NaNs as ones, as `numpy.nanprod`.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> float(dt.nanprod(dt.asarray([3.0, dt.nan, 2.0])))
    6.0
    """
    return prod(_filled(a, 1.0), axis, dtype, out, keepdims, initial, where)


@implements(np.nanmin)
def nanmin(
    a: Any,
    axis: Axes = None,
    out: Any = None,
    keepdims: Any = False,
    initial: Any = NOT_GIVEN,
    where: Any = NOT_GIVEN,
) -> Array:
    """Return the least number along `axis`; NaN where there is none.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> float(dt.nanmin(dt.asarray([3.0, dt.nan, 2.0])))
    2.0
    """
    return folded("fmin", a, axis, out=out, keepdims=keepdims, initial=initial, where=where)


@implements(np.nanmax)
def nanmax(
    a: Any,
    axis: Axes = None,
    out: Any = None,
    keepdims: Any = False,
    initial: Any = NOT_GIVEN,
    where: Any = NOT_GIVEN,
) -> Array:
    """Return the greatest number along `axis`; NaN where there is none.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> float(dt.nanmax(dt.asarray([3.0, dt.nan, 2.0])))
    3.0
    """
    return folded("fmax", a, axis, out=out, keepdims=keepdims, initial=initial, where=where)


@implements(np.nanargmin)
def nanargmin(a: Any, axis: int | None = None, out: Any = None, *, keepdims: Any = False) -> Array:
    """Return the place of the least number along `axis`, a NaN counting as infinity.

    Raises
    ------
    ShapeError
        If there is no cell to choose from.
    ValueError
        When it is computed, if a slice has no number.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> int(dt.nanargmin(dt.asarray([dt.nan, 3.0, 1.0])))
    2
    """
    return _placed("argmin", a, axis, out, keepdims)


@implements(np.nanargmax)
def nanargmax(a: Any, axis: int | None = None, out: Any = None, *, keepdims: Any = False) -> Array:
    """Return the place of the greatest number along `axis`, a NaN counting as minus infinity.

    Raises
    ------
    ShapeError
        If there is no cell to choose from.
    ValueError
        When it is computed, if a slice has no number.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> int(dt.nanargmax(dt.asarray([dt.nan, 3.0, 1.0])))
    1
    """
    return _placed("argmax", a, axis, out, keepdims)


def _placed(monoid: str, a: Any, axis: Any, out: Any, keepdims: Any) -> Array:
    x = asarray(a)
    if x.dtype.kind not in "fc":
        return placed(monoid, x, axis, out, keepdims)
    if x.size:
        normalize_axes(fold_axes(axis, x.ndim), x.ndim)  # before several axes, as in NumPy
    return placed(f"nan{monoid}", x, axis, out, keepdims)


def _in_one_pass(
    monoid: str, a: Any, axis: Axes, dtype: Any, keepdims: Any, where: Any, ddof: float = 0.0
) -> Array | None:
    """The monoid's fold; None if there is no NaN or mask, dtype or kind asks for more than it.

    Raises
    ------
    DTypeError
        If a dtype that is none of floats is asked for.
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


def _numbers_where(a: Any, where: Any) -> tuple[Array, Any]:
    """The array, and which cells take part: numbers, of those that `where` names."""
    x, numbers = _numbers(a)
    if numbers is None:
        return x, where
    mask = mask_of(where, x.node)
    if mask is None:
        return x, numbers
    return x, Array(elementwise("logical_and", numbers.node, mask))


@implements(np.nanmean)
def nanmean(
    a: Any,
    axis: Axes = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = False,
    *,
    where: Any = NOT_GIVEN,
) -> Array:
    """Return the average of the numbers along `axis`, as `numpy.nanmean`; NaN of none.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> float(dt.nanmean(dt.asarray([1.0, dt.nan, 2.0])))
    1.5
    """
    value = _in_one_pass("nanmean", a, axis, dtype, keepdims, where)
    if value is None:
        x, part = _numbers_where(a, where)
        value = mean(x, axis, dtype, None, keepdims, where=part)
    return into(out, value)


@implements(np.nanvar)
def nanvar(
    a: Any,
    axis: Axes = None,
    dtype: Any = None,
    out: Any = None,
    ddof: float = 0,
    keepdims: Any = False,
    *,
    where: Any = NOT_GIVEN,
    mean: Any = NOT_GIVEN,
    correction: Any = NOT_GIVEN,
) -> Array:
    """Return the variance of the numbers along `axis`; NaN where they are `ddof` or fewer.

    Parameters
    ----------
    dtype
        In which it is computed.
    ddof, correction
        Taken off the number of numbers in the divisor; two names, of which one may be given.
    where
        Cells that take part.
    mean
        The mean, of a shape as ``keepdims=True`` gives it, where it is already known.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> float(dt.nanvar(dt.asarray([1.0, dt.nan, 3.0])))
    1.0
    """
    free = degrees_of_freedom(ddof, correction)
    return into(out, _variance(a, axis, dtype, free, keepdims, where, mean))


def _variance(
    a: Any, axis: Axes, dtype: Any, ddof: float, keepdims: Any, where: Any, mean: Any
) -> Array:
    """In one pass where the monoid can, else the variance of what is a number."""
    if mean is NOT_GIVEN:
        value = _in_one_pass("nanvar", a, axis, dtype, keepdims, where, ddof)
        if value is not None:
            return value
    x, part = _numbers_where(a, where)
    value = var(x, axis, dtype, None, ddof, keepdims, where=part, mean=mean)
    if x.dtype.kind not in "fc":
        return value
    enough = sum(part, axis, keepdims=keepdims) > ddof
    return Array(choose(enough.node, value.node, scalar_of(np.nan, value.dtype)))


@implements(np.nanstd)
def nanstd(
    a: Any,
    axis: Axes = None,
    dtype: Any = None,
    out: Any = None,
    ddof: float = 0,
    keepdims: Any = False,
    *,
    where: Any = NOT_GIVEN,
    mean: Any = NOT_GIVEN,
    correction: Any = NOT_GIVEN,
) -> Array:
    """Return the standard deviation of the numbers along `axis`: the root of `nanvar`.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> float(dt.nanstd(dt.asarray([1.0, dt.nan, 3.0])))
    1.0
    """
    free = degrees_of_freedom(ddof, correction)
    if mean is NOT_GIVEN:
        value = _in_one_pass("nanstd", a, axis, dtype, keepdims, where, free)
        if value is not None:
            return into(out, value)
    value = _variance(a, axis, dtype, free, keepdims, where, mean)
    return into(out, Array(root_of(value.node)))
