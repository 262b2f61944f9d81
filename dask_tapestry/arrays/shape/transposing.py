"""Dimensions in another order: `transpose`, `moveaxis`, `swapaxes` and the like."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.amounts import integer
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.axis_names import names_axes
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.core.parts import part
from dask_tapestry.errors import AxisError, ShapeError
from dask_tapestry.operators.axes import normalize_axes, normalize_axis
from dask_tapestry.operators.views.permute import permute

__all__ = ["matrix_transpose", "moveaxis", "permute_dims", "rollaxis", "swapaxes", "transpose"]


@implements(np.transpose)
def transpose(a: ArrayLike, axes: Sequence[int] | None = None) -> Array:
    """Reorder dimensions, by default reverse them, as `numpy.transpose`.

    {Parameters}
        {a.array}
        axes: The dimension of `a` for each one of the result.
    {Returns} Array: The same cells; dimension i is dimension ``axes[i]`` of `a`.
    {Raises} ShapeError: If `axes` does not name each dimension once.
    {See Also} moveaxis, swapaxes
    {Examples}
    >>> dt.transpose(dt.ones((2, 3, 4))).shape
    (4, 3, 2)
    """
    return part(permute(asarray(a).node, axes))


@names_axes
def permute_dims(a: ArrayLike, axes: Sequence[int]) -> Array:
    """Reorder dimensions: the Array API's name of `transpose`.

    {Parameters}
        {a.array}
        axes: The dimension of `a` for each one of the result.
    {Returns} Array: The same cells; dimension i is dimension ``axes[i]`` of `a`.
    {Raises} ShapeError: If `axes` does not name each dimension once.
    {Examples}
    >>> dt.permute_dims(dt.ones((2, 3, 4)), (1, 0, 2)).shape
    (3, 2, 4)
    """
    return transpose(a, axes)


@implements(np.moveaxis)
def moveaxis(a: ArrayLike, source: int | Sequence[int], destination: int | Sequence[int]) -> Array:
    """Move dimensions to other places; the others keep their order, as `numpy.moveaxis`.

    {Parameters}
        {a.array}
        source: The dimensions to move, one or several.
        destination: Their places in the result.
    {Returns} Array: The same cells, with dimensions in the new order.
    {Raises}
        ShapeError: If there are not as many sources as destinations, or one is named twice.
        AxisError: If a dimension does not exist.
    {See Also} transpose, swapaxes
    {Examples}
    >>> dt.moveaxis(dt.ones((2, 3, 4)), 0, -1).shape
    (3, 4, 2)
    """
    array = asarray(a)
    sources = _in_order(source, array.ndim, "source")
    places = _in_order(destination, array.ndim, "destination")
    if len(sources) != len(places):
        raise ShapeError("`source` and `destination` must have the same number of elements")
    order = [axis for axis in range(array.ndim) if axis not in sources]
    for place, axis in sorted(zip(places, sources, strict=True)):
        order.insert(place, axis)
    return transpose(array, order)


def _in_order(axes: int | Sequence[int], ndim: int, name: str) -> list[int]:
    """Axes as distinct numbers from 0, in the order given."""
    given = list(axes) if isinstance(axes, Sequence) else [axes]
    normalize_axes(given, ndim, name)
    return [normalize_axis(axis, ndim, name) for axis in given]


@implements(np.swapaxes)
def swapaxes(a: ArrayLike, axis1: int, axis2: int) -> Array:
    """Exchange two dimensions, as `numpy.swapaxes`.

    {Parameters}
        {a.array}
        axis1, axis2: The dimensions.
    {Returns} Array: The same cells, with the two dimensions exchanged.
    {Raises} AxisError: If a dimension does not exist.
    {See Also} transpose, moveaxis
    {Examples}
    >>> dt.swapaxes(dt.ones((2, 3, 4)), 0, 2).shape
    (4, 3, 2)
    """
    array = asarray(a)
    first, second = (normalize_axis(axis, array.ndim) for axis in (axis1, axis2))
    order = list(range(array.ndim))
    order[first], order[second] = order[second], order[first]
    return transpose(array, order)


@implements(np.rollaxis)
def rollaxis(a: ArrayLike, axis: int, start: int = 0) -> Array:
    """Move a dimension until it lies before the place `start`, as `numpy.rollaxis`.

    {Parameters}
        {a.array}
        axis: The dimension to move.
        start: The dimension of `a` before which it comes to lie; ``a.ndim`` moves it to the end.
    {Returns} Array: The same cells, with dimensions in the new order.
    {Raises} AxisError: If there is no such dimension or place.
    {See Also} moveaxis : names the place in the result.
    {Examples}
    >>> dt.rollaxis(dt.ones((2, 3, 4)), 2).shape
    (4, 2, 3)
    """
    x = asarray(a)
    number = normalize_axis(axis, x.ndim)
    position = start + x.ndim if integer(start) < 0 else start
    if not 0 <= position <= x.ndim:
        raise AxisError(
            f"'start' arg requires {-x.ndim} <= start < {x.ndim + 1}, but {position} was passed in"
        )
    order = [n for n in range(x.ndim) if n != number]
    order.insert(position - (number < position), number)
    return transpose(x, order)


@implements(np.matrix_transpose)
def matrix_transpose(x: ArrayLike, /) -> Array:
    """Exchange the last two dimensions, the rows and columns of matrices.

    {Parameters} x: Matrices, of shape (..., m, n).
    {Returns} Array: Shape (..., n, m).
    {Raises} ShapeError: For less than two dimensions.
    {See Also} swapaxes
    {Examples}
    >>> dt.matrix_transpose(dt.ones((2, 3, 4))).shape
    (2, 4, 3)
    """
    array = asarray(x)
    if array.ndim < 2:
        raise ShapeError(f"Input array must be at least 2-dimensional, but it is {array.ndim}")
    return swapaxes(array, -1, -2)
