"""Extremes of labelled regions, and where they lie."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.ndimage.regions import Regions

__all__ = [
    "extrema",
    "maximum",
    "maximum_position",
    "minimum",
    "minimum_position",
]


def minimum(input: ArrayLike, labels: ArrayLike | None = None, index: Any = None) -> Array:
    """The least cells of labelled regions, as `scipy.ndimage.minimum`.

    {Parameters} input, labels, index: As of `sum_labels`.
    {Returns} Array: Shape of `index`, dtype of `input`. 0 where a label does not occur; SciPy
        raises where that is the only one.
    {Raises} ArgumentTypeError, DTypeError, ShapeError: As `sum_labels` does.
    {Examples}
    >>> dt.ndimage.minimum(dt.asarray([1, 5, 2, 7]), [1, 1, 2, 0], [1, 2]).compute()
    array([1, 2])
    """
    return Regions.of("minimum", input, labels, index).extreme("min")


def maximum(input: ArrayLike, labels: ArrayLike | None = None, index: Any = None) -> Array:
    """The greatest cells of labelled regions, as `scipy.ndimage.maximum`.

    {Parameters} input, labels, index: As of `sum_labels`.
    {Returns} Array: Shape of `index`, dtype of `input`. 0 where a label does not occur.
    {Raises} ArgumentTypeError, DTypeError, ShapeError: As `sum_labels` does.
    {Examples}
    >>> dt.ndimage.maximum(dt.asarray([1, 5, 2, 7]), [1, 1, 2, 0], [1, 2]).compute()
    array([5, 2])
    """
    return Regions.of("maximum", input, labels, index).extreme("max")


def minimum_position(input: ArrayLike, labels: ArrayLike | None = None, index: Any = None) -> Array:
    """Where the least cells of labelled regions lie, as `scipy.ndimage.minimum_position`.

    {Parameters} input, labels, index: As of `sum_labels`.
    {Returns} Array: Shape of `index`, then an axis with the coordinates of the first such cell;
        int64. SciPy returns tuples. 0 where a label does not occur.
    {Raises} ArgumentTypeError, DTypeError, ShapeError: As `sum_labels` does.
    {Examples}
    >>> dt.ndimage.minimum_position(dt.asarray([[1, 5], [2, 0]])).compute()
    array([1, 1])
    """
    return Regions.of("minimum_position", input, labels, index).positions("argmin")


def maximum_position(input: ArrayLike, labels: ArrayLike | None = None, index: Any = None) -> Array:
    """Where the greatest cells of labelled regions lie, as `scipy.ndimage.maximum_position`.

    {Parameters} input, labels, index: As of `sum_labels`.
    {Returns} Array: As of `minimum_position`.
    {Raises} ArgumentTypeError, DTypeError, ShapeError: As `sum_labels` does.
    {Examples}
    >>> dt.ndimage.maximum_position(dt.asarray([[1, 5], [2, 0]])).compute()
    array([0, 1])
    """
    return Regions.of("maximum_position", input, labels, index).positions("argmax")


def extrema(
    input: ArrayLike, labels: ArrayLike | None = None, index: Any = None
) -> tuple[Array, Array, Array, Array]:
    """Extremes of labelled regions and where they lie, as `scipy.ndimage.extrema`.

    {Parameters} input, labels, index: As of `sum_labels`.
    {Returns} minima, maxima, positions of minima, positions of maxima : Array: As `minimum`,
        `maximum`, `minimum_position` and `maximum_position` give them.
    {Raises} ArgumentTypeError, DTypeError, ShapeError: As `sum_labels` does.
    {Examples}
    >>> least, greatest, *_ = dt.ndimage.extrema(dt.asarray([[1, 5], [2, 0]]))
    >>> dt.compute(least, greatest)
    (np.int64(0), np.int64(5))
    """
    x = Regions.of("extrema", input, labels, index)
    values = x.extreme("min"), x.extreme("max")
    return *values, x.positions("argmin"), x.positions("argmax")
