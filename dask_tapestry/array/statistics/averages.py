"""Means, variances and standard deviations."""

from __future__ import annotations

from typing import Any

import numpy as np

from dask_tapestry.array.core.array import Array
from dask_tapestry.array.core.convert import asarray
from dask_tapestry.array.core.dispatch import implements
from dask_tapestry.array.core.out import into
from dask_tapestry.array.core.reduction_arguments import (
    NOT_GIVEN,
    flag,
    fold_axes,
    folded,
    mask_of,
    wanted_dtype,
)
from dask_tapestry.array.elementwise.choosing import imag as imag_part
from dask_tapestry.array.elementwise.choosing import real as real_part
from dask_tapestry.errors import DTypeError, ShapeError
from dask_tapestry.operators.axes import Axes, normalize_axes
from dask_tapestry.operators.elementwise import Operand, astype, elementwise
from dask_tapestry.operators.monoids import accumulator
from dask_tapestry.operators.reduce import reduce
from dask_tapestry.teg import Tensor

__all__ = ["mean", "std", "var"]
DOUBLE = np.dtype(np.float64)


@implements(np.mean)
def mean(
    a: Any,
    axis: Axes = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = False,
    *,
    where: Any = NOT_GIVEN,
) -> Array:
    """Return the average of the cells along `axis`, as `numpy.mean`.

    Parameters
    ----------
    dtype
        In which they are added; float64 for integers, float32 for float16.
    out
        An `Array` that takes the result as its value.
    where
        Cells that take part; the mean of none is NaN.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> float(dt.mean(dt.arange(5)))
    2.0
    """
    x, kind = asarray(a).node, wanted_dtype(dtype)
    mask = mask_of(where, x)
    axes = _axes(axis, x, mask)
    plain = kind is None or kind.kind in "fc" or x.type.dtype.kind == "m"
    if mask is None and plain:
        value = reduce(x, "mean", axes, dtype=kind, keepdims=flag(keepdims))
    else:
        value = _mean_of_sum(x, mask, axes, kind, flag(keepdims))
    return into(out, Array(value))


def _axes(axis: Axes, x: Tensor, mask: Tensor | None) -> tuple[int, ...]:
    """Checked axes; only with a mask does NumPy take those of an array without dimensions."""
    ndim = x.type.ndim
    return normalize_axes(axis if mask is None else fold_axes(axis, ndim), ndim)


def _mean_of_sum(
    x: Tensor,
    mask: Tensor | None,
    axes: tuple[int, ...],
    kind: np.dtype[Any] | None,
    keepdims: bool,
) -> Tensor:
    """The sum, in the dtype asked for, over the number of cells, converted to that dtype."""
    given = x.type.dtype
    if given.kind not in "biufcm":
        raise DTypeError(f"a mean has no meaning for dtype {given.name}")
    work = kind or (DOUBLE if given.kind in "biu" else accumulator(given))
    total = _sum(x, mask, axes, None if given.kind == "m" else work, keepdims)
    quotient = elementwise("divide", total, _count(x, mask, axes, keepdims))
    if given.kind == "m":
        return quotient
    return astype(quotient, kind or (DOUBLE if given.kind in "biu" else given))


def _sum(
    x: Tensor, mask: Tensor | None, axes: Axes, kind: np.dtype[Any] | None, keepdims: bool
) -> Tensor:
    where = NOT_GIVEN if mask is None else Array(mask)
    return folded("sum", Array(x), axes, dtype=kind, keepdims=keepdims, where=where).node


def _count(x: Tensor, mask: Tensor | None, axes: tuple[int, ...], keepdims: bool) -> Operand:
    """Number of cells that are folded, of each kept one if there is a mask."""
    if mask is None:
        return np.int64(np.prod([x.type.shape[axis] for axis in axes], dtype=np.int64))
    return reduce(mask, "sum", axes, dtype=np.dtype(np.intp), keepdims=keepdims)


@implements(np.var)
def var(
    a: Any,
    axis: Axes = None,
    dtype: Any = None,
    out: Any = None,
    ddof: float = 0,
    keepdims: Any = False,
    *,
    where: Any = NOT_GIVEN,
    mean: Any = NOT_GIVEN,
    correction: Any = NOT_GIVEN,
) -> Array:
    """Return the variance of the cells along `axis`, as `numpy.var`.

    Parameters
    ----------
    dtype
        In which it is computed; float64 for integers, float32 for float16.
    out
        An `Array` that takes the result as its value.
    ddof, correction
        Taken off the number of cells in the divisor; two names, of which one may be given.
    where
        Cells that take part.
    mean
        The mean, of a shape as ``keepdims=True`` gives it, where it is already known.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> float(dt.var(dt.arange(5)))
    2.0
    """
    free = degrees_of_freedom(ddof, correction)
    return into(out, Array(_spread("var", a, axis, dtype, free, flag(keepdims), where, mean)))


@implements(np.std)
def std(
    a: Any,
    axis: Axes = None,
    dtype: Any = None,
    out: Any = None,
    ddof: float = 0,
    keepdims: Any = False,
    *,
    where: Any = NOT_GIVEN,
    mean: Any = NOT_GIVEN,
    correction: Any = NOT_GIVEN,
) -> Array:
    """Return the standard deviation of the cells along `axis`, as `numpy.std`.

    Parameters
    ----------
    dtype
        In which it is computed; float64 for integers, float32 for float16.
    out
        An `Array` that takes the result as its value.
    ddof, correction
        Taken off the number of cells in the divisor; two names, of which one may be given.
    where
        Cells that take part.
    mean
        The mean, of a shape as ``keepdims=True`` gives it, where it is already known.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> float(dt.std(dt.asarray([1.0, 3.0])))
    1.0
    """
    free = degrees_of_freedom(ddof, correction)
    return into(out, Array(_spread("std", a, axis, dtype, free, flag(keepdims), where, mean)))


def degrees_of_freedom(ddof: float, correction: Any) -> float:
    """The one of two names of the same argument that was given."""
    if correction is NOT_GIVEN:
        return ddof
    if ddof:
        raise ShapeError("ddof and correction can't be provided simultaneously.")
    return float(correction)


def _spread(
    name: str, a: Any, axis: Axes, dtype: Any, ddof: float, keepdims: bool, where: Any, mean: Any
) -> Tensor:
    """A variance or its root: in one pass where the monoid can, else in two, as NumPy's."""
    x, kind = asarray(a).node, wanted_dtype(dtype)
    mask, given = mask_of(where, x), x.type.dtype
    axes = _axes(axis, x, mask)
    plain = kind is None or (kind.kind == "f" and given.kind != "c")
    if plain and mask is None and mean is NOT_GIVEN:
        return reduce(x, name, axes, dtype=kind, keepdims=keepdims, ddof=ddof)
    value = _two_passes(x, mask, axes, kind, ddof, keepdims, mean)
    return value if name == "var" else root_of(value)


def root_of(value: Tensor) -> Tensor:
    """The root in the dtype of the variance; as in NumPy, only one number may lose its fraction."""
    dtype = value.type.dtype
    if dtype.kind in "iu" and value.type.ndim:
        raise DTypeError(f"cannot cast standard deviations from float64 to {dtype.name}")
    return astype(elementwise("sqrt", value), dtype)


def _two_passes(
    x: Tensor,
    mask: Tensor | None,
    axes: tuple[int, ...],
    kind: np.dtype[Any] | None,
    ddof: float,
    keepdims: bool,
    mean: Any,
) -> Tensor:
    """The mean, then the sum of squared deviations over the degrees of freedom."""
    given = x.type.dtype
    if given.kind not in "biufc":
        raise DTypeError(f"a variance has no meaning for dtype {given.name}")
    around = _mean_of_sum(x, mask, axes, kind, keepdims=True)
    if mean is not NOT_GIVEN:
        around = asarray(mean).node
    elif kind is None:
        around = astype(around, DOUBLE if given.kind in "biu" else given)
    squares = _squared(elementwise("subtract", x, around), given)
    wanted = kind or (DOUBLE if given.kind in "biu" else squares.type.dtype)
    total = _sum(squares, mask, axes, accumulator(wanted), keepdims)
    count = _count(x, mask, axes, keepdims)
    if isinstance(count, Tensor):
        degrees: Operand = elementwise("maximum", elementwise("subtract", count, ddof), 0)
    else:
        degrees = np.float64(max(float(count) - ddof, 0))  # type: ignore[arg-type]
    return astype(elementwise("divide", total, degrees), wanted)


def _squared(off: Tensor, given: np.dtype[Any]) -> Tensor:
    """Squared deviations; of complex cells, their squared moduli."""
    if given.kind in "iuf":
        return elementwise("square", off)
    if off.type.dtype.kind != "c":
        return elementwise("multiply", off, off)
    return square_modulus(off)


def square_modulus(x: Tensor) -> Tensor:
    """``abs(x) ** 2`` without the root between."""
    if x.type.dtype.kind != "c":
        return elementwise("square", x)
    real, imag = (part(Array(x)).node for part in (real_part, imag_part))
    return elementwise("add", elementwise("square", real), elementwise("square", imag))
