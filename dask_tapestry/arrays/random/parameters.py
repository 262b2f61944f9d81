"""Arguments of random arrays, checked: sizes, dtypes, parameters of distributions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from dask_tapestry.amounts import reading
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dtypes import as_dtype
from dask_tapestry.arrays.core.known_values import where_known
from dask_tapestry.arrays.core.shape_arguments import Shape, shape_of
from dask_tapestry.arrays.random.bounds import Bound, checked_later, is_lazy, real_parameter
from dask_tapestry.cells.fixed_dtype import dtype_name
from dask_tapestry.errors import ArgumentError, DTypeError, ValueRangeError
from dask_tapestry.operators.axes import normalize_axis
from dask_tapestry.operators.broadcast_shapes import broadcast_shape
from dask_tapestry.operators.cells.elementwise import Operand, astype, elementwise
from dask_tapestry.operators.random.random_bits import BITS_DTYPE
from dask_tapestry.teg import Tensor

WORD = 2**64
FINITE = Bound("{name} range exceeds valid bounds", lambda apply, x: apply("isfinite", x))
LENGTH = Bound("{name} < 0", lambda apply, x: apply("greater_equal", x, 0))


def float_dtype(dtype: DTypeLike | None, name: str) -> np.dtype[Any]:
    """`dtype`, which must be float16, float32 or float64."""
    kind = as_dtype(dtype)
    if kind not in (np.float16, np.float32, np.float64):
        raise DTypeError(f"Unsupported dtype {kind!r} for {name}")
    return kind


def no_out(out: None) -> None:
    """Refuse an array to write to."""
    if out is not None:
        raise DTypeError("out: an Array cannot be written to; assign the result")


def real_interval(low: ArrayLike, high: ArrayLike) -> tuple[Operand, Operand]:
    """The lower end of an interval and its length, as float64.

    {Raises} ValueError, OverflowError: If the length is negative or not finite. Cells computed
        later are checked then.
    """
    least, most = real_parameter(low), real_parameter(high)
    if is_lazy(low) or is_lazy(high):
        length = elementwise("subtract", most, least)
        return least, checked_later(length, "high - low", (FINITE, LENGTH))
    with np.errstate(over="ignore", invalid="ignore"):
        span = np.asarray(high, np.float64) - np.asarray(low, np.float64)
    if not np.isfinite(span).all():
        raise ValueRangeError("high - low range exceeds valid bounds")
    if (span < 0).any():
        raise ArgumentError("high - low < 0")
    return least, real_parameter(span)


def output_shape(size: Shape | None, *parameters: Operand) -> tuple[int, ...]:
    """The common shape of `size`, if it is given, and the parameters, as in Dask.

    NumPy refuses a size of which the parameters make more, as ``poisson(rates, size=1)``.
    """
    shapes = [p.type.shape for p in parameters if isinstance(p, Tensor)]
    if size is not None:
        shapes.append(shape_of(size))
    return broadcast_shape(shapes, "size and parameters") if shapes else ()


def integer_bounds(
    low: ArrayLike, high: ArrayLike | None, dtype: np.dtype[Any], endpoint: bool
) -> tuple[int | Tensor, int | Tensor]:
    """The least integer and the number of integers, modulo 2**64 where they are tensors.

    {Raises} ValueError: If there is none, or they do not fit the dtype. Cells that are computed
        later are not checked.
    """
    if high is None:
        low, high = 0, low
    if is_lazy(low) or is_lazy(high):
        least, end = _integer_cells(low), _integer_cells(high)
        count = elementwise("subtract", end, least)
        return least, elementwise("add", count, 1) if endpoint else count
    lows, highs = _exact(low), _exact(high)
    broadcast_shape([lows.shape, highs.shape], "low and high")
    last = highs if endpoint else highs - 1
    ends = (False, True) if dtype.kind == "b" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    if np.any(lows < int(ends[0])):
        raise ArgumentError(f"low is out of bounds for {dtype_name(dtype)}")
    if np.any(last > int(ends[1])):
        raise ArgumentError(f"high is out of bounds for {dtype_name(dtype)}")
    if np.any(last < lows):
        raise ArgumentError("low > high" if endpoint else "low >= high")
    counts = np.asarray(last - lows + 1, object)
    if not counts.ndim:
        return int(lows), int(counts)
    return _as_words(lows), _as_words(counts)


@reading("bounds")
def _exact(value: Any) -> np.ndarray[Any, Any]:
    """Cells as Python integers, which can be compared and subtracted whatever their size."""
    if not np.ndim(value):
        return np.array(int(value), object)
    return np.asarray(np.vectorize(int, otypes=[object])(value))


def _as_words(cells: np.ndarray[Any, Any]) -> Tensor:
    return asarray(np.asarray(cells % WORD, BITS_DTYPE)).node


def _integer_cells(value: ArrayLike) -> Tensor:
    if not is_lazy(value):
        return _as_words(_exact(value))
    tensor = asarray(value).node
    if tensor.type.dtype.kind not in "biu":
        raise DTypeError(f"bounds of integers are integers, not {tensor.type}")
    return astype(tensor, BITS_DTYPE)


def population(a: ArrayLike, axis: int) -> tuple[Tensor | None, int, int]:
    """What to choose from: the array (None for integers), how many slices it has, and its axis."""
    if isinstance(a, int | np.integer):
        return None, int(a), 0
    tensor = asarray(a).node
    if not tensor.type.ndim:
        raise ArgumentError(f"a must be a sequence or an integer, not {type(a)}")
    number = normalize_axis(axis, tensor.type.ndim)
    return tensor, tensor.type.shape[number], number


def probabilities(p: ArrayLike, count: int) -> np.ndarray[Any, Any]:
    """The shares `p` as float64.

    {Raises} ValueError: If they are not `count` shares of one.
    """
    p = where_known(p)
    if is_lazy(p):
        raise DTypeError("p must be known when the expression is built: compute() it first")
    with reading("p"):
        shares = np.asarray(p, np.float64)
    if shares.ndim != 1:
        raise ArgumentError("p must be 1-dimensional")
    if shares.size != count:
        raise ArgumentError("a and p must have same size")
    if np.isnan(shares).any():
        raise ArgumentError("Probabilities contain NaN")
    if (shares < 0).any():
        raise ArgumentError("Probabilities are not non-negative")
    if abs(shares.sum() - 1) > np.sqrt(np.finfo(np.float64).eps):
        raise ArgumentError("Probabilities do not sum to 1.")
    return shares


def probability_edges(p: ArrayLike, count: int) -> np.ndarray[Any, Any]:
    """The ends of the shares `p` of the unit interval, filled up with infinities to 2**k - 1.

    {Raises} ValueError: If they are not `count` shares of one.
    """
    ends = np.cumsum(probabilities(p, count))
    edges = np.full(2 ** count.bit_length() - 1, np.inf)
    edges[: count - 1] = (ends / ends[-1])[:-1]
    return edges
