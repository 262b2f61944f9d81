"""The edges of a histogram's bins: given, evenly between two values, or between computed ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, SupportsIndex, cast

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.amounts import integer, reading
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.known_values import where_known
from dask_tapestry.arrays.statistics.extremes import max, min
from dask_tapestry.cells.fixed_dtype import dtype_name
from dask_tapestry.errors import ArgumentError, DTypeError, ShapeError
from dask_tapestry.io.sources.numpy_source import constant
from dask_tapestry.operators.cells.assert_condition import assert_condition
from dask_tapestry.operators.cells.elementwise import astype, elementwise
from dask_tapestry.operators.cells.where import where as choose
from dask_tapestry.operators.generators.arange import arange
from dask_tapestry.operators.views.broadcast import broadcast
from dask_tapestry.teg import Tensor

Range = Sequence[ArrayLike] | None  # two values, which may be computed

DOUBLE = np.dtype(np.float64)
WIDE = np.dtype(np.int64)


def bin_edges(x: Array, bins: ArrayLike, bounds: Range, dtype: np.dtype[Any]) -> tuple[Array, bool]:
    """The edges, and whether they are evenly spaced; those within `bounds` are of `dtype`."""
    bins = where_known(bins)
    if isinstance(bins, Array) and bins.ndim:
        if bins.ndim != 1:
            raise ShapeError("`bins` must be 1d, when an array")
        return _rising(bins), False
    between = _range_bounds(bounds)
    with reading("bins"):
        np.ndim(bins)
    if between is not None and not np.ndim(bins) and any(isinstance(b, Array) for b in between):
        return _even_edges_between(x, between, integer(cast(SupportsIndex, bins))), True
    if np.ndim(bins) or bounds is not None or not x.size:
        none = np.empty(0, dtype)
        try:
            known = np.histogram_bin_edges(none, bins, between)
        except (ValueError, TypeError) as error:
            kind = ShapeError if isinstance(error, ValueError) else DTypeError
            raise kind(str(error)) from None
        return Array(constant(known)), not np.ndim(bins)
    try:
        count = integer(cast(SupportsIndex, bins))
    except TypeError:
        raise DTypeError("`bins` must be an integer, a string, or an array") from None
    return Array(_even_edges(x, count)), True


def _range_bounds(bounds: Any) -> Any:
    """The two values of `bounds`, those that lie in memory as they are."""
    if bounds is None:
        return None
    try:
        low, high = bounds
    except ValueError as error:
        raise ArgumentError(f"`range` is two numbers: {error}") from None
    except TypeError as error:
        raise DTypeError(f"`range` is two numbers: {error}") from None
    return [where_known(low), where_known(high)]


def _rising(edges: Array) -> Array:
    """Edges that are computed: whether they increase is checked then."""
    rising = ~(edges[:-1] > edges[1:]).any()  # NaN is not refused, as in NumPy
    message = "`bins` must increase monotonically, when an array"
    return Array(assert_condition(edges.node, broadcast(rising.node, edges.shape), message))


def _even_edges_between(x: Array, bounds: Sequence[ArrayLike], count: int) -> Array:
    """Evenly spaced edges between two values, of which some are computed."""
    low, high = (asarray(one) for one in bounds)
    if low.ndim or high.ndim:
        raise ArgumentError("`range` is two numbers")
    edges = Array(_even_edges(x, count, low.node, high.node))
    message = "max must be larger than min in range parameter."
    return Array(assert_condition(edges.node, broadcast((low <= high).node, edges.shape), message))


def _even_edges(
    x: Array, count: int, low: Tensor | None = None, high: Tensor | None = None
) -> Tensor:
    """Evenly spaced edges, by default from the least to the greatest cell; ±0.5 around one."""
    if count < 1:
        raise ArgumentError("`bins` must be positive, when an integer")
    if low is None or high is None:
        low, high = min(x).node, max(x).node
    if x.dtype.kind in "iu":
        low, high = astype(low, DOUBLE), astype(high, DOUBLE)
    elif x.dtype.kind not in "fc":
        raise DTypeError(
            f"bins between the least and the greatest cell of dtype {dtype_name(x.dtype)}"
        )
    single = elementwise("equal", low, high)
    first = choose(single, elementwise("subtract", low, 0.5), low)
    last = choose(single, elementwise("add", high, 0.5), high)
    kind = np.dtype(x.dtype.char.lower()) if x.dtype.kind in "fc" else DOUBLE
    place = arange(0, count + 1, 1, kind)
    step = elementwise("divide", elementwise("subtract", last, first), count)
    inner = elementwise("add", elementwise("multiply", place, step), first)
    is_last = elementwise("equal", arange(0, count + 1, 1, WIDE), count)
    return choose(is_last, last, inner)
