"""Measurements of labelled regions: sums, means, variances, medians, centres of mass."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.manipulation.stacking import stack
from dask_tapestry.arrays.ndimage.regions import Regions

__all__ = [
    "center_of_mass",
    "mean",
    "median",
    "standard_deviation",
    "sum_labels",
    "variance",
]


def sum_labels(input: ArrayLike, labels: ArrayLike | None = None, index: Any = None) -> Array:
    """Sums of the cells of labelled regions, as `scipy.ndimage.sum_labels`.

    Each cell is read once, however many regions there are. Sums have the same bits for every
    sharding.

    {Parameters}
        input: The cells; numbers.
        labels: Of the cells, of a shape that broadcasts with theirs. By default all are one region.
        index: The labels to measure: one, or an array of any shape, which is known now. By default
            all labels above 0 are one region.
    {Returns} Array: Shape of `index`. Of an array of labels float64, or complex128; of one region
        what `sum` gives. 0 where a label does not occur.
    {Raises}
        ArgumentTypeError: If `index` is no numbers.
        DTypeError: If cells are no numbers, or `index` would have to be computed.
        ShapeError: If cells and labels cannot be broadcast.
    {Examples}
    >>> cells, labels = dt.asarray([[1, 5, 2], [7, 0, 3]]), [[1, 1, 2], [0, 2, 2]]
    >>> dt.ndimage.sum_labels(cells, labels, [2, 1, 7]).compute()
    array([5., 6., 0.])
    >>> int(dt.ndimage.sum_labels(cells, labels))
    11
    """
    return _sums(Regions.of("sum_labels", input, labels, index))


def _sums(regions: Regions, cells: Array | None = None) -> Array:
    x = regions.cells if cells is None else cells
    dtype = None if regions.is_one else np.result_type(x.dtype, np.float64)
    return regions.reduce("sum", x, dtype=dtype)


def mean(input: ArrayLike, labels: ArrayLike | None = None, index: Any = None) -> Array:
    """Means of the cells of labelled regions, as `scipy.ndimage.mean`.

    {Parameters} input, labels, index: As of `sum_labels`.
    {Returns} Array: Shape of `index`; float64 or complex128. NaN where a label does not occur.
    {Raises} ArgumentTypeError, DTypeError, ShapeError: As `sum_labels` does.
    {Examples}
    >>> dt.ndimage.mean(dt.asarray([1, 5, 2, 7]), [1, 1, 2, 0], [1, 2]).compute()
    array([3., 2.])
    """
    regions = Regions.of("mean", input, labels, index)
    return regions.reduce("mean", dtype=np.result_type(regions.cells.dtype, np.float64))


def variance(input: ArrayLike, labels: ArrayLike | None = None, index: Any = None) -> Array:
    """Variances of the cells of labelled regions, as `scipy.ndimage.variance`.

    {Parameters} input, labels, index: As of `sum_labels`.
    {Returns} Array: Shape of `index`; float64. NaN where a label does not occur.
    {Raises} ArgumentTypeError, DTypeError, ShapeError: As `sum_labels` does.
    {Examples}
    >>> dt.ndimage.variance(dt.asarray([1, 5, 2, 7]), [1, 1, 2, 0], [1, 2]).compute()
    array([4., 0.])
    """
    return Regions.of("variance", input, labels, index).reduce("var", dtype=np.float64)


def standard_deviation(
    input: ArrayLike, labels: ArrayLike | None = None, index: Any = None
) -> Array:
    """Standard deviations of labelled regions, as `scipy.ndimage.standard_deviation`.

    {Parameters} input, labels, index: As of `sum_labels`.
    {Returns} Array: Shape of `index`; float64. NaN where a label does not occur.
    {Raises} ArgumentTypeError, DTypeError, ShapeError: As `sum_labels` does.
    {Examples}
    >>> dt.ndimage.standard_deviation(dt.asarray([1, 5, 2, 7]), [1, 1, 2, 0], [1, 2]).compute()
    array([2., 0.])
    """
    return Regions.of("standard_deviation", input, labels, index).reduce("std", dtype=np.float64)


def median(input: ArrayLike, labels: ArrayLike | None = None, index: Any = None) -> Array:
    """Medians of the cells of labelled regions, as `scipy.ndimage.median`.

    {Parameters} input, labels, index: As of `sum_labels`.
    {Returns} Array: Shape of `index`; of integers float64. NaN where a label does not occur; SciPy
        gives the cell of another region there.
    {Raises} ArgumentTypeError, DTypeError, ShapeError: As `sum_labels` does.
    {Examples}
    >>> dt.ndimage.median(dt.asarray([1, 5, 2, 7, 9]), [1, 1, 2, 0, 1], [1, 2]).compute()
    array([5., 2.])
    """
    return Regions.of("median", input, labels, index).reduce("median")


def center_of_mass(input: ArrayLike, labels: ArrayLike | None = None, index: Any = None) -> Array:
    """Centres of mass of labelled regions, as `scipy.ndimage.center_of_mass`.

    {Parameters} input, labels, index: As of `sum_labels`.
    {Returns} Array: Shape of `index`, then an axis with the coordinates; float64 or complex128.
        SciPy returns tuples. NaN where a label does not occur.
    {Raises} ArgumentTypeError, DTypeError, ShapeError: As `sum_labels` does.
    {Examples}
    >>> dt.ndimage.center_of_mass(dt.asarray([[0, 1], [0, 3]])).compute()
    array([0.75, 1.  ])
    """
    regions = Regions.of("center_of_mass", input, labels, index)
    x, shape = regions.cells, regions.cells.shape
    mass = _sums(regions)
    found = []
    for axis, extent in enumerate(shape):
        line = asarray(np.arange(extent, dtype=np.float64).reshape(-1, *(1,) * (x.ndim - axis - 1)))
        found.append(_sums(regions, x * line) / mass)
    return stack(found, axis=-1) if found else asarray(np.empty((*regions.places.shape, 0)))
