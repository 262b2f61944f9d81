"""Weighted averages of masked arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.arrays.core.declared_arguments import checked_as
from dask_tapestry.arrays.core.dtypes import promoted
from dask_tapestry.arrays.ma import masked_array as class_module
from dask_tapestry.arrays.ma.mask_creation import asarray
from dask_tapestry.arrays.ma.masked_array import MaskedArray
from dask_tapestry.arrays.ma.parts import call, combined_mask
from dask_tapestry.arrays.ma.reductions import quotient
from dask_tapestry.arrays.shape import broadcast_to
from dask_tapestry.errors import DTypeError, ShapeError
from dask_tapestry.operators.axes import Axes, each_axis, normalize_axes, normalize_axis

__all__ = ["average"]


@checked_as(np.ma.average)
def average(
    a: ArrayLike | MaskedArray,
    axis: Axes = None,
    weights: ArrayLike | MaskedArray | None = None,
    returned: bool = False,
    keepdims: bool = False,
) -> Any:
    """Average cells along `axis` by weights; hidden cells, and hidden weights, take no part.

    {Parameters}
        {a.array, axis.all}
        weights: Of the shape of `a`, or of its `axis`; by default all the same.
        returned: Whether to return the sums of the weights too.
        {keepdims}
    {Returns} MaskedArray or tuple of MaskedArray: The averages, and the sums of weights.
    {Raises}
        DTypeError: If the weights have another shape, and no axis is given.
        ShapeError: If their shape is not that of the axes.
    {See Also} numpy.ma.average
    {Examples}
    >>> x = dt.ma.masked_array([1.0, 2.0, 4.0], [0, 0, 1])
    >>> float(dt.ma.average(x, weights=[3, 1, 0]))
    1.25
    """
    x = asarray(a)
    for one in () if axis is None else each_axis(axis):
        normalize_axis(one, x.ndim)  # a cell has none here, though sums take its first one
    if weights is None:
        mean = x.mean(axis, keepdims=keepdims)
        scale = asarray(x.count(axis, keepdims)).astype(mean.dtype)
    else:
        heavy = _weights(x, axis, asarray(weights))
        is_whole = x.dtype.kind in "biu"
        dtype = promoted(x.dtype, heavy.dtype, *["f8"] * is_whole)
        if x.hidden is not None:
            heavy = heavy * call("logical_not", x.hidden)
            heavy = MaskedArray(heavy.cells, combined_mask(heavy.hidden, x.hidden))
        scale = heavy.sum(axis, dtype, keepdims=keepdims)
        product: MaskedArray = x._call("multiply", (x, heavy), dtype=dtype)
        total = product.sum(axis, keepdims=keepdims)
        mean = quotient(total, scale)
    if not returned:
        return mean
    return mean, scale._both(broadcast_to, mean.shape) if scale.shape != mean.shape else scale


def _weights(x: MaskedArray, axis: Axes, weights: MaskedArray) -> MaskedArray:
    """Weights that broadcast to `x`, given for all its cells or along `axis`."""
    if weights.shape == x.shape:
        return weights
    if axis is None:
        raise DTypeError("Axis must be specified when shapes of a and weights differ.")
    axes = normalize_axes(axis, x.ndim)
    given = [axis] if isinstance(axis, int) else list(axis)
    order = [n % x.ndim for n in given]
    if weights.shape != tuple(x.shape[n] for n in order):
        raise ShapeError(
            "Shape of weights must be consistent with shape of a along specified axis."
        )
    sides = tuple(side if n in axes else 1 for n, side in enumerate(x.shape))
    return weights.transpose(*np.argsort(order).tolist()).reshape(sides)


class_module.FUNCTIONS["average"] = average
