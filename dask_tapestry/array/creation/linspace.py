"""Numbers evenly spaced between two ends, on a line, in logarithms, or by a ratio."""

from __future__ import annotations

from operator import index
from typing import Any

import numpy as np

from dask_tapestry.array.core.array import Array
from dask_tapestry.array.core.convert import asarray
from dask_tapestry.array.core.dispatch import implements
from dask_tapestry.array.core.dtypes import as_dtype
from dask_tapestry.array.core.shapes import only_cpu
from dask_tapestry.array.elementwise.choosing import astype, where
from dask_tapestry.array.elementwise.ufuncs import FUNCTIONS
from dask_tapestry.array.shape.atleast import with_rank
from dask_tapestry.array.shape.reshape import expand_dims, moveaxis
from dask_tapestry.array.statistics.reductions import any as any_cell
from dask_tapestry.errors import DTypeError, ShapeError
from dask_tapestry.operators.coordinates import coordinates

__all__ = ["geomspace", "linspace", "logspace"]

DTypes = np.dtype[Any]


@implements(np.linspace)
def linspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = None,
    axis: int = 0,
    *,
    device: str | None = None,
) -> Any:
    """Return `num` numbers evenly spaced from `start` to `stop`, as `numpy.linspace`, bit for bit.

    Parameters
    ----------
    start, stop
        The ends; arrays of them broadcast.
    endpoint
        Whether `stop` is the last number.
    retstep
        Whether to return the distance of two numbers too.
    dtype
        Of the result; integers are rounded down.
    axis
        Of the result, along which the numbers lie.

    Raises
    ------
    ShapeError
        If `num` is negative.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.linspace(0, 1, 5).compute()
    array([0.  , 0.25, 0.5 , 0.75, 1.  ])
    """
    only_cpu(device)
    count = index(num)
    if count < 0:
        raise ShapeError(f"Number of samples, {count}, must be non-negative.")
    kind = _inexact(start, stop)
    wanted = kind if dtype is None else as_dtype(dtype)
    first, last = _end(start, kind), _end(stop, kind)
    numbers, step = _line(first, last, count, count - 1 if endpoint else count)
    if endpoint and count > 1:
        at_end = FUNCTIONS["equal"](_places(count, numbers.ndim - 1), count - 1)
        numbers = where(at_end, last, numbers)
    numbers = moveaxis(numbers, 0, axis) if axis else numbers
    if dtype is not None and wanted.kind in "iu":
        numbers = FUNCTIONS["floor"](numbers)
    numbers = astype(numbers, wanted)
    return (numbers, step) if retstep else numbers


def _line(first: Any, last: Any, count: int, parts: int) -> tuple[Array, Any]:
    """``first + i * step`` for `count` places i, in NumPy's order of operations, and the step."""
    multiply, divide = FUNCTIONS["multiply"], FUNCTIONS["divide"]
    with np.errstate(all="ignore"):
        delta = last - first
        places = astype(_places(count, delta.ndim), delta.dtype)
        step = delta / parts if parts > 0 else np.nan
    if parts <= 0:
        numbers = multiply(places, delta)
    elif isinstance(delta, Array):
        small = any_cell(FUNCTIONS["equal"](step, 0))
        numbers = where(small, multiply(divide(places, parts), delta), multiply(places, step))
    elif step == 0:  # a step too small for its dtype; NumPy divides the places first
        numbers = multiply(divide(places, parts), delta)
    else:
        numbers = multiply(places, step)
    return FUNCTIONS["add"](numbers, first), step


def _places(count: int, rank: int) -> Array:
    return Array(coordinates((count, *(1,) * rank), 0))


def _end(value: Any, kind: DTypes) -> Any:
    """An end as a NumPy scalar, or as an array."""
    if isinstance(value, Array) or np.ndim(value):
        return astype(asarray(value), kind)
    return np.asarray(value).astype(kind)[()]


def _inexact(*values: Any) -> DTypes:
    """The dtype NumPy computes with: the values', but a floating one."""
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
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    base: Any = 10.0,
    dtype: Any = None,
    axis: int = 0,
) -> Array:
    """Return powers of `base`, of exponents evenly spaced from `start` to `stop`.

    Parameters
    ----------
    start, stop
        The exponents of the ends; arrays of them broadcast, with `base` too.
    endpoint, dtype, axis
        As of `linspace`.

    Examples
    --------
    >>> import dask_tapestry as dt
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
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    dtype: Any = None,
    axis: int = 0,
) -> Array:
    """Return `num` numbers from `start` to `stop`, of which each is the same multiple of the last.

    Parameters
    ----------
    start, stop
        The ends; arrays of them broadcast. A negative or complex start is turned to the positive
        axis, and the result back.
    endpoint, dtype, axis
        As of `linspace`.

    Raises
    ------
    ShapeError
        If an end that is known now is zero.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.geomspace(1, 8, 4).compute()
    array([1., 2., 4., 8.])
    """
    wanted = np.dtype(float) if dtype is None else as_dtype(dtype)
    kind = np.result_type(*[asarray(v).dtype for v in (start, stop)], float(num), wanted)
    first, last = _end(start, kind), _end(stop, kind)
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
    places = _places(numbers.shape[0], numbers.ndim - 1)
    numbers = where(FUNCTIONS["equal"](places, 0), first, numbers)
    if endpoint and numbers.shape[0] > 1:
        numbers = where(FUNCTIONS["equal"](places, numbers.shape[0] - 1), last, numbers)
    numbers = FUNCTIONS["multiply"](numbers, turn)
    numbers = moveaxis(numbers, 0, axis) if axis else numbers
    return astype(numbers, kind if dtype is None else wanted)
