"""Cells moved along axes: `roll`, `flip`, `rot90`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.amounts import integer, integers, reading
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.shape.reshaping import ravel, reshape
from dask_tapestry.arrays.shape.transposing import swapaxes
from dask_tapestry.errors import ShapeError
from dask_tapestry.operators.axes import Axes, normalize_axis
from dask_tapestry.operators.joins.roll import roll as roll_tensor
from dask_tapestry.operators.layouts.nominal_chunks import with_chunks_kept
from dask_tapestry.operators.views.reverse import reverse
from dask_tapestry.teg.nominal import nominal_chunks

__all__ = ["flip", "fliplr", "flipud", "roll", "rot90"]


@implements(np.flip)
def flip(m: ArrayLike, axis: Axes = None) -> Array:
    """Reverse the order of cells along axes, as `numpy.flip`.

    {Parameters}
        m: The array.
        axis: One or several; by default all.
    {Returns} Array: Shape and dtype of `m`.
    {Raises} AxisError: If an axis does not exist.
    {See Also} fliplr, flipud, rot90
    {Examples}
    >>> dt.flip(dt.arange(3)).compute()
    array([2, 1, 0])
    """
    return Array(reverse(asarray(m).node, axis))


@implements(np.fliplr)
def fliplr(m: ArrayLike) -> Array:
    """Reverse the order of cells along the second axis: left and right of a matrix.

    {Parameters} m: The array, of two dimensions at least.
    {Returns} Array: Shape and dtype of `m`.
    {Raises} ShapeError: For less than two dimensions.
    {See Also} flip
    {Examples}
    >>> dt.fliplr(dt.asarray([[1, 2]])).compute()
    array([[2, 1]])
    """
    x = asarray(m)
    if x.ndim < 2:
        raise ShapeError("Input must be >= 2-d.")
    return flip(x, 1)


@implements(np.flipud)
def flipud(m: ArrayLike) -> Array:
    """Reverse the order of cells along the first axis: up and down of a matrix.

    {Parameters} m: The array, of one dimension at least.
    {Returns} Array: Shape and dtype of `m`.
    {Raises} ShapeError: For an array without dimensions.
    {See Also} flip
    {Examples}
    >>> dt.flipud(dt.arange(3)).compute()
    array([2, 1, 0])
    """
    x = asarray(m)
    if x.ndim < 1:
        raise ShapeError("Input must be >= 1-d.")
    return flip(x, 0)


@implements(np.rot90)
def rot90(m: ArrayLike, k: int = 1, axes: Sequence[int] = (0, 1)) -> Array:
    """Turn an array by `k` right angles in the plane of two axes, as `numpy.rot90`.

    {Parameters}
        m: The array, of two dimensions at least.
        k: How many right angles; negative ones turn the other way.
        axes: The two axes; the turn is from the first to the second.
    {Returns} Array: Shape of `m`, with the two axes exchanged if `k` is odd.
    {Raises} ShapeError: If the axes are not two different ones of the array.
    {See Also} flip
    {Examples}
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
    """Two different axes as numbers from 0."""
    if len(axes := integers(axes, "axes")) != 2:
        raise ShapeError("len(axes) must be 2.")
    if axes[0] == axes[1] or abs(axes[0] - axes[1]) == ndim:
        raise ShapeError("Axes must be different.")
    if any(not -ndim <= axis < ndim for axis in axes):
        raise ShapeError(f"Axes={tuple(axes)} out of range for array of ndim={ndim}.")
    return axes[0] % ndim, axes[1] % ndim


@implements(np.roll)
def roll(a: ArrayLike, shift: ArrayLike, axis: int | Sequence[int] | None = None) -> Array:
    """Move cells along axes, as `numpy.roll`: those that leave at one end come back at the other.

    {Parameters}
        {a.array}
        shift: By how many places, of either sign; one, or one for each axis.
        axis: Along which; an axis may be given several times. By default the flattened array is
            rolled.
    {Returns} Array: Shape and dtype of `a`.
    {Raises}
        AxisError: If an axis does not exist.
        ShapeError: If there are not as many shifts as axes.
    {Examples}
    >>> dt.roll(dt.arange(5), 2).compute()
    array([3, 4, 0, 1, 2])
    """
    x = asarray(a)
    if axis is None:
        return reshape(roll(ravel(x), shift, 0), x.shape)
    with reading("axis"):
        axes = [normalize_axis(n, x.ndim) for n in np.atleast_1d(axis).tolist()]
    shifts = _shifts(shift, axes, None if isinstance(axis, int) else np.shape(axis))
    rolled = roll_tensor(x.node, shifts)
    return x if rolled is x.node else Array(with_chunks_kept(rolled, nominal_chunks(x.node)))


def _shifts(shift: Any, axes: Sequence[int], shape: tuple[int, ...] | None) -> dict[int, int]:
    """By how many places cells move along each of the axes, of a `shape`; None if one is given."""
    if shape is None and isinstance(shift, int):
        return {axes[0]: shift}
    try:
        pairs = np.broadcast(shift, np.asarray(axes).reshape(shape or ()))
    except ValueError as error:
        raise ShapeError(str(error)) from None
    if pairs.ndim > 1:
        raise ShapeError("'shift' and 'axis' should be scalars or 1D sequences")
    shifts: dict[int, int] = {}
    for places, number in pairs:
        shifts[int(number)] = shifts.get(int(number), 0) + integer(places)
    return shifts
