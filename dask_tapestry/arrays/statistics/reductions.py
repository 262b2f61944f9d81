"""Reductions of cells along axes: `sum`, `prod`, `any`, `all`, and counts.

Their value is the same for every sharding: cells are folded in the order of the reduction tree.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.core.reduction_arguments import NOT_GIVEN, folded
from dask_tapestry.arrays.core.selected_cells import cell_by_cell
from dask_tapestry.arrays.masks.boolean_mask import not_zero
from dask_tapestry.operators.axes import Axes

__all__ = ["all", "any", "count_nonzero", "prod", "sum"]


@implements(np.sum)
def sum(
    a: ArrayLike,
    axis: Axes = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
    keepdims: bool = False,
    initial: ArrayLike | None = NOT_GIVEN,
    where: ArrayLike = NOT_GIVEN,
) -> Array:
    """Add the cells along `axis`, as `numpy.sum`.

    The value is bit for bit the same for every sharding, scheduler and number of workers.

    {Parameters}
        {a, axis, dtype.sum, out, keepdims}
        initial: Number that is added to the sum.
        {where}
    {Returns} Array: Shape of `a` without the reduced axes, of dtype `dtype`.
    {Raises}
        AxisError, ShapeError: If an axis is out of bounds or given twice.
        DTypeError: If cells of this dtype cannot be added.
    {See Also} nansum, cumsum, mean, prod
    {Examples}
    >>> dt.sum(dt.ones((2, 3)), axis=1).compute()
    array([3., 3.])
    """
    return folded(
        "sum", a, axis, dtype=dtype, out=out, keepdims=keepdims, initial=initial, where=where
    )


@implements(np.prod)
def prod(
    a: ArrayLike,
    axis: Axes = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
    keepdims: bool = False,
    initial: ArrayLike | None = NOT_GIVEN,
    where: ArrayLike = NOT_GIVEN,
) -> Array:
    """Multiply the cells along `axis`, as `numpy.prod`.

    Cells that overflow among themselves beside a zero give NaN (zero times infinity), where NumPy,
    which goes cell by cell, has zero if the zero is before them.

    {Parameters}
        {a, axis, dtype.product, out, keepdims}
        initial: Number that the product is multiplied by.
        {where}
    {Returns} Array: Shape of `a` without the reduced axes, of dtype `dtype`.
    {Raises}
        AxisError, ShapeError: If an axis is out of bounds or given twice.
        DTypeError: If cells of this dtype cannot be multiplied.
    {See Also} nanprod, cumprod, sum
    {Examples}
    >>> int(dt.prod(dt.arange(1, 5)))
    24
    """
    return folded(
        "prod", a, axis, dtype=dtype, out=out, keepdims=keepdims, initial=initial, where=where
    )


@implements(np.any)
def any(
    a: ArrayLike,
    axis: Axes = None,
    out: Array | None = None,
    keepdims: bool = False,
    *,
    where: ArrayLike = NOT_GIVEN,
) -> Array:
    """Return whether any cell along `axis` is non-zero, as `numpy.any`.

    {Parameters} {a, axis, out, keepdims, where}
    {Returns} Array: Shape of `a` without the reduced axes, of bools; False where no cell takes
        part.
    {See Also} all, count_nonzero
    {Examples}
    >>> bool(dt.any(dt.arange(3) > 1))
    True
    """
    return folded("any", a, axis, out=out, keepdims=keepdims, where=where)


@implements(np.all)
def all(
    a: ArrayLike,
    axis: Axes = None,
    out: Array | None = None,
    keepdims: bool = False,
    *,
    where: ArrayLike = NOT_GIVEN,
) -> Array:
    """Return whether all cells along `axis` are non-zero, as `numpy.all`.

    {Parameters} {a, axis, out, keepdims, where}
    {Returns} Array: Shape of `a` without the reduced axes, of bools; True where no cell takes part.
    {See Also} any, count_nonzero
    {Examples}
    >>> bool(dt.all(dt.arange(3) > 1))
    False
    """
    return folded("all", a, axis, out=out, keepdims=keepdims, where=where)


@implements(np.count_nonzero)
def count_nonzero(a: ArrayLike, axis: Axes = None, *, keepdims: bool = False) -> Array:
    """Count the non-zero cells along `axis`, as `numpy.count_nonzero`.

    {Parameters} {a, axis, keepdims}
    {Returns} Array: Shape of `a` without the reduced axes, of dtype intp.
    {See Also} any, flatnonzero
    {Examples}
    >>> int(dt.count_nonzero(dt.asarray([0, 5, 0, 1])))
    2
    """
    truths = cell_by_cell(not_zero, asarray(a))
    return folded("sum", truths, axis, dtype=np.intp, keepdims=keepdims)
