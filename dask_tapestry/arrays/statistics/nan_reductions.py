"""Reductions that leave NaN out: `nansum`, `nanmax`, `nanargmin` and others.

A slice that holds only NaN has the value that NumPy gives it. NumPy warns about it too; here the
warning would come when the value is computed, far from the line that asked for it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.core.out_argument import assigned_to_out
from dask_tapestry.arrays.core.reduction_arguments import (
    NOT_GIVEN,
    fold_axes,
    folded,
    placed,
)
from dask_tapestry.arrays.core.selected_cells import cell_by_cell
from dask_tapestry.arrays.statistics.reductions import prod, sum
from dask_tapestry.operators.axes import Axes, normalize_axes
from dask_tapestry.operators.cells.elementwise import astype, elementwise, scalar_of
from dask_tapestry.operators.cells.where import where as choose
from dask_tapestry.teg import Tensor

__all__ = ["nanargmax", "nanargmin", "nanmax", "nanmin", "nanprod", "nansum"]


def not_nan(a: ArrayLike) -> tuple[Array, Array | None]:
    """The array, and a mask of its cells that are not NaN; None for dtypes without NaN."""
    x = asarray(a)
    nan = _is_nan(x.node)
    return x, None if nan is None else Array(elementwise("logical_not", nan))


def nan_filled(a: ArrayLike, value: float) -> Array:
    """The array with `value` in place of NaN."""
    x = asarray(a)
    if x.dtype.kind not in "fcO":
        return x
    is_whole = x.dtype.kind == "O" and float(value).is_integer()  # as NumPy fills among objects
    filling = scalar_of(int(value) if is_whole else value, x.dtype)

    def filled(cells: Tensor) -> Tensor:
        nan = _is_nan(cells)
        assert nan is not None
        return choose(nan, filling, cells)

    return cell_by_cell(filled, x)


def _is_nan(x: Tensor) -> Tensor | None:
    """Where cells are NaN: of Python objects those that do not equal themselves."""
    kind = x.type.dtype.kind
    if kind == "O":
        return astype(elementwise("not_equal", x, x), np.dtype(bool))
    return elementwise("isnan", x) if kind in "fc" else None


@implements(np.nansum)
def nansum(
    a: ArrayLike,
    axis: Axes = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
    keepdims: bool = False,
    initial: ArrayLike | None = NOT_GIVEN,
    where: ArrayLike = NOT_GIVEN,
) -> Array:
    """Add the cells along `axis` with NaN as zero, as `numpy.nansum`.

    {Parameters}
        {a, axis, dtype.sum, out, keepdims}
        initial: Number that is added to the sum.
        {where}
    {Returns} Array: Shape of `a` without the reduced axes, of dtype `dtype`.
    {See Also} sum, nanmean, nancumsum
    {Examples}
    >>> float(dt.nansum(dt.asarray([1.0, dt.nan, 2.0])))
    3.0
    """
    return sum(nan_filled(a, 0.0), axis, dtype, out, keepdims, initial, where)


@implements(np.nanprod)
def nanprod(
    a: ArrayLike,
    axis: Axes = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
    keepdims: bool = False,
    initial: ArrayLike | None = NOT_GIVEN,
    where: ArrayLike = NOT_GIVEN,
) -> Array:
    """Multiply the cells along `axis` with NaN as one, as `numpy.nanprod`.

    {Parameters}
        {a, axis, dtype.product, out, keepdims}
        initial: Number that the product is multiplied by.
        {where}
    {Returns} Array: Shape of `a` without the reduced axes, of dtype `dtype`.
    {See Also} prod, nancumprod
    {Examples}
    >>> float(dt.nanprod(dt.asarray([3.0, dt.nan, 2.0])))
    6.0
    """
    return prod(nan_filled(a, 1.0), axis, dtype, out, keepdims, initial, where)


@implements(np.nanmin)
def nanmin(
    a: ArrayLike,
    axis: Axes = None,
    out: Array | None = None,
    keepdims: bool = False,
    initial: ArrayLike | None = NOT_GIVEN,
    where: ArrayLike = NOT_GIVEN,
) -> Array:
    """Return the least cell along `axis` that is not NaN, as `numpy.nanmin`; NaN if all are.

    {Parameters}
        {a, axis, out, keepdims}
        initial: Upper bound of the result, and its value where no cell takes part.
        {where}
    {Returns} Array: Shape of `a` without the reduced axes, of the dtype of `a`.
    {Raises} {ShapeError.initial}
    {See Also} min, nanargmin, fmin
    {Examples}
    >>> float(dt.nanmin(dt.asarray([3.0, dt.nan, 2.0])))
    2.0
    """
    if _are_objects(a):
        return _extreme_object("min", a, axis, out, keepdims, initial, where)
    return folded("fmin", a, axis, out=out, keepdims=keepdims, initial=initial, where=where)


@implements(np.nanmax)
def nanmax(
    a: ArrayLike,
    axis: Axes = None,
    out: Array | None = None,
    keepdims: bool = False,
    initial: ArrayLike | None = NOT_GIVEN,
    where: ArrayLike = NOT_GIVEN,
) -> Array:
    """Return the greatest cell along `axis` that is not NaN, as `numpy.nanmax`; NaN if all are.

    {Parameters}
        {a, axis, out, keepdims}
        initial: Lower bound of the result, and its value where no cell takes part.
        {where}
    {Returns} Array: Shape of `a` without the reduced axes, of the dtype of `a`.
    {Raises} {ShapeError.initial}
    {See Also} max, nanargmax, fmax
    {Examples}
    >>> float(dt.nanmax(dt.asarray([3.0, dt.nan, 2.0])))
    3.0
    """
    if _are_objects(a):
        return _extreme_object("max", a, axis, out, keepdims, initial, where)
    return folded("fmax", a, axis, out=out, keepdims=keepdims, initial=initial, where=where)


def _are_objects(a: ArrayLike) -> bool:
    return asarray(a).dtype.kind == "O"


def _extreme_object(
    monoid: str,
    a: ArrayLike,
    axis: Axes,
    out: Array | None,
    keepdims: bool,
    initial: ArrayLike | None,
    where: ArrayLike,
) -> Array:
    """The least or greatest of Python objects that are no NaN; of NaN alone it is NaN."""
    x = asarray(a)
    filled = nan_filled(x, np.inf if monoid == "min" else -np.inf)
    found = folded(monoid, filled, axis, keepdims=keepdims, initial=initial, where=where)
    nan = _is_nan(x.node)
    assert nan is not None
    alone = folded("all", Array(nan), axis, keepdims=keepdims, where=where)
    lost = scalar_of(np.nan, x.dtype)
    return assigned_to_out(out, Array(choose(alone.node, lost, found.node)))


@implements(np.nanargmin)
def nanargmin(
    a: ArrayLike, axis: Axes = None, out: Array | None = None, *, keepdims: bool = False
) -> Array:
    """Return the index of the least cell along `axis`, NaN left out, as `numpy.nanargmin`.

    {Parameters} {a, axis.searched, out, keepdims.searched}
    {Returns} Array: Indices of dtype intp, shape of `a` without the searched axis.
    {Raises}
        ShapeError: If there is no cell along `axis`.
        ValueError: When computed, if all cells of a slice are NaN.
    {See Also} argmin, nanmin
    {Examples}
    >>> int(dt.nanargmin(dt.asarray([dt.nan, 3.0, 1.0])))
    2
    """
    return _argmin_or_argmax("argmin", a, axis, out, keepdims)


@implements(np.nanargmax)
def nanargmax(
    a: ArrayLike, axis: Axes = None, out: Array | None = None, *, keepdims: bool = False
) -> Array:
    """Return the index of the greatest cell along `axis`, NaN left out, as `numpy.nanargmax`.

    {Parameters} {a, axis.searched, out, keepdims.searched}
    {Returns} Array: Indices of dtype intp, shape of `a` without the searched axis.
    {Raises}
        ShapeError: If there is no cell along `axis`.
        ValueError: When computed, if all cells of a slice are NaN.
    {See Also} argmax, nanmax
    {Examples}
    >>> int(dt.nanargmax(dt.asarray([dt.nan, 3.0, 1.0])))
    1
    """
    return _argmin_or_argmax("argmax", a, axis, out, keepdims)


def _argmin_or_argmax(
    monoid: str, a: ArrayLike, axis: Axes, out: Array | None, keepdims: bool
) -> Array:
    """Fold the monoid of indices that leaves NaN out, where the dtype has NaN."""
    x = asarray(a)
    if x.dtype.kind == "O":
        x = nan_filled(x, np.inf if monoid == "argmin" else -np.inf)
    if x.dtype.kind not in "fc":
        return placed(monoid, x, axis, out, keepdims)
    if x.size:
        normalize_axes(fold_axes(axis, x.ndim), x.ndim)  # reported before several axes, as in NumPy
    return placed(f"nan{monoid}", x, axis, out, keepdims)
