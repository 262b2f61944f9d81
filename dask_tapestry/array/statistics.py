"""Reductions: one value for every sharding, in the canonical order of the reduction tree."""

from __future__ import annotations

from operator import index
from typing import Any

import numpy as np

from dask_tapestry.array.array import Array
from dask_tapestry.array.convert import asarray
from dask_tapestry.array.dispatch import implements
from dask_tapestry.array.dtypes import as_dtype
from dask_tapestry.operators.axes import Axes
from dask_tapestry.operators.reduce import reduce

__all__ = [
    "all",
    "any",
    "argmax",
    "argmin",
    "max",
    "mean",
    "min",
    "prod",
    "std",
    "sum",
    "var",
]


def _reduced(name: str, x: Any, axis: Axes, dtype: Any, keepdims: bool, ddof: float = 0) -> Array:
    kind = None if dtype is None else as_dtype(dtype)
    node = reduce(asarray(x).node, name, axis, dtype=kind, keepdims=keepdims, ddof=ddof)
    return Array(node)


@implements(np.sum)
def sum(x: Any, axis: Axes = None, dtype: Any = None, *, keepdims: bool = False) -> Array:
    """Add the cells along `axis`, by default all, as `numpy.sum`.

    The value is bit for bit the same for every sharding, scheduler and number of workers.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.sum(dt.ones((2, 3)), axis=1).compute()
    array([3., 3.])
    """
    return _reduced("sum", x, axis, dtype, keepdims)


@implements(np.prod)
def prod(x: Any, axis: Axes = None, dtype: Any = None, *, keepdims: bool = False) -> Array:
    """Multiply the cells along `axis`, by default all, as `numpy.prod`.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> int(dt.prod(dt.arange(1, 5)))
    24
    """
    return _reduced("prod", x, axis, dtype, keepdims)


@implements(np.min, np.amin)
def min(x: Any, axis: Axes = None, *, keepdims: bool = False) -> Array:
    """Return the least cell along `axis`; a NaN wins.

    Raises
    ------
    ShapeError
        If there is no cell to choose from.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> int(dt.min(dt.arange(3, 9)))
    3
    """
    return _reduced("min", x, axis, None, keepdims)


@implements(np.max, np.amax)
def max(x: Any, axis: Axes = None, *, keepdims: bool = False) -> Array:
    """Return the greatest cell along `axis`; a NaN wins.

    Raises
    ------
    ShapeError
        If there is no cell to choose from.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> int(dt.max(dt.arange(3, 9)))
    8
    """
    return _reduced("max", x, axis, None, keepdims)


@implements(np.any)
def any(x: Any, axis: Axes = None, *, keepdims: bool = False) -> Array:
    """Return whether any cell along `axis` is non-zero.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> bool(dt.any(dt.arange(3) > 1))
    True
    """
    return _reduced("any", x, axis, None, keepdims)


@implements(np.all)
def all(x: Any, axis: Axes = None, *, keepdims: bool = False) -> Array:
    """Return whether all cells along `axis` are non-zero.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> bool(dt.all(dt.arange(3) > 1))
    False
    """
    return _reduced("all", x, axis, None, keepdims)


@implements(np.mean)
def mean(x: Any, axis: Axes = None, dtype: Any = None, *, keepdims: bool = False) -> Array:
    """Return the average of the cells along `axis`, as `numpy.mean`.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> float(dt.mean(dt.arange(5)))
    2.0
    """
    return _reduced("mean", x, axis, dtype, keepdims)


@implements(np.var)
def var(
    x: Any, axis: Axes = None, dtype: Any = None, *, ddof: float = 0, keepdims: bool = False
) -> Array:
    """Return the variance of the cells along `axis`, as `numpy.var`.

    Parameters
    ----------
    ddof
        Taken off the number of cells in the divisor.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> float(dt.var(dt.arange(5)))
    2.0
    """
    return _reduced("var", x, axis, dtype, keepdims, ddof)


@implements(np.std)
def std(
    x: Any, axis: Axes = None, dtype: Any = None, *, ddof: float = 0, keepdims: bool = False
) -> Array:
    """Return the standard deviation of the cells along `axis`, as `numpy.std`.

    Parameters
    ----------
    ddof
        Taken off the number of cells in the divisor.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> float(dt.std(dt.asarray([1.0, 3.0])))
    1.0
    """
    return _reduced("std", x, axis, dtype, keepdims, ddof)


@implements(np.argmin)
def argmin(x: Any, axis: int | None = None, *, keepdims: bool = False) -> Array:
    """Return the place of the least cell along `axis`, the first of equals; a NaN wins.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> int(dt.argmin(dt.asarray([3, 1, 1])))
    1
    """
    return _reduced("argmin", x, None if axis is None else index(axis), None, keepdims)


@implements(np.argmax)
def argmax(x: Any, axis: int | None = None, *, keepdims: bool = False) -> Array:
    """Return the place of the greatest cell along `axis`, the first of equals; a NaN wins.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> int(dt.argmax(dt.asarray([3, 1, 3])))
    0
    """
    return _reduced("argmax", x, None if axis is None else index(axis), None, keepdims)
