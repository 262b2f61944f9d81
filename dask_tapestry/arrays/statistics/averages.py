"""Averages of cells and their spread: `mean`, `var` and `std`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from dask_tapestry.amounts import real
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.core.out_argument import assigned_to_out
from dask_tapestry.arrays.core.reduction_arguments import (
    NOT_GIVEN,
    flag,
    fold_axes,
    folded,
    mask_of,
    plain_fold,
    wanted_dtype,
)
from dask_tapestry.arrays.core.selected_cells import where_selected
from dask_tapestry.cells.fixed_dtype import dtype_name
from dask_tapestry.errors import ArgumentError, DTypeError
from dask_tapestry.operators.axes import Axes, normalize_axes
from dask_tapestry.operators.cells.complex_parts import square_modulus
from dask_tapestry.operators.cells.elementwise import Operand, astype, elementwise
from dask_tapestry.operators.cells.where import where as choose
from dask_tapestry.operators.reductions.monoids import accumulator
from dask_tapestry.operators.reductions.reduce import reduce
from dask_tapestry.teg import Tensor

__all__ = ["mean", "std", "var"]
DOUBLE = np.dtype(np.float64)


@implements(np.mean)
def mean(
    a: ArrayLike,
    axis: Axes = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
    keepdims: bool = False,
    *,
    where: ArrayLike = NOT_GIVEN,
) -> Array:
    """Return the average of the cells along `axis`, as `numpy.mean`.

    {Parameters}
        {a, axis}
        dtype: Dtype to add in, and of the result; by default float64 for integers, else that of
            `a`. By default float16 is added in float32.
        {out, keepdims, where}
    {Returns} Array: Shape of `a` without the reduced axes, NaN where no cell takes part.
    {Raises} DTypeError: If cells of this dtype have no mean.
    {See Also} average, median, nanmean
    {Examples}
    >>> float(dt.mean(dt.arange(5)))
    2.0
    """
    a, axis, where = where_selected(a, axis, where, flag(keepdims))
    x, kind = asarray(a).node, wanted_dtype(dtype)
    mask = mask_of(where, x)
    axes = _axes(axis, x, mask)
    plain = kind is None or kind.kind in "fc" or x.type.dtype.kind == "m"
    if mask is None and plain:
        value = plain_fold(x, "mean", axes, kind, flag(keepdims))
    else:
        value = _mean_of_sum(x, mask, axes, kind, flag(keepdims))
    return assigned_to_out(out, Array(value))


def _axes(axis: Axes, x: Tensor, mask: Tensor | None) -> tuple[int, ...]:
    """The axes, checked; as in NumPy, those of a 0-d array may be 0 or -1 only with a mask."""
    ndim = x.type.ndim
    return normalize_axes(axis if mask is None else fold_axes(axis, ndim), ndim)


def _mean_of_sum(
    x: Tensor,
    mask: Tensor | None,
    axes: tuple[int, ...],
    kind: np.dtype[Any] | None,
    keepdims: bool,
) -> Tensor:
    """The sum in the dtype asked for, divided by the number of cells, in that dtype again."""
    input_dtype = x.type.dtype
    if input_dtype.kind not in "biufcm":
        raise DTypeError(f"mean is not defined for dtype {dtype_name(input_dtype)}")
    work = kind or (DOUBLE if input_dtype.kind in "biu" else accumulator(input_dtype))
    total = _sum(x, mask, axes, None if input_dtype.kind == "m" else work, keepdims)
    quotient = elementwise("divide", total, _count(x, mask, axes, keepdims))
    if input_dtype.kind == "m":
        return quotient
    return astype(quotient, kind or (DOUBLE if input_dtype.kind in "biu" else input_dtype))


def _sum(
    x: Tensor, mask: Tensor | None, axes: Axes, kind: np.dtype[Any] | None, keepdims: bool
) -> Tensor:
    """The sum of the cells that take part."""
    where = NOT_GIVEN if mask is None else Array(mask)
    return folded("sum", Array(x), axes, dtype=kind, keepdims=keepdims, where=where).node


def _count(
    x: Tensor, mask: Tensor | None, axes: tuple[int, ...], keepdims: bool
) -> Tensor | np.int64:
    """Number of cells that are folded; with a mask, for each cell of the result."""
    if mask is None:
        return np.int64(np.prod([x.type.shape[axis] for axis in axes], dtype=np.int64))
    return reduce(mask, "sum", axes, dtype=np.dtype(np.intp), keepdims=keepdims)


@implements(np.var)
def var(
    a: ArrayLike,
    axis: Axes = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    where: ArrayLike = NOT_GIVEN,
    mean: ArrayLike = NOT_GIVEN,
    correction: float = NOT_GIVEN,
) -> Array:
    """Return the variance of the cells along `axis`, as `numpy.var`.

    {Parameters} {a, axis, dtype.spread, out, ddof, keepdims, where, mean}
    {Returns} Array: Shape of `a` without the reduced axes; real, also of complex cells.
    {Raises}
        {ShapeError.ddof}
        DTypeError: If cells of this dtype have no variance.
    {See Also} std, nanvar, cov
    {Examples}
    >>> float(dt.var(dt.arange(5)))
    2.0
    """
    free = degrees_of_freedom(ddof, correction)
    return assigned_to_out(
        out, Array(_var_or_std("var", a, axis, dtype, free, flag(keepdims), where, mean))
    )


@implements(np.std)
def std(
    a: ArrayLike,
    axis: Axes = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    where: ArrayLike = NOT_GIVEN,
    mean: ArrayLike = NOT_GIVEN,
    correction: float = NOT_GIVEN,
) -> Array:
    """Return the standard deviation of the cells along `axis`, as `numpy.std`.

    {Parameters} {a, axis, dtype.spread, out, ddof, keepdims, where, mean}
    {Returns} Array: Shape of `a` without the reduced axes; real, also of complex cells.
    {Raises}
        {ShapeError.ddof}
        DTypeError: If cells of this dtype have no variance.
    {See Also} var, nanstd
    {Examples}
    >>> float(dt.std(dt.asarray([1.0, 3.0])))
    1.0
    """
    free = degrees_of_freedom(ddof, correction)
    return assigned_to_out(
        out, Array(_var_or_std("std", a, axis, dtype, free, flag(keepdims), where, mean))
    )


def degrees_of_freedom(ddof: float, correction: float) -> float:
    """Whichever of `ddof` and `correction`, two names of one argument, is given."""
    if correction is NOT_GIVEN:
        return ddof
    if ddof:
        raise ArgumentError("ddof and correction can't be provided simultaneously.")
    return real("correction", correction)


def _var_or_std(
    name: str,
    a: ArrayLike,
    axis: Axes,
    dtype: DTypeLike | None,
    ddof: float,
    keepdims: bool,
    where: ArrayLike,
    mean: ArrayLike,
) -> Tensor:
    """The variance or its root: in one pass where the monoid can, else in two, as NumPy does."""
    a, axis, where = where_selected(a, axis, where, keepdims, squared=True)
    x, kind = asarray(a).node, wanted_dtype(dtype)
    mask, given = mask_of(where, x), x.type.dtype
    axes = _axes(axis, x, mask)
    plain = kind is None or (kind.kind == "f" and given.kind != "c")
    if plain and mask is None and mean is NOT_GIVEN:
        return reduce(x, name, axes, dtype=kind, keepdims=keepdims, ddof=ddof)
    if plain and mask is not None and mean is NOT_GIVEN and given.kind in "iuf":
        value = _of_chosen(x, mask, axes, kind, ddof, keepdims)
    else:
        value = _two_passes(x, mask, axes, kind, ddof, keepdims, mean)
    return value if name == "var" else root_of(value)


def _of_chosen(
    x: Tensor,
    mask: Tensor,
    axes: tuple[int, ...],
    kind: np.dtype[Any] | None,
    ddof: float,
    keepdims: bool,
) -> Tensor:
    """The variance of the cells that a mask names, in one pass: the others are NaN, and left out.

    Where it names a NaN the variance is one. Squared deviations are what is averaged, over the
    degrees of freedom that are left: of none, NumPy divides by zero.
    """
    cells = astype(x, DOUBLE) if x.type.dtype.kind in "iu" else x
    others = choose(mask, cells, cells.type.dtype.type(np.nan))
    spread = reduce(others, "nanvar", axes, dtype=kind, keepdims=keepdims)
    count = _count(x, mask, axes, keepdims)
    left = elementwise("maximum", elementwise("subtract", count, ddof), 0)
    dtype = spread.type.dtype
    value = astype(elementwise("divide", elementwise("multiply", spread, count), left), dtype)
    if cells is not x:
        return value
    unknown = elementwise("logical_and", elementwise("isnan", x), mask)
    some = reduce(unknown, "any", axes, keepdims=keepdims)
    return choose(some, dtype.type(np.nan), value)


def root_of(value: Tensor) -> Tensor:
    """The root in the dtype of the variance; NumPy rounds to an integer for 0-d results alone."""
    dtype = value.type.dtype
    if dtype.kind in "iu" and value.type.ndim:
        raise DTypeError(f"cannot cast standard deviations from float64 to {dtype_name(dtype)}")
    return astype(elementwise("sqrt", value), dtype)


def _two_passes(
    x: Tensor,
    mask: Tensor | None,
    axes: tuple[int, ...],
    kind: np.dtype[Any] | None,
    ddof: float,
    keepdims: bool,
    mean: ArrayLike,
) -> Tensor:
    """The mean, then the sum of squared deviations over the degrees of freedom."""
    input_dtype = x.type.dtype
    if input_dtype.kind not in "biufc":
        raise DTypeError(f"variance is not defined for dtype {dtype_name(input_dtype)}")
    around = _mean_of_sum(x, mask, axes, kind, keepdims=True)
    if mean is not NOT_GIVEN:
        around = asarray(mean).node
    elif kind is None:
        around = astype(around, DOUBLE if input_dtype.kind in "biu" else input_dtype)
    squares = _squared(elementwise("subtract", x, around), input_dtype)
    result_dtype = kind or (DOUBLE if input_dtype.kind in "biu" else squares.type.dtype)
    total = _sum(squares, mask, axes, accumulator(result_dtype), keepdims)
    count = _count(x, mask, axes, keepdims)
    if isinstance(count, Tensor):
        degrees: Operand = elementwise("maximum", elementwise("subtract", count, ddof), 0)
    else:
        degrees = np.float64(max(float(count) - ddof, 0))
    return astype(elementwise("divide", total, degrees), result_dtype)


def _squared(off: Tensor, given: np.dtype[Any]) -> Tensor:
    """Squared deviations; squared moduli of complex ones."""
    if given.kind in "iuf":
        return elementwise("square", off)
    if off.type.dtype.kind != "c":
        return elementwise("multiply", off, off)
    return square_modulus(off)
