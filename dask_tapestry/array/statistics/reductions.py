"""Reductions: one value for every sharding, in the canonical order of the reduction tree."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from dask_tapestry.array.core.array import Array
from dask_tapestry.array.core.convert import asarray
from dask_tapestry.array.core.dispatch import implements
from dask_tapestry.array.core.reduction_arguments import NOT_GIVEN, folded, placed
from dask_tapestry.operators.axes import Axes
from dask_tapestry.operators.elementwise import astype

__all__ = [
    "all",
    "amax",
    "amin",
    "any",
    "argmax",
    "argmin",
    "count_nonzero",
    "max",
    "min",
    "prod",
    "ptp",
    "sum",
]


@implements(np.sum)
def sum(
    a: Any,
    axis: Axes = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = False,
    initial: Any = NOT_GIVEN,
    where: Any = NOT_GIVEN,
) -> Array:
    """Add the cells along `axis`, by default all, as `numpy.sum`.

    The value is bit for bit the same for every sharding, scheduler and number of workers.

    Parameters
    ----------
    dtype
        In which they are added; small integers are added as 64-bit ones.
    out
        An `Array` that takes the result as its value.
    initial
        Added to the sum.
    where
        Cells that take part.

    Raises
    ------
    AxisError, ShapeError
        If an axis is none of the array's, or is given twice.
    DTypeError
        If cells of this dtype cannot be added.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.sum(dt.ones((2, 3)), axis=1).compute()
    array([3., 3.])
    """
    options = {"out": out, "keepdims": keepdims, "initial": initial, "where": where}
    return folded("sum", a, axis, dtype=dtype, **options)


@implements(np.prod)
def prod(
    a: Any,
    axis: Axes = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = False,
    initial: Any = NOT_GIVEN,
    where: Any = NOT_GIVEN,
) -> Array:
    """Multiply the cells along `axis`, by default all, as `numpy.prod`.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> int(dt.prod(dt.arange(1, 5)))
    24
    """
    options = {"out": out, "keepdims": keepdims, "initial": initial, "where": where}
    return folded("prod", a, axis, dtype=dtype, **options)


@implements(np.min, np.amin)
def min(
    a: Any,
    axis: Axes = None,
    out: Any = None,
    keepdims: Any = False,
    initial: Any = NOT_GIVEN,
    where: Any = NOT_GIVEN,
) -> Array:
    """Return the least cell along `axis`; a NaN wins.

    Raises
    ------
    ShapeError
        If there is no cell to choose from and no `initial`, or `where` is given without `initial`.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> int(dt.min(dt.arange(3, 9)))
    3
    """
    return folded("min", a, axis, out=out, keepdims=keepdims, initial=initial, where=where)


@implements(np.max, np.amax)
def max(
    a: Any,
    axis: Axes = None,
    out: Any = None,
    keepdims: Any = False,
    initial: Any = NOT_GIVEN,
    where: Any = NOT_GIVEN,
) -> Array:
    """Return the greatest cell along `axis`; a NaN wins.

    Raises
    ------
    ShapeError
        If there is no cell to choose from and no `initial`, or `where` is given without `initial`.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> int(dt.max(dt.arange(3, 9)))
    8
    """
    return folded("max", a, axis, out=out, keepdims=keepdims, initial=initial, where=where)


amin = min
amax = max


@implements(np.any)
def any(
    a: Any, axis: Axes = None, out: Any = None, keepdims: Any = False, *, where: Any = NOT_GIVEN
) -> Array:
    """Return whether any cell along `axis` is non-zero.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> bool(dt.any(dt.arange(3) > 1))
    True
    """
    return folded("any", a, axis, out=out, keepdims=keepdims, where=where)


@implements(np.all)
def all(
    a: Any, axis: Axes = None, out: Any = None, keepdims: Any = False, *, where: Any = NOT_GIVEN
) -> Array:
    """Return whether all cells along `axis` are non-zero.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> bool(dt.all(dt.arange(3) > 1))
    False
    """
    return folded("all", a, axis, out=out, keepdims=keepdims, where=where)


@implements(np.argmin)
def argmin(a: Any, axis: int | None = None, out: Any = None, *, keepdims: Any = False) -> Array:
    """Return the place of the least cell along `axis`, the first of equals; a NaN wins.

    Raises
    ------
    ShapeError
        If there is no cell to choose from.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> int(dt.argmin(dt.asarray([3, 1, 1])))
    1
    """
    return placed("argmin", a, axis, out, keepdims)


@implements(np.argmax)
def argmax(a: Any, axis: int | None = None, out: Any = None, *, keepdims: Any = False) -> Array:
    """Return the place of the greatest cell along `axis`, the first of equals; a NaN wins.

    Raises
    ------
    ShapeError
        If there is no cell to choose from.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> int(dt.argmax(dt.asarray([3, 1, 3])))
    0
    """
    return placed("argmax", a, axis, out, keepdims)


@implements(np.ptp)
def ptp(a: Any, axis: Axes = None, out: Any = None, keepdims: Any = False) -> Array:
    """Return the greatest cell along `axis` less the least, as `numpy.ptp`.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> int(dt.ptp(dt.asarray([3, 9, 4])))
    6
    """
    x = asarray(a)
    if x.dtype.kind == "b":
        max(x, axis)  # that there are no cells is reported before that they have no difference
    return folded("ptp", x, axis, out=out, keepdims=keepdims)


@implements(np.count_nonzero)
def count_nonzero(a: Any, axis: Axes = None, *, keepdims: Any = False) -> Array:
    """Count the cells along `axis` that are not zero, as `numpy.count_nonzero`.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> int(dt.count_nonzero(dt.asarray([0, 5, 0, 1])))
    2
    """
    truth = astype(asarray(a).node, np.dtype(builtins.bool))
    return folded("sum", Array(truth), axis, dtype=np.intp, keepdims=keepdims)
