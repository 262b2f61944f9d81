"""How close arrays are, and whether they are equal: `isclose`, `allclose`, `array_equal`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.core.dtypes import promoted
from dask_tapestry.arrays.elementwise import equality_and_power, ufuncs
from dask_tapestry.errors import ShapeError
from dask_tapestry.operators.broadcast_shapes import broadcast_shape
from dask_tapestry.operators.generators.full import full
from dask_tapestry.operators.reductions.reduce import reduce

__all__ = ["allclose", "array_equal", "array_equiv", "isclose"]


@implements(np.isclose)
def isclose(
    a: ArrayLike,
    b: ArrayLike,
    rtol: ArrayLike = 1e-5,
    atol: ArrayLike = 1e-8,
    equal_nan: bool = False,
) -> Array:
    """Return for each cell whether ``abs(a - b) <= atol + rtol * abs(b)``, as `numpy.isclose`.

    {Parameters}
        a, b: What is compared; `b` is the one to compare with.
        rtol, atol: Relative and absolute tolerance: numbers, or arrays that broadcast.
        equal_nan: Whether NaNs are close to each other.
    {Returns} Array: Bool, of the broadcast shape.
    {Raises} ShapeError: If the shapes do not broadcast.
    {See Also} allclose, array_equal
    {Examples}
    >>> dt.isclose(dt.asarray([1.0, 2.0]), [1.0 + 1e-9, 2.1]).compute()
    array([ True, False])
    """
    x, y = _number_or_array(a), _compared(b)
    apart = abs(x - y)  # the first of NumPy's steps, which may refuse shapes or dtypes
    allowed = _number_or_array(atol) + _number_or_array(rtol) * abs(y)
    within = ufuncs.less_equal(apart, allowed)
    close = (within & ufuncs.isfinite(y)) | ufuncs.equal(x, y)
    return close | (ufuncs.isnan(x) & ufuncs.isnan(y)) if equal_nan else close


@implements(np.allclose)
def allclose(
    a: ArrayLike,
    b: ArrayLike,
    rtol: ArrayLike = 1e-5,
    atol: ArrayLike = 1e-8,
    equal_nan: bool = False,
) -> Array:
    """Return whether all cells are close, as `numpy.allclose`; ``bool()`` of it computes.

    {Parameters} a, b, rtol, atol, equal_nan: As of `isclose`.
    {Returns} Array: Bool, without dimensions.
    {Raises} ShapeError: If the shapes do not broadcast.
    {See Also} isclose, array_equal
    {Examples}
    >>> bool(dt.allclose(dt.ones(3), 1 + 1e-9))
    True
    """
    return Array(reduce(isclose(a, b, rtol, atol, equal_nan).node, "all"))


@implements(np.array_equal)
def array_equal(a1: ArrayLike, a2: ArrayLike, equal_nan: bool = False) -> Array:
    """Return whether two arrays have one shape and the same cells, as `numpy.array_equal`.

    {Parameters}
        a1, a2: What is compared.
        equal_nan: Whether NaNs are equal to each other.
    {Returns} Array: Bool, without dimensions; ``bool()`` of it computes.
    {See Also} array_equiv, allclose
    {Examples}
    >>> bool(dt.array_equal(dt.arange(3), [0, 1, 2])), bool(dt.array_equal([1], [1, 1]))
    (True, False)
    """
    x, y = asarray(a1), asarray(a2)
    if x.shape != y.shape:
        return Array(full((), np.bool_(False)))
    same = equality_and_power.equal(x, y)
    kinds = {x.dtype.kind, y.dtype.kind}
    one_text = a1 is a2 and not kinds <= set("fcmM")  # in which NumPy looks for no NaN
    if equal_nan and not (kinds <= set("biu") or one_text):
        same = same | (ufuncs.isnan(x) & ufuncs.isnan(y))
    return Array(reduce(same.node, "all"))


@implements(np.array_equiv)
def array_equiv(a1: ArrayLike, a2: ArrayLike) -> Array:
    """Return whether two arrays broadcast to the same cells, as `numpy.array_equiv`.

    {Parameters} a1, a2: What is compared.
    {Returns} Array: Bool, without dimensions; ``bool()`` of it computes.
    {See Also} array_equal
    {Examples}
    >>> bool(dt.array_equiv([1, 2], [[1, 2], [1, 2]]))
    True
    """
    x, y = asarray(a1), asarray(a2)
    try:
        broadcast_shape([x.shape, y.shape])
    except ShapeError:
        return Array(full((), np.bool_(False)))
    return Array(reduce(equality_and_power.equal(x, y).node, "all"))


def _number_or_array(value: ArrayLike) -> Any:
    """`value`, as an array unless it is a Python number, which takes the dtype beside it."""
    return value if isinstance(value, int | float | complex) else asarray(value)


def _compared(b: ArrayLike) -> Any:
    """What is compared with: inexact, since the least integer has no absolute value."""
    y = _number_or_array(b)
    if not isinstance(y, Array):
        return float(y) if isinstance(y, int) else y
    return y if y.dtype.kind == "m" else y.astype(promoted(y.dtype, 1.0))
