"""Scans, which run along an axis: `cumsum`, `cumprod`, `cummax` and others.

Their value is the same for every sharding: partial results are combined in a fixed order.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.axis_names import names_axes
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dispatch import METHODS, implements
from dask_tapestry.arrays.core.dtypes import as_dtype
from dask_tapestry.arrays.core.out_argument import assigned_to_out
from dask_tapestry.arrays.statistics.nan_reductions import nan_filled
from dask_tapestry.errors import AxisError, DTypeError, ShapeError
from dask_tapestry.operators.axes import one_integer
from dask_tapestry.operators.scans.scan import ASSOCIATIVE, scan
from dask_tapestry.operators.views.reshape import reshape
from dask_tapestry.teg import Tensor

__all__ = ["cummax", "cummin", "cumprod", "cumsum", "logcumsumexp", "nancumprod", "nancumsum"]


def scanned(
    function: str,
    x: Tensor,
    axis: int | None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
) -> Array:
    """Scan as NumPy's functions do: flattened if there is no axis, and a 0-d array as 1-d."""
    kind = None if dtype is None else as_dtype(dtype)
    if kind is None and isinstance(out, Array):
        kind = out.dtype
    axis = axis if axis is None else one_integer(axis)
    if axis is None or (not x.type.ndim and axis in (0, -1)):
        x, axis = reshape(x, (x.type.size,)), 0
    return assigned_to_out(out, Array(scan(x, function, axis, dtype=kind)))


@implements(np.cumsum)
def cumsum(
    a: ArrayLike, axis: int | None = None, dtype: DTypeLike | None = None, out: Array | None = None
) -> Array:
    """Return the running sum along `axis`, as `numpy.cumsum`.

    The value is bit for bit the same for every sharding, scheduler and number of workers. Up to 128
    cells it is NumPy's to the bit, beyond that within rounding.

    {Parameters} {a, axis.along, dtype.sum, out}
    {Returns} Array: Shape of `a`, or 1-d without `axis`.
    {See Also} nancumsum, cumulative_sum, cumprod, sum
    {Examples}
    >>> dt.cumsum(dt.arange(1, 5)).compute()
    array([ 1,  3,  6, 10])
    """
    return scanned("add", asarray(a).node, axis, dtype, out)


@implements(np.cumprod)
def cumprod(
    a: ArrayLike, axis: int | None = None, dtype: DTypeLike | None = None, out: Array | None = None
) -> Array:
    """Return the running product along `axis`, as `numpy.cumprod`.

    Parts of a long axis are multiplied by themselves, then by what is before them, so that every
    sharding has the same bits. Where a part overflows by itself after a zero, its cells are NaN
    (zero times infinity); NumPy, which goes cell by cell, has zeros.

    {Parameters} {a, axis.along, dtype.product, out}
    {Returns} Array: Shape of `a`, or 1-d without `axis`.
    {See Also} nancumprod, cumulative_prod, cumsum, prod
    {Examples}
    >>> dt.cumprod(dt.arange(1, 5)).compute()
    array([ 1,  2,  6, 24])
    """
    return scanned("multiply", asarray(a).node, axis, dtype, out)


@implements(np.nancumsum)
def nancumsum(
    a: ArrayLike, axis: int | None = None, dtype: DTypeLike | None = None, out: Array | None = None
) -> Array:
    """Return the running sum along `axis` with NaN as zero, as `numpy.nancumsum`.

    {Parameters} {a, axis.along, dtype.sum, out}
    {Returns} Array: Shape of `a`, or 1-d without `axis`.
    {See Also} cumsum, nansum
    {Examples}
    >>> dt.nancumsum(dt.asarray([1.0, float("nan"), 2.0])).compute()
    array([1., 1., 3.])
    """
    return scanned("add", nan_filled(a, 0).node, axis, dtype, out)


@implements(np.nancumprod)
def nancumprod(
    a: ArrayLike, axis: int | None = None, dtype: DTypeLike | None = None, out: Array | None = None
) -> Array:
    """Return the running product along `axis` with NaN as one, as `numpy.nancumprod`.

    {Parameters} {a, axis.along, dtype.product, out}
    {Returns} Array: Shape of `a`, or 1-d without `axis`.
    {See Also} cumprod, nanprod
    {Examples}
    >>> dt.nancumprod(dt.asarray([3.0, float("nan"), 2.0])).compute()
    array([3., 3., 6.])
    """
    return scanned("multiply", nan_filled(a, 1).node, axis, dtype, out)


@names_axes
def cummax(x: ArrayLike, /, axis: int | None = None) -> Array:
    """Return the running maximum along `axis`, as ``numpy.maximum.accumulate``; NaN stays.

    {Parameters} {x.given, axis.along}
    {Returns} Array: Shape of `x`, or 1-d without `axis`.
    {See Also} cummin, max
    {Examples}
    >>> dt.cummax(dt.asarray([1, 3, 2])).compute()
    array([1, 3, 3])
    """
    return scanned("maximum", asarray(x).node, axis)


@names_axes
def cummin(x: ArrayLike, /, axis: int | None = None) -> Array:
    """Return the running minimum along `axis`, as ``numpy.minimum.accumulate``; NaN stays.

    {Parameters} {x.given, axis.along}
    {Returns} Array: Shape of `x`, or 1-d without `axis`.
    {See Also} cummax, min
    {Examples}
    >>> dt.cummin(dt.asarray([3, 1, 2])).compute()
    array([3, 1, 1])
    """
    return scanned("minimum", asarray(x).node, axis)


@names_axes
def logcumsumexp(x: ArrayLike, /, axis: int | None = None) -> Array:
    """Return ``log(cumsum(exp(x)))`` along `axis`, without overflow.

    {Parameters} {x.given, axis.along}
    {Returns} Array: Inexact, of the shape of `x`, or 1-d without `axis`.
    {See Also} cumsum, logaddexp
    {Examples}
    >>> dt.logcumsumexp(dt.asarray([1000.0, 1000.0])).compute()
    array([1000.        , 1000.69314718])
    """
    return scanned("logaddexp", asarray(x).node, axis)


@names_axes
def _accumulate(
    function: str,
    array: ArrayLike,
    axis: int | None = 0,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
) -> Array:
    """The ``accumulate`` method of an associative ufunc."""
    x = asarray(array).node
    if not x.type.ndim:
        if axis not in (None, 0, -1):
            raise AxisError(f"axis {axis} is out of bounds for array of dimension 0")
        raise DTypeError("cannot accumulate on a scalar")
    if axis is None:
        if x.type.ndim > 1:
            raise ShapeError("accumulate does not allow multiple axes")
        axis = 0
    return scanned(function, x, axis, dtype, out[0] if isinstance(out, tuple) else out)


METHODS.update({(name, "accumulate"): partial(_accumulate, name) for name in ASSOCIATIVE})
