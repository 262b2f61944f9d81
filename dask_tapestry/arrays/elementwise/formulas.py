"""Functions of numbers that are formulas of ufuncs: `angle`, `nan_to_num`, `sinc`."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.core.out_argument import assigned_to_out
from dask_tapestry.arrays.elementwise import ufuncs
from dask_tapestry.arrays.elementwise.predicates import isneginf, isposinf
from dask_tapestry.arrays.elementwise.where_and_clip import imag, real, where
from dask_tapestry.errors import DTypeError
from dask_tapestry.operators.cells.elementwise import cell_call

__all__ = ["angle", "fix", "nan_to_num", "sinc"]

LEAST: Final = 1e-20  # stands for zero where a quotient has a limit but no value, as in NumPy


@implements(np.angle)
def angle(z: ArrayLike, deg: bool = False) -> Array:
    """Return the angle of each complex number with the positive real axis, as `numpy.angle`.

    {Parameters}
        z: The array.
        deg: In degrees, instead of radians.
    {Returns} Array: Of the shape of `z`, in (-pi, pi].
    {See Also} arctan2, absolute
    {Examples}
    >>> dt.angle(dt.asarray([1.0, 1j, -1.0]), deg=True).compute()
    array([  0.,  90., 180.])
    """
    array = asarray(z)
    found = ufuncs.arctan2(imag(array) if array.dtype.kind == "c" else 0, real(array))
    return ufuncs.multiply(found, 180 / np.pi) if deg else found


@implements(np.fix)
def fix(x: ArrayLike, out: Array | None = None) -> Array:
    """Round each cell towards zero, as `numpy.fix`.

    {Parameters} {x.real, out.value}
    {Returns} Array: Of the shape of `x`.
    {See Also} trunc, floor, ceil
    {Examples}
    >>> dt.fix(dt.asarray([2.7, -2.7])).compute()
    array([ 2., -2.])
    """
    return assigned_to_out(out, ufuncs.trunc(x))


@implements(np.nan_to_num)
def nan_to_num(
    x: ArrayLike,
    copy: bool = True,
    nan: ArrayLike = 0.0,
    posinf: ArrayLike | None = None,
    neginf: ArrayLike | None = None,
) -> Array:
    """Replace NaNs and infinities by numbers, as `numpy.nan_to_num`.

    {Parameters}
        {x}
        copy: False to assign the result to `x` as well, if that is an `Array`.
        nan: What stands for NaN.
        posinf, neginf: What stands for infinities; by default the greatest and the least number of
            the dtype.
    {Returns} Array: Of the shape and dtype of `x`.
    {See Also} isnan, isinf
    {Examples}
    >>> dt.nan_to_num(dt.asarray([dt.nan, -dt.inf, 1.0]), neginf=-9).compute()
    array([ 0., -9.,  1.])
    """
    array = asarray(x)
    if array.dtype.kind == "c":
        parts = [_numbers(part, nan, posinf, neginf) for part in (real(array), imag(array))]
        loop = [part.dtype for part in parts]
        result = Array(cell_call("complex", [part.node for part in parts], loop, array.dtype))
    elif array.dtype.kind == "f":
        result = _numbers(array, nan, posinf, neginf)
    else:
        result = array.copy()
    return result if copy or not isinstance(x, Array) else assigned_to_out(x, result)


def _numbers(x: Array, nan: ArrayLike, posinf: ArrayLike | None, neginf: ArrayLike | None) -> Array:
    """Real numbers with others in place of what is none; all conditions look at `x` itself."""
    ends = np.finfo(x.dtype)
    high = ends.max if posinf is None else posinf
    low = ends.min if neginf is None else neginf
    result = x
    for found, value in ((ufuncs.isnan(x), nan), (isposinf(x), high), (isneginf(x), low)):
        chosen = value if isinstance(value, int | float) else _replacement(value, x.dtype)
        result = where(found, chosen, result)
    return result


def _replacement(value: ArrayLike, dtype: np.dtype[Any]) -> Array:
    """Numbers that are put in place of others, in the dtype of those."""
    numbers = asarray(value)
    if not np.can_cast(numbers.dtype, dtype, "same_kind"):
        raise DTypeError(f"a number of {dtype} is needed, not {value!r}")
    return numbers.astype(dtype)


@implements(np.sinc)
def sinc(x: ArrayLike) -> Array:
    """Return ``sin(pi x) / (pi x)`` of each cell, and 1 of zero, as `numpy.sinc`.

    {Parameters} {x}
    {Returns} Array: Of the shape of `x`.
    {See Also} sin
    {Examples}
    >>> dt.sinc(dt.asarray([0.0, 0.5])).compute().round(4).tolist()
    [1.0, 0.6366]
    """
    turned = ufuncs.multiply(asarray(x), np.pi)
    least = np.finfo(turned.dtype).eps if turned.dtype.kind == "f" else LEAST
    around = where(turned, turned, least)
    return ufuncs.divide(ufuncs.sin(around), around)
