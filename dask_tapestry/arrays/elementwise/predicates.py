"""Predicates of cells: `isreal`, `isneginf`, `isnull` and the like."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.core.out_argument import assigned_to_out
from dask_tapestry.arrays.elementwise import ufuncs
from dask_tapestry.arrays.elementwise.where_and_clip import imag
from dask_tapestry.errors import DTypeError
from dask_tapestry.operators.generators.full import full

__all__ = [
    "iscomplex",
    "iscomplexobj",
    "isneginf",
    "isnull",
    "isposinf",
    "isreal",
    "isrealobj",
    "notnull",
]


@implements(np.iscomplex)
def iscomplex(x: ArrayLike) -> Array:
    """Return for each cell whether its imaginary part is not zero, as `numpy.iscomplex`.

    {Parameters} {x}
    {Returns} Array: Bool, of the shape of `x`.
    {See Also} isreal, iscomplexobj
    {Examples}
    >>> dt.iscomplex(dt.asarray([1 + 1j, 2])).compute()
    array([ True, False])
    """
    array = asarray(x)
    if array.dtype.kind != "c":
        return Array(full(array.shape, np.bool_(False)))
    return ufuncs.not_equal(imag(array), 0)


@implements(np.isreal)
def isreal(x: ArrayLike) -> Array:
    """Return for each cell whether its imaginary part is zero, as `numpy.isreal`.

    {Parameters} {x}
    {Returns} Array: Bool, of the shape of `x`; False for datetimes and text, which have no zero.
    {See Also} iscomplex, isrealobj
    {Examples}
    >>> dt.isreal(dt.asarray([1 + 1j, 2])).compute()
    array([False,  True])
    """
    array = asarray(x)
    if array.dtype.kind != "c":
        return Array(full(array.shape, np.bool_(array.dtype.kind in "biufm")))
    return ufuncs.equal(imag(array), 0)


@implements(np.iscomplexobj)
def iscomplexobj(x: Any) -> bool:
    """Return whether the dtype is complex, as `numpy.iscomplexobj`; nothing is computed.

    {Parameters} {x}
    {Returns} bool: Whether it is, whatever the cells are.
    {See Also} iscomplex
    {Examples}
    >>> dt.iscomplexobj(dt.ones(2)), dt.iscomplexobj(dt.ones(2, complex))
    (False, True)
    """
    return bool(x.dtype.kind == "c") if isinstance(x, Array) else np.iscomplexobj(x)


@implements(np.isrealobj)
def isrealobj(x: Any) -> bool:
    """Return whether the dtype is not complex, as `numpy.isrealobj`; nothing is computed.

    {Parameters} {x}
    {Returns} bool: Whether it is not, whatever the cells are.
    {See Also} isreal
    {Examples}
    >>> dt.isrealobj(dt.ones(2))
    True
    """
    return not iscomplexobj(x)


@implements(np.isneginf)
def isneginf(x: ArrayLike, out: Array | None = None) -> Array:
    """Return for each cell whether it is negative infinity, as `numpy.isneginf`.

    {Parameters} {x.real, out.value}
    {Returns} Array: Bool, of the shape of `x`.
    {Raises} DTypeError: For complex numbers.
    {See Also} isposinf, isinf
    {Examples}
    >>> dt.isneginf(dt.asarray([-dt.inf, dt.inf])).compute()
    array([ True, False])
    """
    array = _real(x)
    return assigned_to_out(out, ufuncs.isinf(array) & ufuncs.signbit(array))


@implements(np.isposinf)
def isposinf(x: ArrayLike, out: Array | None = None) -> Array:
    """Return for each cell whether it is positive infinity, as `numpy.isposinf`.

    {Parameters} {x.real, out.value}
    {Returns} Array: Bool, of the shape of `x`.
    {Raises} DTypeError: For complex numbers.
    {See Also} isneginf, isinf
    {Examples}
    >>> dt.isposinf(dt.asarray([-dt.inf, dt.inf])).compute()
    array([False,  True])
    """
    array = _real(x)
    return assigned_to_out(out, ufuncs.isinf(array) & ~ufuncs.signbit(array))


def isnull(values: ArrayLike) -> Array:
    """Return for each cell whether it is missing, NaN or NaT, as `dask.array.isnull`.

    {Parameters} values: The array.
    {Returns} Array: Bool, of its shape: all false for dtypes that have no missing cells.
    {See Also} notnull, isnan, isnat
    {Examples}
    >>> dt.isnull(dt.asarray([1.0, dt.nan])).compute()
    array([False,  True])
    """
    array = asarray(values)
    if array.dtype.kind not in "fcmM":
        return Array(full(array.shape, np.bool_(False)))
    return ufuncs.isnan(array)


def notnull(values: ArrayLike) -> Array:
    """Return for each cell whether it is there, as `dask.array.notnull`.

    {Parameters} values: The array.
    {Returns} Array: Bool, of its shape.
    {See Also} isnull
    {Examples}
    >>> dt.notnull(dt.asarray([1.0, dt.nan])).compute()
    array([ True, False])
    """
    return ~isnull(values)


def _real(x: ArrayLike) -> Array:
    array = asarray(x)
    if array.dtype.kind not in "biuf":
        raise DTypeError(f"the sign of infinities is that of real numbers, not of {array.dtype}")
    return array
