"""Arrays of existing data, as they are or copied: `array`, `copy`, `asanyarray` and the like.

An `Array` is a value, so a copy of one is that `Array` itself; NumPy's arrays are copied at once.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.core.memory_arguments import check_order
from dask_tapestry.arrays.shape.atleast import with_rank

__all__ = ["array", "asanyarray", "ascontiguousarray", "asfortranarray", "copy"]


@implements(np.array)
def array(
    object: ArrayLike,
    dtype: DTypeLike | None = None,
    *,
    copy: bool | None = True,
    order: str | None = "K",
    subok: bool = False,
    ndmin: int = 0,
    like: ArrayLike | None = None,
) -> Array:
    """Return an array of data, which is copied now unless `copy` says otherwise, as `numpy.array`.

    {Parameters}
        object: NumPy data, nested sequences, a scalar, or an array of another library.
        {dtype.data}
        copy: Whether to copy a NumPy array, so that later writes to it are not seen.
        order, subok, like: As NumPy's, without effect.
        ndmin: How many dimensions there are at least; new ones come first.
    {Returns} Array: The data's shape, with `ndmin` dimensions at least.
    {Raises}
        ShapeError: For nested sequences of unequal lengths, or an unknown order.
        {DTypeError.fields}
    {See Also} asarray : does not copy.
    {Examples}
    >>> dt.array([1, 2], ndmin=2).compute()
    array([[1, 2]])
    """
    del subok, like
    check_order(order)
    return with_rank(asarray(object, dtype, copy=copy), ndmin)


@implements(np.copy)
def copy(a: ArrayLike, order: str = "K", subok: bool = False) -> Array:
    """Return an array with the cells of `a`, which is copied now if it is NumPy's.

    {Parameters} {a.data, order.subok}
    {Returns} Array: Shape and dtype of `a`.
    {Examples}
    >>> dt.copy(dt.arange(2)).compute()
    array([0, 1])
    """
    return array(a, order=order, subok=subok)


@implements(np.asanyarray)
def asanyarray(
    a: ArrayLike,
    dtype: DTypeLike | None = None,
    order: str | None = None,
    *,
    device: str | None = None,
    copy: bool | None = None,
    like: ArrayLike | None = None,
    **hints: Any,
) -> Array:
    """Return an array of data, as `asarray`: there are no subclasses to keep.

    {Parameters}
        {a.data, dtype.data, order.like, device, copy.now}
        **hints: ``chunks`` and others of `asarray`.
    {Returns} Array: Shape of the data.
    {See Also} asarray
    {Examples}
    >>> dt.asanyarray([1, 2]).shape
    (2,)
    """
    check_order(order)
    return asarray(a, dtype, device=device, copy=copy, like=like, **hints)


@implements(np.ascontiguousarray)
def ascontiguousarray(
    a: ArrayLike, dtype: DTypeLike | None = None, *, like: ArrayLike | None = None
) -> Array:
    """Return an array of data with one dimension at least, as `numpy.ascontiguousarray`.

    {Parameters} {a.data, dtype.data, like}
    {Returns} Array: Shape of the data, ``(1,)`` for a scalar.
    {Examples}
    >>> dt.ascontiguousarray(5).shape
    (1,)
    """
    del like
    return with_rank(asarray(a, dtype), 1)


@implements(np.asfortranarray)
def asfortranarray(
    a: ArrayLike, dtype: DTypeLike | None = None, *, like: ArrayLike | None = None
) -> Array:
    """Return an array of data, as `ascontiguousarray`: a plan chooses an order in memory.

    {Parameters} {a.data, dtype.data, like}
    {Returns} Array: Shape of the data, ``(1,)`` for a scalar.
    {See Also} ascontiguousarray
    {Examples}
    >>> dt.asfortranarray([[1, 2]]).shape
    (1, 2)
    """
    return ascontiguousarray(a, dtype, like=like)
