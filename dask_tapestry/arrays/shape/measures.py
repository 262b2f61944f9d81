"""Rank and shape of anything that holds an array, as functions: nothing is computed."""

from __future__ import annotations

from numpy.typing import ArrayLike

from dask_tapestry.arrays.core.convert import asarray

__all__ = ["ndim", "shape"]


def ndim(a: ArrayLike) -> int:
    """Return the number of dimensions, as `numpy.ndim`.

    {Parameters} a: The array.
    {Returns} int: Zero for a scalar.
    {Examples}
    >>> dt.ndim(dt.ones((2, 3))), dt.ndim(5)
    (2, 0)
    """
    return asarray(a).ndim


def shape(a: ArrayLike) -> tuple[int, ...]:
    """Return the length of each dimension, as `numpy.shape`.

    {Parameters} a: The array.
    {Returns} tuple of int: Empty for a scalar.
    {Examples}
    >>> dt.shape(dt.ones((2, 3))), dt.shape([5])
    ((2, 3), (1,))
    """
    return asarray(a).shape
