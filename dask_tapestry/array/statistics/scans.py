"""Running totals along an axis: one value for every sharding, in the canonical order of leaves."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from dask_tapestry.array.core.array import Array
from dask_tapestry.array.core.convert import asarray
from dask_tapestry.array.core.dispatch import METHODS, implements
from dask_tapestry.array.core.dtypes import as_dtype
from dask_tapestry.array.core.out import into
from dask_tapestry.errors import AxisError, DTypeError, ShapeError
from dask_tapestry.operators.concat import concat
from dask_tapestry.operators.elementwise import elementwise, scalar_of
from dask_tapestry.operators.full import full
from dask_tapestry.operators.reshape import reshape
from dask_tapestry.operators.scan import ASSOCIATIVE, scan
from dask_tapestry.operators.where import where
from dask_tapestry.teg import Tensor

__all__ = [
    "cummax",
    "cummin",
    "cumprod",
    "cumsum",
    "cumulative_prod",
    "cumulative_sum",
    "logcumsumexp",
    "nancumprod",
    "nancumsum",
]
IDENTITY = {"add": 0, "multiply": 1}


def _scanned(
    function: str, x: Tensor, axis: int | None, dtype: Any = None, out: Any = None
) -> Array:
    """Scan as NumPy's functions do: flattened without an axis, and never without dimensions."""
    kind = None if dtype is None else as_dtype(dtype)
    if kind is None and isinstance(out, Array):
        kind = out.dtype
    if axis is None or (not x.type.ndim and axis in (0, -1)):
        x, axis = reshape(x, (x.type.size,)), 0
    return into(out, Array(scan(x, function, axis, dtype=kind)))


@implements(np.cumsum)
def cumsum(a: Any, axis: int | None = None, dtype: Any = None, out: Any = None) -> Array:
    """Add up the cells before and at each place along `axis`, as `numpy.cumsum`.

    The value is bit for bit the same for every sharding, scheduler and number of workers. Up to 128
    cells it is NumPy's to the bit, beyond that within rounding.

    Parameters
    ----------
    axis
        By default all cells, flattened.
    dtype
        In which to add; by default the cells' own, and 64-bit integers for smaller ones.
    out
        An `Array` that takes the result.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.cumsum(dt.arange(1, 5)).compute()
    array([ 1,  3,  6, 10])
    """
    return _scanned("add", asarray(a).node, axis, dtype, out)


@implements(np.cumprod)
def cumprod(a: Any, axis: int | None = None, dtype: Any = None, out: Any = None) -> Array:
    """Multiply the cells before and at each place along `axis`, as `numpy.cumprod`.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.cumprod(dt.arange(1, 5)).compute()
    array([ 1,  2,  6, 24])
    """
    return _scanned("multiply", asarray(a).node, axis, dtype, out)


@implements(np.nancumsum)
def nancumsum(a: Any, axis: int | None = None, dtype: Any = None, out: Any = None) -> Array:
    """Add up cells as `cumsum` does, a NaN counting as zero.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.nancumsum(dt.asarray([1.0, float("nan"), 2.0])).compute()
    array([1., 1., 3.])
    """
    return _scanned("add", _without_nan(asarray(a).node, 0), axis, dtype, out)


@implements(np.nancumprod)
def nancumprod(a: Any, axis: int | None = None, dtype: Any = None, out: Any = None) -> Array:
    """Multiply cells as `cumprod` does, a NaN counting as one.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.nancumprod(dt.asarray([3.0, float("nan"), 2.0])).compute()
    array([3., 3., 6.])
    """
    return _scanned("multiply", _without_nan(asarray(a).node, 1), axis, dtype, out)


def _without_nan(x: Tensor, instead: int) -> Tensor:
    if x.type.dtype.kind not in "fc":
        return x
    return where(elementwise("isnan", x), x.type.dtype.type(instead), x)


@implements(np.cumulative_sum)
def cumulative_sum(
    x: Any,
    /,
    *,
    axis: int | None = None,
    dtype: Any = None,
    out: Any = None,
    include_initial: bool = False,
) -> Array:
    """Add up cells as `cumsum` does: the Array API's function.

    Parameters
    ----------
    axis
        May be left out for arrays of one dimension only.
    include_initial
        Put the sum of no cells in front.

    Raises
    ------
    ShapeError
        If no axis is given for several dimensions.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.cumulative_sum(dt.arange(1, 4), include_initial=True).compute()
    array([0, 1, 3, 6])
    """
    return _cumulative("add", x, axis, dtype, out, include_initial)


@implements(np.cumulative_prod)
def cumulative_prod(
    x: Any,
    /,
    *,
    axis: int | None = None,
    dtype: Any = None,
    out: Any = None,
    include_initial: bool = False,
) -> Array:
    """Multiply cells as `cumprod` does: the Array API's function.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.cumulative_prod(dt.arange(1, 4), include_initial=True).compute()
    array([1, 1, 2, 6])
    """
    return _cumulative("multiply", x, axis, dtype, out, include_initial)


def _cumulative(
    function: str, x: Any, axis: int | None, dtype: Any, out: Any, include_initial: bool
) -> Array:
    cells = asarray(x).node
    if not cells.type.ndim:
        cells = reshape(cells, (1,))
    if axis is None and cells.type.ndim > 1:
        raise ShapeError(
            "For arrays which have more than one dimension ``axis`` argument is required."
        )
    along = 0 if axis is None else axis
    if not include_initial:
        return _scanned(function, cells, along, dtype, out)
    if dtype is None and isinstance(out, Array):
        dtype = out.dtype
    totals = _scanned(function, cells, along, dtype).node
    shape = list(totals.type.shape)
    shape[along] = 1
    first = full(tuple(shape), scalar_of(IDENTITY[function], totals.type.dtype))
    return into(out, Array(concat([first, totals], along)))


def cummax(x: Any, /, axis: int | None = None) -> Array:
    """Return the greatest cell before and at each place along `axis`, flattened by default.

    A NaN stays, as in ``numpy.maximum.accumulate``.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.cummax(dt.asarray([1, 3, 2])).compute()
    array([1, 3, 3])
    """
    return _scanned("maximum", asarray(x).node, axis)


def cummin(x: Any, /, axis: int | None = None) -> Array:
    """Return the least cell before and at each place along `axis`, flattened by default.

    A NaN stays, as in ``numpy.minimum.accumulate``.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.cummin(dt.asarray([3, 1, 2])).compute()
    array([3, 1, 1])
    """
    return _scanned("minimum", asarray(x).node, axis)


def logcumsumexp(x: Any, /, axis: int | None = None) -> Array:
    """Return ``log(cumsum(exp(x)))`` along `axis`, flattened by default, without overflow.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.logcumsumexp(dt.asarray([1000.0, 1000.0])).compute()
    array([1000.        , 1000.69314718])
    """
    return _scanned("logaddexp", asarray(x).node, axis)


def _accumulate(
    function: str, array: Any, axis: int | None = 0, dtype: Any = None, out: Any = None
) -> Array:
    """``ufunc.accumulate`` of an associative ufunc."""
    x = asarray(array).node
    if not x.type.ndim:
        if axis not in (None, 0, -1):
            raise AxisError(f"axis {axis} is out of bounds for array of dimension 0")
        raise DTypeError("cannot accumulate on a scalar")
    if axis is None:
        if x.type.ndim > 1:
            raise ShapeError("accumulate does not allow multiple axes")
        axis = 0
    return _scanned(function, x, axis, dtype, out[0] if isinstance(out, tuple) else out)


METHODS.update({(name, "accumulate"): partial(_accumulate, name) for name in ASSOCIATIVE})
