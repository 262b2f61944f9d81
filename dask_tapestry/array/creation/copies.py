"""Arrays of data, taken as they are or copied; an `Array` is a value, so a copy of it is itself."""

from __future__ import annotations

from typing import Any

import numpy as np

from dask_tapestry.array.core.array import Array
from dask_tapestry.array.core.convert import asarray
from dask_tapestry.array.core.dispatch import implements
from dask_tapestry.array.core.shapes import known_order
from dask_tapestry.array.shape.atleast import with_rank

__all__ = ["array", "asanyarray", "ascontiguousarray", "copy"]


def array(
    object: Any,
    dtype: Any = None,
    *,
    copy: bool | None = True,
    order: str | None = "K",
    subok: bool = False,
    ndmin: int = 0,
    like: Any = None,
) -> Array:
    """Return an array of data, which is copied now unless `copy` says otherwise, as `numpy.array`.

    Parameters
    ----------
    object
        NumPy data, nested sequences, a scalar, or an array of another library.
    dtype
        Convert to this dtype.
    copy
        Whether to copy a NumPy array, so that later writes to it are not seen.
    order, subok, like
        As NumPy's, without effect.
    ndmin
        How many dimensions there are at least; new ones come first.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.array([1, 2], ndmin=2).compute()
    array([[1, 2]])
    """
    del subok, like
    known_order(order)
    data = np.array(object) if copy and isinstance(object, np.ndarray) else object
    return with_rank(asarray(data, dtype), ndmin)


@implements(np.copy)
def copy(a: Any, order: str = "K", subok: bool = False) -> Array:
    """Return an array with the cells of `a`, which is copied now if it is NumPy's.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.copy(dt.arange(2)).compute()
    array([0, 1])
    """
    return array(a, order=order, subok=subok)


@implements(np.asanyarray)
def asanyarray(a: Any, dtype: Any = None, order: str | None = None, **ignored: Any) -> Array:
    """Return an array of data, as `asarray`.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.asanyarray([1, 2]).shape
    (2,)
    """
    known_order(order)
    _only_numpys(ignored)
    return asarray(a, dtype)


@implements(np.ascontiguousarray)
def ascontiguousarray(a: Any, dtype: Any = None, *, like: Any = None) -> Array:
    """Return an array of data with one dimension at least, as `numpy.ascontiguousarray`.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.ascontiguousarray(5).shape
    (1,)
    """
    del like
    return with_rank(asarray(a, dtype), 1)


def _only_numpys(options: dict[str, Any]) -> None:
    unknown = set(options) - {"device", "copy", "like"}
    if unknown:
        raise TypeError(f"asanyarray has no arguments {sorted(unknown)}")
