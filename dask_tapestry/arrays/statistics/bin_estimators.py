"""Estimators of a histogram's number of bins, by NumPy's names.

The number depends on the data, so it is a count: a few statistics are computed when a shape is
first asked for, and the number follows from these in NumPy's arithmetic.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.amounts import listed
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.dynamic_shape import Counts, Deferred
from dask_tapestry.arrays.core.known_values import where_known
from dask_tapestry.arrays.core.lanes import LaneArray
from dask_tapestry.arrays.core.reduction_arguments import NOT_GIVEN
from dask_tapestry.arrays.statistics.averages import mean, std
from dask_tapestry.arrays.statistics.bincount import is_at_hand
from dask_tapestry.arrays.statistics.extremes import max, min
from dask_tapestry.arrays.statistics.histogram_edges import DOUBLE, Range
from dask_tapestry.arrays.statistics.quantile_values import nan_values
from dask_tapestry.arrays.statistics.quantiles import percentile
from dask_tapestry.arrays.statistics.reductions import sum
from dask_tapestry.arrays.tuning import MOST_BINS
from dask_tapestry.errors import ArgumentError, DTypeError
from dask_tapestry.operators.cells.elementwise import astype, elementwise
from dask_tapestry.operators.cells.where import where as choose
from dask_tapestry.operators.generators.full import full
from dask_tapestry.operators.joins.stack import stack
from dask_tapestry.teg import Node, Tensor

__all__: list[str] = []

Ends = tuple[Any, Any]  # numbers
Number = Any  # NumPy's scalar: its dtype says in which precision a width is computed


class Statistics(NamedTuple):
    """What the number of bins follows from; those are zero that an estimator does not read."""

    cells: int
    least: Number
    greatest: Number
    spread: Number
    deviation: Number
    upper: Number
    lower: Number
    cubes: Number


def _sturges(s: Statistics) -> Number:
    return s.spread / (np.log2(s.cells) + 1.0)


def _root(s: Statistics) -> Number:
    return s.spread / np.sqrt(s.cells)


def _rice(s: Statistics) -> Number:
    return s.spread / (2.0 * s.cells ** (1.0 / 3))


def _scott(s: Statistics) -> Number:
    return (24.0 * np.pi**0.5 / s.cells) ** (1.0 / 3.0) * s.deviation


def _freedman_diaconis(s: Statistics) -> Number:
    return 2.0 * (s.upper - s.lower) * s.cells ** (-1.0 / 3.0)


def _auto(s: Statistics) -> Number:
    wide = builtins.max(_freedman_diaconis(s), _root(s) / 2)  # else outliers make too many
    return builtins.min(wide, _sturges(s))


def _doane(s: Statistics) -> Number:
    n = s.cells
    if n <= 2 or not s.deviation > 0:
        return 0.0
    usual = np.sqrt(6.0 * (n - 2) / ((n + 1.0) * (n + 3)))
    return s.spread / (1.0 + np.log2(n) + np.log2(1.0 + np.abs(s.cubes) / usual))


WIDTHS: Final[dict[str, Callable[[Statistics], Number]]] = {
    "auto": _auto, "doane": _doane, "fd": _freedman_diaconis, "rice": _rice, "scott": _scott,
    "sqrt": _root, "sturges": _sturges,
}  # fmt: skip


def with_estimated_bins(
    x: Array,
    name: str,
    bounds: Range,
    weights: ArrayLike | None,
    *makers: Callable[[Array, int], Array],
) -> tuple[Array, ...]:
    """Return what functions build of the cells and the number of bins, once that is counted.

    {Parameters}
        x: At least one cell.
        name: NumPy's name of the estimator.
        bounds: Cells outside are not looked at.
        weights: None.
        *makers: Each takes cells and a number of bins.
    {Raises}
        ArgumentError: If there is no such estimator, this is ``"stone"``, or bounds are to be
            computed.
        DTypeError: If the cells are not real numbers, or there are weights.
    """
    if weights is not None:
        raise DTypeError("no estimator of the number of bins takes weights; give a number")
    if name == "stone":
        raise ArgumentError(
            "bins='stone' tries as many histograms as the root of the number of cells: "
            "take numpy.histogram_bin_edges of a sample, and give these edges"
        )
    if name not in WIDTHS:
        raise ArgumentError(f"{name!r} is not a valid estimator for `bins`")
    if x.dtype.kind not in "iuf":
        raise DTypeError(f"bins={name!r}: no estimator takes cells of dtype {x.dtype}")
    limits = None if bounds is None else _edge_range(bounds)
    keep = () if is_at_hand(x.node) else (x.node,)
    values = stack([astype(one, DOUBLE) for one in _statistics(x, name, limits)])

    def deferred(make: Callable[[Array, int], Array]) -> Array:
        def build(counted: Counts, kept: Sequence[Node]) -> Node:
            return make(Array(kept[0]) if kept else x, _bins(x.dtype, name, limits, counted)).node

        bound = full((MOST_BINS + 1,), np.zeros((), make(x, 1).dtype)[()])
        owner = values if keep else x.node  # what is kept goes with what reads it
        return Array(Deferred(values, keep, build, bound, owner))

    return tuple(map(deferred, makers))


def _edge_range(bounds: Sequence[Any]) -> Ends:
    """The least and the greatest edge; ±0.5 around one value."""
    ends: list[Any] = [where_known(one) for one in listed(bounds, "two ends")]
    if len(ends) != 2 or any(np.ndim(end) for end in ends):
        raise ArgumentError(f"range must be two numbers, not {bounds!r}")
    low, high = ends
    if any(isinstance(end, Array) for end in ends):
        raise ArgumentError("estimators take no range that is to be computed: compute it first")
    return (low - 0.5, high + 0.5) if low == high else (low, high)


def _statistics(x: Array, name: str, bounds: Ends | None) -> list[Tensor]:
    """The fields of `Statistics`, each without dimensions."""
    where: Any = NOT_GIVEN
    cells, least, greatest = Array(full((), np.int64(x.size))), NOT_GIVEN, NOT_GIVEN
    if bounds is not None:
        where = (x >= bounds[0]) & (x <= bounds[1])
        ends = np.finfo(x.dtype) if x.dtype.kind == "f" else np.iinfo(x.dtype)
        cells, least, greatest = sum(where), x.dtype.type(ends.max), x.dtype.type(ends.min)
    low, high = min(x, initial=least, where=where), max(x, initial=greatest, where=where)
    range_statistics = [cells, low, high, _difference(high, low)]
    none = Array(full((), np.float64(0)))
    deviation = std(x, where=where) if name in ("scott", "doane") else none
    upper, lower, cubes = none, none, none
    if name in ("auto", "fd"):
        upper, lower = _quartiles(x, None if bounds is None else where)
    if name == "doane":
        cubes = mean(((x - mean(x, where=where)) / deviation) ** 3, where=where)
    return [one.node for one in (*range_statistics, deviation, upper, lower, cubes)]


def _difference(high: Array, low: Array) -> Array:
    """How far two cells are apart: of integers of a sign, in integers without one."""
    if high.dtype.kind != "i":
        return high - low
    wide = [astype(one.node, np.dtype(np.int64)) for one in (high, low)]
    return Array(astype(elementwise("subtract", *wide), np.dtype(np.uint64)))


def _quartiles(x: Array, where: Array | None) -> tuple[Array, Array]:
    """The third and the first quartile of the cells, or of those where a mask is true."""
    if where is None:
        upper_and_lower = percentile(x, [75, 25])
    else:
        kind = x.dtype if x.dtype.kind == "f" else DOUBLE
        cells = astype(x.node, kind)
        lanes = LaneArray(Array(choose(where.node, cells, kind.type(np.nan))), None)
        upper_and_lower = nan_values(
            lanes, np.array([0.75, 0.25], kind), "linear", False, tells=False
        )
    return upper_and_lower[0], upper_and_lower[1]


def _bins(kind: np.dtype[Any], name: str, bounds: Ends | None, counted: Counts) -> int:
    """The number of bins that follows from what was counted."""
    number: Any = kind.type if kind.kind == "f" else np.float64
    s = Statistics(int(counted[0]), *map(number, counted[1:]))
    if not s.cells:
        return 1
    if not (np.isfinite(s.least) and np.isfinite(s.greatest)):
        raise ArgumentError(f"autodetected range of [{s.least}, {s.greatest}] is not finite")
    with np.errstate(all="ignore"):
        width = WIDTHS[name](s)
        if not width:
            return 1
        if kind.kind in "iu":
            width = builtins.max(width, 1.0)
        reach = s.spread if bounds is None else np.subtract(*bounds[::-1])
        bins = np.ceil((reach or 1.0) / width)  # bins around one value reach from -.5 to .5
    if not bins <= MOST_BINS:
        raise ArgumentError(
            f"Too many bins for data range. Cannot create {bins} finite-sized bins."
        )
    return int(bins)
