"""Rank and shape of anything that holds an array, as functions: nothing is computed."""

from __future__ import annotations

from math import prod

from numpy.typing import ArrayLike

from dask_tapestry.arrays.core.axis_names import names_axes
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.operators.axes import Axes, normalize_axes

__all__ = ["ndim", "shape", "size"]


def ndim(a: ArrayLike) -> int:
    """Return the number of dimensions, as `numpy.ndim`.

    {Parameters} {a.array}
    {Returns} int: Zero for a scalar.
    {Examples}
    >>> dt.ndim(dt.ones((2, 3))), dt.ndim(5)
    (2, 0)
    """
    return asarray(a).ndim


def shape(a: ArrayLike) -> tuple[int, ...]:
    """Return the length of each dimension, as `numpy.shape`.

    {Parameters} {a.array}
    {Returns} tuple of int: Empty for a scalar.
    {Examples}
    >>> dt.shape(dt.ones((2, 3))), dt.shape([5])
    ((2, 3), (1,))
    """
    return asarray(a).shape


@names_axes
def size(a: ArrayLike, axis: Axes = None) -> int:
    """Return the number of cells, as `numpy.size`.

    {Parameters}
        {a.array}
        axis: Axis or axes along which cells are counted; None for all.
    {Returns} int: 1 for a scalar.
    {Examples}
    >>> dt.size(dt.ones((2, 3))), dt.size(dt.ones((2, 3)), axis=1)
    (6, 3)
    """
    extents = asarray(a).shape
    return prod(extents[d] for d in normalize_axes(axis, len(extents)))
