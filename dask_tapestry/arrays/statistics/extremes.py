"""Extremes and where they are: `min`, `argmin`, `ptp` and others."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.core.out_argument import assigned_to_out
from dask_tapestry.arrays.core.reduction_arguments import NOT_GIVEN, flag, folded, placed
from dask_tapestry.arrays.core.selected_cells import where_selected
from dask_tapestry.operators.axes import Axes
from dask_tapestry.operators.cells.assert_condition import assert_condition

__all__ = ["amax", "amin", "argmax", "argmin", "max", "min", "ptp"]


@implements(np.min, np.amin)
def min(
    a: ArrayLike,
    axis: Axes = None,
    out: Array | None = None,
    keepdims: bool = False,
    initial: ArrayLike | None = NOT_GIVEN,
    where: ArrayLike = NOT_GIVEN,
) -> Array:
    """Return the least cell along `axis`, as `numpy.min`; NaN where a cell is NaN.

    {Parameters}
        {a, axis, out, keepdims}
        initial: Upper bound of the result, and its value where no cell takes part.
        {where}
    {Returns} Array: Shape of `a` without the reduced axes, of the dtype of `a`.
    {Raises} {ShapeError.initial}
    {See Also} nanmin, argmin, minimum, cummin
    {Examples}
    >>> int(dt.min(dt.arange(3, 9)))
    3
    """
    return _extreme("min", a, axis, out, keepdims, initial, where)


@implements(np.max, np.amax)
def max(
    a: ArrayLike,
    axis: Axes = None,
    out: Array | None = None,
    keepdims: bool = False,
    initial: ArrayLike | None = NOT_GIVEN,
    where: ArrayLike = NOT_GIVEN,
) -> Array:
    """Return the greatest cell along `axis`, as `numpy.max`; NaN where a cell is NaN.

    {Parameters}
        {a, axis, out, keepdims}
        initial: Lower bound of the result, and its value where no cell takes part.
        {where}
    {Returns} Array: Shape of `a` without the reduced axes, of the dtype of `a`.
    {Raises} {ShapeError.initial}
    {See Also} nanmax, argmax, maximum, cummax
    {Examples}
    >>> int(dt.max(dt.arange(3, 9)))
    8
    """
    return _extreme("max", a, axis, out, keepdims, initial, where)


amin = min


amax = max


def _extreme(
    monoid: str,
    a: ArrayLike,
    axis: Axes,
    out: Array | None,
    keepdims: bool,
    initial: ArrayLike | None,
    where: ArrayLike,
) -> Array:
    """Fold `min` or `max`; of cells that a mask selects, computing fails if there are none."""
    cells, axes, chosen = a, axis, where
    if initial is NOT_GIVEN and where is NOT_GIVEN:
        cells, axes, chosen = where_selected(a, axis, where, flag(keepdims))
    if cells is a:
        return folded(monoid, a, axis, out=out, keepdims=keepdims, initial=initial, where=where)
    last = extreme_cell(asarray(cells).dtype, monoid == "min")
    found = folded(monoid, cells, axes, keepdims=keepdims, initial=last, where=chosen)
    some = folded("any", chosen, axes, keepdims=keepdims)
    text = f"zero-size array to reduction operation {monoid}imum which has no identity"
    return assigned_to_out(out, Array(assert_condition(found.node, some.node, text)))


def extreme_cell(dtype: np.dtype[Any], greatest: bool) -> Any:
    """The greatest cell of a dtype, or the least one, NaN and NaT left out.

    Examples
    --------
    >>> extreme_cell(np.dtype("i1"), True), extreme_cell(np.dtype("f4"), False)
    (127, -inf)
    """
    if dtype.kind in "fc":
        bound = np.inf if greatest else -np.inf
        return bound if dtype.kind == "f" else complex(bound, bound)
    if dtype.kind == "b":
        return greatest
    integers = np.iinfo(np.int64 if dtype.kind in "mM" else dtype)
    bound = integers.max if greatest else integers.min
    if dtype.kind in "mM":
        return np.array(bound if greatest else bound + 1).astype(dtype)[()]  # the least is NaT
    return bound


@implements(np.argmin)
def argmin(
    a: ArrayLike, axis: int | None = None, out: Array | None = None, *, keepdims: bool = False
) -> Array:
    """Return the index of the least cell along `axis`, as `numpy.argmin`.

    The first of equal cells counts; NaN is less than any number.

    {Parameters} {a, axis.searched, out, keepdims.searched}
    {Returns} Array: Indices of dtype intp, shape of `a` without the searched axis.
    {Raises} ShapeError: If there is no cell along `axis`.
    {See Also} min, nanargmin, argsort
    {Examples}
    >>> int(dt.argmin(dt.asarray([3, 1, 1])))
    1
    """
    return placed("argmin", a, axis, out, keepdims)


@implements(np.argmax)
def argmax(
    a: ArrayLike, axis: int | None = None, out: Array | None = None, *, keepdims: bool = False
) -> Array:
    """Return the index of the greatest cell along `axis`, as `numpy.argmax`.

    The first of equal cells counts; NaN is greater than any number.

    {Parameters} {a, axis.searched, out, keepdims.searched}
    {Returns} Array: Indices of dtype intp, shape of `a` without the searched axis.
    {Raises} ShapeError: If there is no cell along `axis`.
    {See Also} max, nanargmax, argsort
    {Examples}
    >>> int(dt.argmax(dt.asarray([3, 1, 3])))
    0
    """
    return placed("argmax", a, axis, out, keepdims)


@implements(np.ptp)
def ptp(a: ArrayLike, axis: Axes = None, out: Array | None = None, keepdims: bool = False) -> Array:
    """Return the greatest minus the least cell along `axis`, as `numpy.ptp`.

    {Parameters} {a, axis, out, keepdims}
    {Returns} Array: Shape of `a` without the reduced axes, of the dtype of `a`.
    {Raises}
        ShapeError: If there is no cell.
        DTypeError: If cells of this dtype cannot be subtracted.
    {See Also} max, min
    {Examples}
    >>> int(dt.ptp(dt.asarray([3, 9, 4])))
    6
    """
    x = asarray(a)
    if x.dtype.kind == "b":
        max(x, axis)  # reports missing cells before a dtype without differences, as NumPy
    return folded("ptp", x, axis, out=out, keepdims=keepdims)
