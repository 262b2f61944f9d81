"""Ranges of numbers: `arange`, `linspace`, `logspace`, `geomspace`."""

from __future__ import annotations

import datetime
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from dask_tapestry.amounts import integer, reading, real
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.chunks import Chunks
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.declared_arguments import checked
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.core.dtypes import as_dtype, promoted
from dask_tapestry.arrays.core.layout_arguments import takes_chunks, with_chunks
from dask_tapestry.arrays.core.memory_arguments import new_on
from dask_tapestry.arrays.elementwise.ufunc_functions import FUNCTIONS
from dask_tapestry.arrays.elementwise.where_and_clip import astype, where
from dask_tapestry.arrays.shape.atleast import with_rank
from dask_tapestry.arrays.shape.reshaping import expand_dims
from dask_tapestry.arrays.shape.transposing import moveaxis
from dask_tapestry.errors import DTypeError, ShapeError
from dask_tapestry.operators.generators.arange import arange as arange_tensor
from dask_tapestry.operators.generators.coordinates import coordinates
from dask_tapestry.operators.reductions.reduce import reduce

__all__ = ["arange", "geomspace", "linspace", "logspace"]

End = Array | np.generic
Step = Array | np.generic | float
Bound = ArrayLike | datetime.date | datetime.timedelta | None


@checked
def arange(
    start: Bound = None,
    stop: Bound = None,
    step: Bound = None,
    dtype: DTypeLike | None = None,
    *,
    device: str | None = None,
    like: ArrayLike | None = None,  # noqa: ARG001
    chunks: Chunks = None,
) -> Array:
    """Return evenly spaced values in ``[start, stop)``, as `numpy.arange`; they take no memory.

    {Parameters}
        start, stop, step: Numbers, or times; a single argument is `stop`. By default from 0 in
            steps of 1.
        dtype: By default NumPy's choice.
        {device, like, chunks}
    {Returns} Array: Shape ``(ceil((stop - start) / step),)``.
    {Raises}
        ZeroDivisionError: For a step of zero.
        ShapeError: If there would be too many values, or no number of them.
        DTypeError: If there is no `stop`, or a bound has no numbers.
    {See Also} linspace : takes the number of values.
    {Examples}
    >>> dt.arange(1, 7, 2).compute()
    array([1, 3, 5])
    """
    if stop is None:
        start, stop = None, start
    if stop is None:
        raise DTypeError("arange() requires stop to be specified.")
    kind = None if dtype is None else as_dtype(dtype)
    if kind is not None and kind.kind == "b":
        x = asarray(_booleans(start or 0, stop, 1 if step is None else step))
    elif kind is not None and kind.kind == "O":
        x = _integers(start, stop, step).astype(kind)
    else:
        x = Array(arange_tensor(start, stop, step, kind))
    return with_chunks(new_on(x, device), chunks)


def _integers(start: Any, stop: Any, step: Any) -> Array:
    """A range that becomes one of Python's integers."""
    if not all(bound is None or type(bound) is int for bound in (start, step)):
        raise DTypeError("arange() of Python objects begins at an integer and steps by one")
    return Array(arange_tensor(start, stop, step, np.dtype(np.int64)))


def _booleans(start: Any, stop: Any, step: Any) -> np.ndarray[Any, Any]:
    """A range of booleans: two at most, as NumPy demands."""
    count = arange_tensor(start, stop, step, None).type.shape[0]
    if count > 2:
        raise DTypeError(
            "arange() is only supported for booleans when the result has at most length 2."
        )
    values: np.ndarray[Any, Any] = np.arange(start, stop, step, dtype=bool)
    return values


@overload
def linspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: int = 50,
    endpoint: bool = True,
    retstep: Literal[False] = False,
    dtype: DTypeLike | None = None,
    axis: int = 0,
    *,
    device: str | None = None,
) -> Array: ...
@overload
def linspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: int = 50,
    endpoint: bool = True,
    *,
    retstep: Literal[True],
    dtype: DTypeLike | None = None,
    axis: int = 0,
    device: str | None = None,
) -> tuple[Array, Step]: ...
@implements(np.linspace)
@takes_chunks
def linspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: DTypeLike | None = None,
    axis: int = 0,
    *,
    device: str | None = None,
) -> Array | tuple[Array, Step]:
    """Return `num` numbers evenly spaced from `start` to `stop`, as `numpy.linspace`, bit for bit.

    {Parameters}
        start, stop: The ends; arrays of them broadcast.
        num: How many numbers, 0 or more.
        endpoint: Whether `stop` is the last number.
        retstep: Whether to return the distance of two numbers too.
        dtype: Dtype of the result, by default a floating one; integers are rounded down.
        axis: Axis of the result along which the numbers lie.
        {device}
    {Returns}
        numbers : Array: Shape ``(num,)``, with the ends' shape after it, unless `axis` says
            otherwise.
        step: With `retstep`: the distance of two numbers, NaN where there are no two.
    {Raises}
        ShapeError: If `num` is negative, or the ends do not broadcast.
        DTypeError: If the ends are no numbers.
    {See Also}
        arange : takes the step.
        logspace, geomspace
    {Examples}
    >>> dt.linspace(0, 1, 5).compute()
    array([0.  , 0.25, 0.5 , 0.75, 1.  ])
    """
    count = integer(num)
    if count < 0:
        raise ShapeError(f"Number of samples, {count}, must be non-negative.")
    kind = _floating_dtype(start, stop)
    result_dtype = kind if dtype is None else as_dtype(dtype)
    first, last = _scalar_or_array(start, kind), _scalar_or_array(stop, kind)
    numbers, step = _evenly_spaced(first, last, count, count - 1 if endpoint else count)
    if endpoint and count > 1:
        at_end = FUNCTIONS["equal"](_indices(count, numbers.ndim - 1), count - 1)
        numbers = where(at_end, last, numbers)
    numbers = moveaxis(numbers, 0, axis) if axis else numbers
    if dtype is not None and result_dtype.kind in "iu":
        numbers = FUNCTIONS["floor"](numbers)
    numbers = new_on(astype(numbers, result_dtype), device)
    return (numbers, step) if retstep else numbers


def _evenly_spaced(first: Any, last: Any, count: int, parts: int) -> tuple[Array, Step]:
    """``first + i * step`` for `count` places i, in NumPy's order of operations, and the step."""
    multiply, divide = FUNCTIONS["multiply"], FUNCTIONS["divide"]
    with np.errstate(all="ignore"):
        with reading("ends"):
            delta = last - first
        positions = astype(_indices(count, delta.ndim), delta.dtype)
        step = delta / parts if parts > 0 else np.nan
    if parts <= 0:
        numbers = multiply(positions, delta)
    elif isinstance(delta, Array):
        small = Array(reduce(FUNCTIONS["equal"](step, 0).node, "any"))
        numbers = where(small, multiply(divide(positions, parts), delta), multiply(positions, step))
    elif step == 0:  # a step too small for its dtype; NumPy divides the places first
        numbers = multiply(divide(positions, parts), delta)
    else:
        numbers = multiply(positions, step)
    return FUNCTIONS["add"](numbers, first), step


def _indices(count: int, rank: int) -> Array:
    return Array(coordinates((count, *(1,) * rank), 0))


def _scalar_or_array(value: ArrayLike, dtype: np.dtype[Any]) -> End:
    """An end as a NumPy scalar, or as an array."""
    if isinstance(value, Array) or np.ndim(value):
        return astype(asarray(value), dtype)
    scalar: np.generic = np.asarray(value).astype(dtype).flat[0]
    return scalar


def _floating_dtype(*values: ArrayLike) -> np.dtype[Any]:
    """The floating dtype that NumPy computes `values` in."""
    python = int, float, complex
    kinds = [
        v if isinstance(v, python) and not isinstance(v, np.generic) else asarray(v).dtype
        for v in values
    ]
    try:
        return np.result_type(*kinds, 0.0)
    except TypeError as error:
        raise DTypeError(f"numbers cannot be spaced between {values}: {error}") from None


@implements(np.logspace)
def logspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: int = 50,
    endpoint: bool = True,
    base: ArrayLike = 10.0,
    dtype: DTypeLike | None = None,
    axis: int = 0,
) -> Array:
    """Return powers of `base`, of exponents evenly spaced from `start` to `stop`.

    {Parameters}
        start, stop: The exponents of the ends; arrays of them broadcast, with `base` too.
        num, endpoint, dtype, axis: As of `linspace`.
        base: A number, or an array of them: the result has its shape, with `axis` inserted.
    {Returns} Array: Shape as of `linspace`.
    {Raises} ShapeError: If `num` is negative, or the arguments do not broadcast.
    {See Also} geomspace : takes the ends themselves.
    {Examples}
    >>> dt.logspace(0, 2, 3).compute()
    array([  1.,  10., 100.])
    """
    if isinstance(base, Array) or np.ndim(base):
        ends = [asarray(v) for v in (start, stop, base)]
        rank = max(x.ndim for x in ends)
        start, stop, base = (with_rank(x, rank) for x in ends)
        base = expand_dims(base, axis)
    exponents = linspace(start, stop, num, endpoint, axis=axis)
    powers: Array = FUNCTIONS["power"](base, exponents)
    return powers if dtype is None else astype(powers, as_dtype(dtype))


@implements(np.geomspace)
def geomspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: int = 50,
    endpoint: bool = True,
    dtype: DTypeLike | None = None,
    axis: int = 0,
) -> Array:
    """Return a geometric sequence of `num` numbers from `start` to `stop`: their ratio is constant.

    {Parameters}
        start, stop: The ends; arrays of them broadcast. A negative or complex start is turned to
            the positive axis, and the result back.
        num, endpoint, dtype, axis: As of `linspace`.
    {Returns} Array: Shape as of `linspace`.
    {Raises} ShapeError: If `num` is negative, or an end that is known now is zero.
    {See Also} logspace : takes the exponents of the ends.
    {Examples}
    >>> dt.geomspace(1, 8, 4).compute()
    array([1., 2., 4., 8.])
    """
    result_dtype = np.dtype(float) if dtype is None else as_dtype(dtype)
    kind = promoted(*[asarray(v).dtype for v in (start, stop)], real("num", num), result_dtype)
    if kind.kind not in "fc":
        raise DTypeError(f"geometric sequences are of numbers, not {kind}")
    first, last = _scalar_or_array(start, kind), _scalar_or_array(stop, kind)
    for end in (start, stop):
        if not isinstance(end, Array) and np.any(np.asarray(end) == 0):
            raise ShapeError("Geometric sequence cannot include zero")
    sign, log10 = (
        (FUNCTIONS["sign"], FUNCTIONS["log10"])
        if isinstance(first, Array) or isinstance(last, Array)
        else (np.sign, np.log10)
    )
    turn = sign(first)
    first, last = first / turn, last / turn
    numbers = astype(logspace(log10(first), log10(last), num, endpoint), kind)
    places = _indices(numbers.shape[0], numbers.ndim - 1)
    numbers = where(FUNCTIONS["equal"](places, 0), first, numbers)
    if endpoint and numbers.shape[0] > 1:
        numbers = where(FUNCTIONS["equal"](places, numbers.shape[0] - 1), last, numbers)
    numbers = FUNCTIONS["multiply"](numbers, turn)
    numbers = moveaxis(numbers, 0, axis) if axis else numbers
    return astype(numbers, kind if dtype is None else result_dtype)
