"""Functions of cells that are no ufuncs: `where`, `clip`, `astype`, `round`, `real`, `imag`."""

from __future__ import annotations

import builtins
from functools import partial
from typing import TYPE_CHECKING, overload

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from dask_tapestry.amounts import integer, one_of, reading
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.casts import cast
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.core.dtypes import CASTINGS, Casting, as_dtype
from dask_tapestry.arrays.core.memory_arguments import check_order, moved_to
from dask_tapestry.arrays.core.out_argument import assigned_to_out
from dask_tapestry.arrays.core.reduction_arguments import NOT_GIVEN
from dask_tapestry.arrays.core.selected_cells import cell_by_cell
from dask_tapestry.arrays.elementwise.ufunc_functions import holds_objects, operand
from dask_tapestry.cells.references import zero_cell
from dask_tapestry.errors import ArgumentError, DTypeError, ShapeError
from dask_tapestry.imports import LateModule
from dask_tapestry.operators.cells.complex_parts import imag_part, real_part
from dask_tapestry.operators.cells.elementwise import Operand, cell_call, elementwise, result_dtype
from dask_tapestry.operators.cells.where import where as where_operator
from dask_tapestry.operators.generators.full import full
from dask_tapestry.rules.effects import following
from dask_tapestry.teg import Tensor

if TYPE_CHECKING:
    from dask_tapestry.arrays.masks import boolean_mask
else:
    boolean_mask = LateModule("dask_tapestry.arrays.masks.boolean_mask")

__all__ = ["around", "astype", "clip", "imag", "real", "round", "where"]


@overload
def where(condition: ArrayLike, /) -> tuple[Array, ...]: ...
@overload
def where(condition: ArrayLike, x: ArrayLike, y: ArrayLike, /) -> Array: ...
@implements(np.where)
def where(
    condition: ArrayLike, x: ArrayLike | None = None, y: ArrayLike | None = None, /
) -> Array | tuple[Array, ...]:
    """Choose elements of `x` where a condition is non-zero, of `y` elsewhere, as `numpy.where`.

    {Parameters}
        condition: Non-zero or true where `x` is chosen.
        x, y: What is chosen from: both, or neither. The three broadcast.
    {Returns} Array or tuple of Array: Of the broadcast shape and the promoted dtype; without `x`
        and `y`, what `nonzero` returns.
    {Raises}
        ValueRangeError: If a Python integer does not fit the dtype of the other choice.
        ShapeError: If only one of `x` and `y` is given, or shapes do not broadcast.
    {See Also} nonzero, choose, select, numpy.where
    {Examples}
    >>> dt.where(dt.arange(4) > 1, 7, 0).compute()
    array([0, 0, 7, 7])
    """
    if x is None and y is None:
        return boolean_mask.nonzero(condition)
    objects = holds_objects((x, y))
    if (x is None or y is None) and not objects:
        raise ShapeError("either both or neither of x and y should be given")
    values = [operand(condition), operand(x, objects), operand(y, objects)]
    if not any(isinstance(v, Tensor) for v in values):
        values[0] = asarray(condition).node
    return Array(where_operator(*values))


@implements(np.clip)
def clip(
    a: ArrayLike,
    a_min: ArrayLike | None = NOT_GIVEN,
    a_max: ArrayLike | None = NOT_GIVEN,
    out: Array | None = None,
    *,
    min: ArrayLike | None = NOT_GIVEN,
    max: ArrayLike | None = NOT_GIVEN,
) -> Array:
    """Limit elements to ``[a_min, a_max]``, as `numpy.clip`.

    {Parameters}
        {a.array}
        a_min, a_max: The bounds, which broadcast to `a`; None does not limit. Both are given, or
            neither.
        {out.value}
        min, max: The bounds by the names of the Array API, of which one may be left out.
    {Returns} Array: Of the broadcast shape and the promoted dtype.
    {Raises}
        DTypeError: If only one of `a_min` and `a_max` is given.
        ArgumentError: If bounds are given by both names.
        ValueRangeError: If a Python integer that limits does not fit the dtype.
    {See Also} maximum, minimum, numpy.clip
    {Examples}
    >>> dt.clip(dt.arange(5), 1, 3).compute()
    array([1, 1, 2, 3, 3])
    """
    array = asarray(a)
    low, high = _bounds(a_min, a_max, min, max)
    if array.dtype.kind in "iu":  # a Python integer need not fit where it does not limit
        ends = np.iinfo(array.dtype)
        lowest, highest = _python_integer(low), _python_integer(high)
        low = None if lowest is not None and lowest <= ends.min else low
        high = None if highest is not None and highest >= ends.max else high
    limits = [
        (name, operand(value))
        for name, value in (("maximum", low), ("minimum", high))
        if value is not None
    ]
    result = array.node
    if not limits:
        result = elementwise("positive", result)  # a copy, of what has a sign
    elif array.dtype.kind in "biufc":  # three dtypes promote at once, not two and then the third
        result = cast(result, result_dtype(result, *[limit for _, limit in limits]))
    for name, limit in limits:
        result = elementwise(name, result, limit)
    return assigned_to_out(out, Array(result))


def _bounds(
    a_min: ArrayLike | None, a_max: ArrayLike | None, low: ArrayLike | None, high: ArrayLike | None
) -> tuple[ArrayLike | None, ArrayLike | None]:
    """The bounds of `clip`, by whichever names they are given."""
    older, newer = (a_min, a_max), (low, high)
    given = [bound is not NOT_GIVEN for bound in older]
    if not any(given):
        older, newer = newer, (NOT_GIVEN, NOT_GIVEN)
    elif not all(given):
        raise DTypeError(
            f"clip takes a_min and a_max: {'a_min' if given[1] else 'a_max'} is missing"
        )
    if any(bound is not NOT_GIVEN for bound in newer):
        raise ArgumentError("clip takes a_min and a_max, or min and max")
    low, high = (None if bound is NOT_GIVEN else bound for bound in older)
    return low, high


def _python_integer(bound: object) -> int | None:
    return bound if type(bound) is int else None


@implements(np.astype)
def astype(
    x: ArrayLike,
    dtype: DTypeLike,
    /,
    *,
    copy: bool = True,
    device: str | None = None,
    order: str = "K",
    casting: Casting = "unsafe",
    subok: bool = True,  # noqa: ARG001
) -> Array:
    """Convert every element to a dtype, as `numpy.astype`.

    {Parameters}
        {x}
        dtype: The dtype to convert to; fractions are cut off where it is an integer.
        copy: False gives an array that has the dtype itself, so that a write to one changes both.
        {device}
        order, casting, subok: As of `numpy.ndarray.astype`; `casting` says what conversions are
            allowed, the others have no meaning here. xarray hands them on.
    {Returns} Array: Of the shape of `x` and of `dtype`.
    {Raises}
        DTypeError: If there is no such conversion, or `casting` forbids it.
        {ArgumentError.device}
    {See Also} numpy.ndarray.astype
    {Examples}
    >>> dt.astype(dt.asarray([1.7, 2.2]), "int8").compute()
    array([1, 2], dtype=int8)
    """
    array, wanted = asarray(x), as_dtype(dtype)
    check_order(order)
    one_of("casting", casting, CASTINGS)
    if not np.can_cast(array.dtype, wanted, casting):
        raise DTypeError(f"cannot cast {array.dtype} to {wanted} according to the rule {casting!r}")
    if not copy and array.dtype == wanted:
        return moved_to(array, device)
    return moved_to(cell_by_cell(partial(cast, dtype=wanted), array), device)


@implements(np.real)
def real(val: ArrayLike) -> Array:
    """Return the real part of each element, as `numpy.real`.

    {Parameters} val: The array.
    {Returns} Array: Of the shape of `val`: floats where `val` is complex, else `val` itself.
    {See Also} imag, numpy.real
    {Examples}
    >>> dt.real(dt.asarray([1 + 2j])).compute()
    array([1.])
    """
    array = asarray(val)
    return array if array.dtype.kind != "c" else Array(real_part(array.node))


@implements(np.imag)
def imag(val: ArrayLike) -> Array:
    """Return the imaginary part of each element, as `numpy.imag`.

    {Parameters} val: The array.
    {Returns} Array: Of the shape of `val`: floats where `val` is complex, else zeros of its dtype.
    {See Also} real, numpy.imag
    {Examples}
    >>> dt.imag(dt.asarray([1 + 2j])).compute()
    array([2.])
    """
    array = asarray(val)
    if array.dtype.kind != "c":
        zeros = full(array.shape, zero_cell(array.dtype), array.dims)
        return Array(following(zeros, [array.node]))
    return Array(imag_part(array.node))


@implements(np.around, np.round)
def around(a: ArrayLike, decimals: int = 0, out: Array | None = None) -> Array:
    """Round to a number of decimals, halves to even, as `numpy.around`.

    Of complex elements each part is rounded by itself.

    {Parameters}
        {a.array}
        decimals: Digits behind the point; negative ones round to tens, hundreds, ...
        out: An array that takes the result's value.
    {Returns} Array: Of the shape and dtype of `a`; booleans become float16.
    {Raises} DTypeError: For booleans and decimals other than 0.
    {See Also} rint, numpy.around
    {Examples}
    >>> dt.around(dt.asarray([0.5, 1.257]), 2).compute()
    array([0.5 , 1.26])
    """
    return assigned_to_out(out, _rounded(asarray(a), integer(decimals)))


def _rounded(array: Array, digits: int) -> Array:
    node = array.node
    if array.dtype.kind == "b":
        if digits:
            raise DTypeError("booleans have no digits to round to")
        node = cast(node, np.dtype(np.float16))
    if array.dtype.kind in "iu" and digits >= 0:
        return array
    if digits == 0:
        return Array(elementwise("rint", node))
    if array.dtype.kind == "c":
        parts = [_rounded(Array(part(array.node)), digits) for part in (real_part, imag_part)]
        loop = [part.dtype for part in parts]
        return Array(cell_call("complex", [part.node for part in parts], loop, array.dtype))
    with reading("decimals"):
        scale = np.float64(10.0 ** builtins.abs(digits))
    up, down = ("multiply", "divide") if digits > 0 else ("divide", "multiply")
    factor: Operand = float(scale) if array.dtype.kind == "f" else scale
    whole = elementwise("rint", elementwise(up, node, factor))
    return Array(cast(elementwise(down, whole, factor), array.dtype))


round = around
