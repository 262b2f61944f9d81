"""Data types (dtypes): their limits, kinds, promotion and casts: `finfo`, `iinfo`, `can_cast`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.core.dtypes import Casting, as_dtype
from dask_tapestry.errors import ArgumentError, DTypeError

__all__ = ["can_cast", "finfo", "iinfo", "isdtype", "issubdtype", "promote_types"]


def finfo(type: Array | DTypeLike, /) -> np.finfo[Any]:
    """Return the limits of a floating-point dtype, as `numpy.finfo`; nothing is computed.

    {Parameters} type: The dtype, real or complex, or an array of it.
    {Returns} numpy.finfo: With ``bits``, ``eps``, ``max``, ``min``, ``smallest_normal`` and
        ``dtype``.
    {Raises} ArgumentError: For another kind of dtype.
    {See Also} iinfo
    {Examples}
    >>> dt.finfo(dt.float32).bits, float(dt.finfo(dt.ones(2)).eps)
    (32, 2.220446049250313e-16)
    """
    kind = _dtype_of(type)
    if kind.kind not in "fc":
        raise ArgumentError(f"{kind} is not a floating-point dtype")
    return np.finfo(kind)


def iinfo(type: Array | DTypeLike, /) -> np.iinfo[Any]:
    """Return the limits of an integer dtype, as `numpy.iinfo`; nothing is computed.

    {Parameters} type: The dtype, or an array of it.
    {Returns} numpy.iinfo: With ``bits``, ``max``, ``min`` and ``dtype``.
    {Raises} ArgumentError: For another kind of dtype.
    {See Also} finfo
    {Examples}
    >>> dt.iinfo(dt.int8).max
    127
    """
    kind = _dtype_of(type)
    if kind.kind not in "iu":
        raise ArgumentError(f"{kind} is not an integer dtype")
    return np.iinfo(kind)


def isdtype(dtype: DTypeLike, kind: Any) -> bool:
    """Return whether a dtype is of a kind, as `numpy.isdtype`.

    {Parameters}
        dtype: The dtype.
        kind: A dtype, ``"bool"``, ``"signed integer"``, ``"unsigned integer"``, ``"integral"``,
            ``"real floating"``, ``"complex floating"``, ``"numeric"``, or a tuple of these.
    {Returns} bool: Whether it is of any of them.
    {Raises}
        ArgumentError: For the name of another kind.
        DTypeError: For what names none.
    {See Also} issubdtype
    {Examples}
    >>> dt.isdtype(dt.ones(2).dtype, ("real floating", "complex floating"))
    True
    """
    try:
        return bool(np.isdtype(as_dtype(dtype), kind))
    except ValueError as error:
        raise ArgumentError(str(error)) from None
    except TypeError as error:
        raise DTypeError(str(error)) from None


def issubdtype(arg1: DTypeLike, arg2: DTypeLike) -> bool:
    """Return whether a dtype lies below another in NumPy's hierarchy, as `numpy.issubdtype`.

    {Parameters} arg1, arg2: Dtypes, or kinds of them such as `numpy.integer`.
    {Returns} bool: Whether `arg1` is `arg2` or a kind of it.
    {See Also} isdtype
    {Examples}
    >>> dt.issubdtype(dt.int8, dt.integer)
    True
    """
    return bool(np.issubdtype(arg1, arg2))


@implements(np.can_cast)
def can_cast(from_: Array | DTypeLike, to: DTypeLike, casting: Casting = "safe") -> bool:
    """Return whether a conversion is allowed, as `numpy.can_cast`; nothing is computed.

    {Parameters}
        from_: The dtype, or an array of it.
        to: The dtype to convert to.
        casting: A rule of NumPy's.
    {Returns} bool: Whether `casting` allows it.
    {Raises} TypeError: For a Python number, whose dtype depends on what is beside it.
    {See Also} result_type
    {Examples}
    >>> dt.can_cast(dt.ones(2), "float32"), dt.can_cast("int8", "int16")
    (False, True)
    """
    return bool(np.can_cast(from_.dtype if isinstance(from_, Array) else from_, to, casting))


def promote_types(type1: DTypeLike, type2: DTypeLike) -> np.dtype[Any]:
    """Return the smallest dtype to which two convert safely, as `numpy.promote_types`.

    {Parameters} type1, type2: The dtypes.
    {Returns} dtype: The dtype of a formula of both.
    {Raises} DTypeError: If there is none.
    {See Also} result_type
    {Examples}
    >>> dt.promote_types("int8", "uint8")
    dtype('int16')
    """
    try:
        return np.promote_types(as_dtype(type1), as_dtype(type2))
    except TypeError as error:
        raise DTypeError(str(error)) from None


def _dtype_of(type: Array | DTypeLike) -> np.dtype[Any]:
    return type.dtype if isinstance(type, Array) else as_dtype(type)
