"""Arrays made from nothing: one value, or evenly spaced values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dask_tapestry.array.array import Array
from dask_tapestry.array.convert import asarray, rechunk
from dask_tapestry.array.dispatch import implements
from dask_tapestry.array.dtypes import as_dtype
from dask_tapestry.array.shapes import Shape, shape_of
from dask_tapestry.operators.arange import arange as arange_tensor
from dask_tapestry.operators.broadcast import broadcast
from dask_tapestry.operators.elementwise import scalar_of
from dask_tapestry.operators.full import full as full_tensor

__all__ = [
    "arange",
    "empty",
    "empty_like",
    "full",
    "full_like",
    "ones",
    "ones_like",
    "zeros",
    "zeros_like",
]


def full(
    shape: Shape,
    fill_value: Any,
    dtype: Any = None,
    *,
    chunks: Any = None,
    dims: Sequence[str | None] | None = None,
) -> Array:
    """Return an array of one value; it takes no memory.

    Parameters
    ----------
    shape
        Its shape.
    fill_value
        A scalar, or an array that broadcasts to the shape.
    dtype
        By default the value's.
    chunks
        A constraint on the layout; by default the plan decides.
    dims
        Names of the dimensions.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.full((2, 2), 7).compute()
    array([[7, 7],
           [7, 7]])
    """
    sides = shape_of(shape)
    if isinstance(fill_value, Array) or np.ndim(fill_value):
        x = Array(broadcast(asarray(fill_value, dtype).node, sides))
    else:
        value = np.asarray(fill_value)
        kind = as_dtype(dtype if dtype is not None else value.dtype)
        scalar = fill_value if isinstance(fill_value, int | float | complex) else value.flat[0]
        x = Array(full_tensor(sides, scalar_of(scalar, kind), tuple(dims) if dims else None))
    return x if chunks is None else rechunk(x, chunks)


def zeros(shape: Shape, dtype: Any = float, **options: Any) -> Array:
    """Return an array of zeros; see `full` for the options.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.zeros(3).compute()
    array([0., 0., 0.])
    """
    return full(shape, np.zeros((), as_dtype(dtype))[()], dtype, **options)


def ones(shape: Shape, dtype: Any = float, **options: Any) -> Array:
    """Return an array of ones; see `full` for the options.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.ones(3, "int8").compute()
    array([1, 1, 1], dtype=int8)
    """
    return full(shape, np.ones((), as_dtype(dtype))[()], dtype, **options)


def empty(shape: Shape, dtype: Any = float, **options: Any) -> Array:
    """Return an array whose cells have no promised value (zeros).

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.empty((2, 3)).shape
    (2, 3)
    """
    return zeros(shape, dtype, **options)


@implements(np.full_like)
def full_like(x: Any, fill_value: Any, dtype: Any = None, shape: Shape | None = None) -> Array:
    """Return an array of one value with the shape and dtype of `x`.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.full_like(dt.ones(2), 5).compute()
    array([5., 5.])
    """
    like = asarray(x)
    return full(like.shape if shape is None else shape, fill_value, dtype or like.dtype)


@implements(np.zeros_like)
def zeros_like(x: Any, dtype: Any = None, shape: Shape | None = None) -> Array:
    """Return zeros with the shape and dtype of `x`.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.zeros_like(dt.ones(2)).compute()
    array([0., 0.])
    """
    like = asarray(x)
    return zeros(like.shape if shape is None else shape, dtype or like.dtype)


@implements(np.ones_like)
def ones_like(x: Any, dtype: Any = None, shape: Shape | None = None) -> Array:
    """Return ones with the shape and dtype of `x`.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.ones_like(dt.zeros(2)).compute()
    array([1., 1.])
    """
    like = asarray(x)
    return ones(like.shape if shape is None else shape, dtype or like.dtype)


@implements(np.empty_like)
def empty_like(x: Any, dtype: Any = None, shape: Shape | None = None) -> Array:
    """Return an array with the shape and dtype of `x` whose cells have no promised value.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.empty_like(dt.ones(2)).shape
    (2,)
    """
    return zeros_like(x, dtype, shape)


def arange(
    start: Any, stop: Any = None, step: Any = 1, dtype: Any = None, *, chunks: Any = None
) -> Array:
    """Return evenly spaced values in ``[start, stop)``, as `numpy.arange`.

    Parameters
    ----------
    start, stop, step
        With one argument it is `stop`.
    dtype
        By default NumPy's choice.
    chunks
        A constraint on the layout; by default the plan decides.

    Raises
    ------
    ZeroDivisionError
        For a step of zero.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.arange(1, 7, 2).compute()
    array([1, 3, 5])
    """
    kind = None if dtype is None else as_dtype(dtype)
    x = Array(arange_tensor(start, stop, step, kind))
    return x if chunks is None else rechunk(x, chunks)
