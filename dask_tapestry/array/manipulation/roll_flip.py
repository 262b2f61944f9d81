"""Cells moved along axes, and axes moved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dask_tapestry.array.core.array import Array
from dask_tapestry.array.core.convert import asarray
from dask_tapestry.array.core.dispatch import implements
from dask_tapestry.array.shape.reshape import flip, ravel, reshape, swapaxes, transpose
from dask_tapestry.errors import AxisError, ShapeError
from dask_tapestry.operators.axes import normalize_axis
from dask_tapestry.operators.roll import roll as roll_tensor

__all__ = ["fliplr", "flipud", "matrix_transpose", "roll", "rollaxis", "rot90"]


@implements(np.roll)
def roll(a: Any, shift: int | Sequence[int], axis: int | Sequence[int] | None = None) -> Array:
    """Move cells along axes; those that leave at one end come back at the other.

    Parameters
    ----------
    shift
        By how many places, of either sign; one, or one for each axis.
    axis
        Along which; an axis may be given several times. By default the flattened array is rolled.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.roll(dt.arange(5), 2).compute()
    array([3, 4, 0, 1, 2])
    """
    x = asarray(a)
    if axis is None:
        return reshape(roll(ravel(x), shift, 0), x.shape)
    axes = [normalize_axis(n, x.ndim) for n in np.atleast_1d(axis).tolist()]
    try:
        pairs = np.broadcast(shift, np.asarray(axes).reshape(np.shape(axis)))
    except ValueError as error:
        raise ShapeError(str(error)) from None
    if pairs.ndim > 1:
        raise ShapeError("'shift' and 'axis' should be scalars or 1D sequences")
    shifts: dict[int, int] = {}
    for places, number in pairs:
        shifts[int(number)] = shifts.get(int(number), 0) + int(places)
    return Array(roll_tensor(x.node, shifts))


@implements(np.rot90)
def rot90(m: Any, k: int = 1, axes: Sequence[int] = (0, 1)) -> Array:
    """Turn an array by `k` right angles in the plane of two axes, from the first to the second.

    Raises
    ------
    ShapeError
        If the axes are not two different ones of the array.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.rot90(dt.asarray([[1, 2], [3, 4]])).compute()
    array([[2, 4],
           [1, 3]])
    """
    x = asarray(m)
    first, second = _plane(axes, x.ndim)
    quarter = k % 4
    if quarter == 0:
        return x
    if quarter == 2:
        return flip(x, (first, second))
    if quarter == 1:
        return swapaxes(flip(x, second), first, second)
    return flip(swapaxes(x, first, second), second)


def _plane(axes: Sequence[int], ndim: int) -> tuple[int, int]:
    if len(axes) != 2:
        raise ShapeError("len(axes) must be 2.")
    if axes[0] == axes[1] or abs(axes[0] - axes[1]) == ndim:
        raise ShapeError("Axes must be different.")
    if any(not -ndim <= axis < ndim for axis in axes):
        raise ShapeError(f"Axes={tuple(axes)} out of range for array of ndim={ndim}.")
    return axes[0] % ndim, axes[1] % ndim


@implements(np.fliplr)
def fliplr(m: Any) -> Array:
    """Reverse the order of cells along the second axis.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.fliplr(dt.asarray([[1, 2]])).compute()
    array([[2, 1]])
    """
    x = asarray(m)
    if x.ndim < 2:
        raise ShapeError("Input must be >= 2-d.")
    return flip(x, 1)


@implements(np.flipud)
def flipud(m: Any) -> Array:
    """Reverse the order of cells along the first axis.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.flipud(dt.arange(3)).compute()
    array([2, 1, 0])
    """
    x = asarray(m)
    if x.ndim < 1:
        raise ShapeError("Input must be >= 1-d.")
    return flip(x, 0)


@implements(np.rollaxis)
def rollaxis(a: Any, axis: int, start: int = 0) -> Array:
    """Move an axis until it lies before the place `start`, as `numpy.rollaxis`.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.rollaxis(dt.ones((2, 3, 4)), 2).shape
    (4, 2, 3)
    """
    x = asarray(a)
    number = normalize_axis(axis, x.ndim)
    place = start + x.ndim if start < 0 else start
    if not 0 <= place <= x.ndim:
        raise AxisError(
            f"'start' arg requires {-x.ndim} <= start < {x.ndim + 1}, but {place} was passed in"
        )
    order = [n for n in range(x.ndim) if n != number]
    order.insert(place - (number < place), number)
    return transpose(x, order)


@implements(np.matrix_transpose)
def matrix_transpose(x: Any, /) -> Array:
    """Exchange the last two dimensions: `x` holds matrices there.

    Raises
    ------
    ShapeError
        For less than two dimensions.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.matrix_transpose(dt.ones((2, 3, 4))).shape
    (2, 4, 3)
    """
    array = asarray(x)
    if array.ndim < 2:
        raise ShapeError(f"Input array must be at least 2-dimensional, but it is {array.ndim}")
    return swapaxes(array, -1, -2)
