"""Arrays made from nothing: one value, or evenly spaced values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dask_tapestry.array.core.array import Array
from dask_tapestry.array.core.convert import asarray, with_chunks
from dask_tapestry.array.core.dispatch import implements
from dask_tapestry.array.core.dtypes import as_dtype
from dask_tapestry.array.core.shapes import Shape, known_order, only_cpu, shape_of
from dask_tapestry.errors import DTypeError
from dask_tapestry.operators.arange import arange as arange_tensor
from dask_tapestry.operators.broadcast import broadcast
from dask_tapestry.operators.elementwise import scalar_of
from dask_tapestry.operators.full import full as full_tensor
from dask_tapestry.operators.nominal_chunks import with_nominal_chunks
from dask_tapestry.teg.nominal import nominal_chunks

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
    order: str = "C",
    *,
    device: str | None = None,
    like: Any = None,  # noqa: ARG001
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
    order, device, like
        As NumPy's, without effect.
    chunks
        Nominal chunks, in any form that Dask takes; by default those of a canonical grid.
    dims
        Names of the dimensions.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.full((2, 2), 7).compute()
    array([[7, 7],
           [7, 7]])
    """
    known_order(order)
    only_cpu(device)
    sides = shape_of(shape)
    if isinstance(fill_value, Array) or np.ndim(fill_value):
        x = Array(broadcast(asarray(fill_value, dtype).node, sides))
    else:
        value = np.asarray(fill_value)
        kind = as_dtype(dtype if dtype is not None else value.dtype)
        scalar = fill_value if isinstance(fill_value, int | float | complex) else value.flat[0]
        if kind.kind in "US" and not kind.itemsize:
            kind = np.dtype(f"{kind.kind}1")  # as NumPy's arrays of no characters
        names = tuple(dims) if dims else None
        x = Array(full_tensor(sides, scalar_of(scalar, kind), names, kind))
    return with_chunks(x, chunks)


def zeros(shape: Shape, dtype: Any = float, order: str = "C", **options: Any) -> Array:
    """Return an array of zeros; see `full` for the options.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.zeros(3).compute()
    array([0., 0., 0.])
    """
    return full(shape, np.zeros((), as_dtype(dtype))[()], dtype, order, **options)


def ones(shape: Shape, dtype: Any = None, order: str = "C", **options: Any) -> Array:
    """Return an array of ones; see `full` for the options.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.ones(3, "int8").compute()
    array([1, 1, 1], dtype=int8)
    """
    return full(shape, np.ones((), as_dtype(dtype))[()], dtype, order, **options)


def empty(shape: Shape, dtype: Any = float, order: str = "C", **options: Any) -> Array:
    """Return an array whose cells have no promised value (zeros).

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.empty((2, 3)).shape
    (2, 3)
    """
    return zeros(shape, dtype, order, **options)


@implements(np.full_like)
def full_like(
    a: Any,
    fill_value: Any,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Shape | None = None,
    *,
    device: str | None = None,
    chunks: Any = None,
) -> Array:
    """Return an array of one value with the shape and dtype of `a`.

    Parameters
    ----------
    fill_value
        A scalar, or an array that broadcasts to the shape.
    dtype, shape
        Instead of those of `a`.
    order, subok, device
        As NumPy's, without effect.
    chunks
        Nominal chunks, in any form that Dask takes; by default those of `a`.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.full_like(dt.ones(2), 5).compute()
    array([5., 5.])
    """
    del subok
    like = asarray(a)
    sides = like.shape if shape is None else shape
    dims = like.dims if shape is None else None
    kind = like.dtype if dtype is None else dtype
    x = full(sides, fill_value, kind, order, device=device, chunks=chunks, dims=dims)
    alike = chunks is None and shape is None and any(one.said for one in nominal_chunks(like.node))
    return Array(with_nominal_chunks(x.node, like.nominal_cuts)) if alike else x


@implements(np.zeros_like)
def zeros_like(
    a: Any,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Shape | None = None,
    **options: Any,
) -> Array:
    """Return zeros with the shape and dtype of `a`; see `full_like` for the options.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.zeros_like(dt.ones(2)).compute()
    array([0., 0.])
    """
    return _like(np.zeros, a, dtype, order, subok, shape, options)


@implements(np.ones_like)
def ones_like(
    a: Any,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Shape | None = None,
    **options: Any,
) -> Array:
    """Return ones with the shape and dtype of `a`; see `full_like` for the options.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.ones_like(dt.zeros(2)).compute()
    array([1., 1.])
    """
    return _like(np.ones, a, dtype, order, subok, shape, options)


@implements(np.empty_like)
def empty_like(
    prototype: Any,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Shape | None = None,
    **options: Any,
) -> Array:
    """Return an array with the shape and dtype of `prototype` whose cells have no promised value.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.empty_like(dt.ones(2)).shape
    (2,)
    """
    return zeros_like(prototype, dtype, order, subok, shape, **options)


def _like(
    make: Any,
    a: Any,
    dtype: Any,
    order: str,
    subok: bool,
    shape: Shape | None,
    options: dict[str, Any],
) -> Array:
    like = asarray(a)
    kind = like.dtype if dtype is None else as_dtype(dtype)
    return full_like(like, make((), kind)[()], kind, order, subok, shape, **options)


def arange(
    start: Any = None,
    stop: Any = None,
    step: Any = None,
    dtype: Any = None,
    *,
    device: str | None = None,
    like: Any = None,  # noqa: ARG001
    chunks: Any = None,
) -> Array:
    """Return evenly spaced values in ``[start, stop)``, as `numpy.arange`.

    Parameters
    ----------
    start, stop, step
        With one argument it is `stop`.
    dtype
        By default NumPy's choice.
    device, like
        As NumPy's, without effect.
    chunks
        Nominal chunks, in any form that Dask takes; by default those of a canonical grid.

    Raises
    ------
    ZeroDivisionError
        For a step of zero.
    ShapeError
        If there would be too many values, or no number of them.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.arange(1, 7, 2).compute()
    array([1, 3, 5])
    """
    only_cpu(device)
    if stop is None:
        start, stop = None, start
    if stop is None:
        raise DTypeError("arange() requires stop to be specified.")
    kind = None if dtype is None else as_dtype(dtype)
    if kind is not None and kind.kind == "b":
        x = asarray(_truths(start or 0, stop, 1 if step is None else step))
    else:
        x = Array(arange_tensor(start, stop, step, kind))
    return with_chunks(x, chunks)


def _truths(start: Any, stop: Any, step: Any) -> np.ndarray[Any, Any]:
    """A range of truth values, of which there are two at most, as NumPy says."""
    count = arange_tensor(start, stop, step, None).type.shape[0]
    if count > 2:
        raise DTypeError(
            "arange() is only supported for booleans when the result has at most length 2."
        )
    return np.arange(start, stop, step, dtype=bool)
