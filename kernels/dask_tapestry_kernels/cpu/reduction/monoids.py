"""The arithmetic of each monoid: states of leaves, their combination, the final value.

A state array has the shape of the nodes it stands for; monoids with several parts use a structured
dtype. Leaves come as cells whose first axes are the sides of a leaf; the others are leaves and kept
cells, in any order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cpu.cells import reproducible_ufuncs
from dask_tapestry_kernels.cpu.reduction.lane_folds import flat, fold, nothing_added
from dask_tapestry_kernels.cpu.reduction.spread_merges_compiled import merged_spreads
from dask_tapestry_kernels.floating_point import checking_fp_errors, tell, telling

Block = np.ndarray[Any, Any]


@dataclass(frozen=True)
class MonoidOps:
    """How one monoid computes.

    Attributes
    ----------
    leaf
        (cells, state dtype, number of a leaf's axes, which come first; 1) -> states.
    combine
        (left, right, left counts, right counts) -> states; counts are cells a node stands for.
    finish
        (states, number of cells, ddof) -> values.
    identity
        State of no cells, from the state's dtype; None if there is none.
    counted
        Whether `combine` reads the counts; where it does not, they may be anything.
    function
        What folds cells of the state's dtype, or of its mean's, to a leaf; None if more is done.
    spread
        Whether a leaf has a mean and a sum of squared deviations from it.
    """

    leaf: Callable[..., Block]
    combine: Callable[[Block, Block, Block, Block], Block]
    finish: Callable[[Block, int, float], Block]
    identity: Callable[[np.dtype[Any]], Any] | None
    counted: bool = False
    function: Callable[..., Any] | None = None
    spread: bool = False


def zero(dtype: np.dtype[Any]) -> Any:
    """Return the sum of no cells: +0.0, as NumPy's; nothing is ever added to it."""
    return np.zeros((), dtype)


def _ufunc(
    function: Callable[..., Any],
    identity: Callable[[np.dtype[Any]], Any] | None,
    finish: Callable[[Block, int, float], Block] | None = None,
) -> MonoidOps:
    def leaf(cells: Block, state: np.dtype[Any], rank: int = 1) -> Block:
        return fold(function, cells.astype(state, copy=False), rank)

    return MonoidOps(
        leaf=leaf,
        combine=lambda a, b, _m, _n: function(a, b),
        finish=finish or _as_is,
        identity=identity,
        function=function,
    )


def _as_is(states: Block, _count: int, _ddof: float) -> Block:
    return states


def _finish_from_identity(
    function: Callable[..., Any], value: float, kinds: str
) -> Callable[[Block, int, float], Block]:
    """Finish as if begun at the identity, as NumPy begins, for the dtypes where that shows.

    A sum is not -0.0, a product of complex infinities is not a number, a gcd is not negative.
    """

    def finish(states: Block, _count: int, _ddof: float) -> Block:
        if states.dtype.kind not in kinds:
            return states
        return np.asarray(function(np.asarray(value, states.dtype), states))

    return finish


def _best_number(states: Block, _count: int, _ddof: float) -> Block:
    if states.dtype.kind in "fcmM" and np.isnan(states).any():
        tell("All-NaN slice encountered")
    return states


def _filled(value: float) -> Callable[[np.dtype[Any]], Any]:
    return lambda dtype: np.asarray(value).astype(dtype)


def _mean_finish(states: Block, count: int, ddof: float) -> Block:  # noqa: ARG001
    if states.dtype.kind == "m":
        return np.asarray(states / count) if count else np.full_like(states, "NaT")
    if states.dtype.hasobject:
        return np.asarray(states / count, states.dtype)
    if not count:
        tell("Mean of empty slice")
    return _divided(states + 0.0, np.asarray(count, states.real.dtype))


def _divided(total: Block, count: Block) -> Block:
    """``total / count``; of no cells NumPy says so."""
    if not count.all():
        _tell_quotient(total)
    return np.asarray(np.true_divide(total, count))


def _tell_quotient(total: Block) -> None:
    """Say what NumPy says of a division by 0."""
    with checking_fp_errors() as dividing:
        np.true_divide(total, 0)
    if dividing is not None:
        dividing.tell({"divide": "divide" if total.ndim else "scalar divide"})


def _square_moduli(off: Block) -> Block:
    return off * off if off.dtype.kind != "c" else off.real * off.real + off.imag * off.imag


def _variance_leaf(cells: Block, state: np.dtype[Any], rank: int = 1) -> Block:
    work = cells.astype(state["mean"], copy=False)
    result = np.empty(cells.shape[rank:], state)
    mean = fold(np.add, work, rank) / state["m2"].type(prod(cells.shape[:rank]))
    result["mean"] = mean
    result["m2"] = fold(np.add, _square_moduli(work - mean), rank)
    return result


def _variance_combine(a: Block, b: Block, m: Block, n: Block) -> Block:
    """Chan's update of mean and sum of squared deviations.

    Source: Chan, Golub, LeVeque, "Updating formulae and a pairwise algorithm for computing sample
    variances", 1979.
    """
    result: Block = np.empty(np.broadcast_shapes(a.shape, b.shape), a.dtype)
    real = a.dtype["m2"]
    share = (n / (m + n)).astype(real)
    mean = a["mean"]
    off = b["mean"] - mean
    result["mean"] = mean + reproducible_ufuncs.scale(off, share)
    result["m2"] = a["m2"] + b["m2"] + _square_moduli(off) * (m.astype(real) * share)
    return result


def _variance_finish(states: Block, count: int, ddof: float) -> Block:
    degrees = np.asarray(max(count - ddof, 0), states["m2"].dtype)
    if not degrees:
        tell("Degrees of freedom <= 0 for slice")
    return _divided(states["m2"], degrees)


def _std_finish(states: Block, count: int, ddof: float) -> Block:
    return np.asarray(np.sqrt(_variance_finish(states, count, ddof)))


def _numbers(cells: Block, dtype: np.dtype[Any], rank: int) -> tuple[Block, Block | None, Block]:
    """The cells with NaNs replaced by what adds nothing; where NaNs are; the count of numbers."""
    nan = np.isnan(cells)
    work = cells.astype(dtype, copy=False)
    lost = np.count_nonzero(nan, axis=tuple(range(rank)))
    count = prod(cells.shape[:rank]) - lost
    if not np.any(lost):
        return work, None, count
    return np.where(nan, nothing_added(dtype), work), nan, count


def _number_mean_leaf(cells: Block, state: np.dtype[Any], rank: int = 1) -> Block:
    result = np.empty(cells.shape[rank:], state)
    numbers, _, result["count"] = _numbers(cells, state["sum"], rank)
    result["sum"] = fold(np.add, numbers, rank)
    return result


def _number_mean_combine(a: Block, b: Block, m: Block, n: Block) -> Block:  # noqa: ARG001
    result: Block = np.empty(np.broadcast_shapes(a.shape, b.shape), a.dtype)
    for part in ("sum", "count"):
        result[part] = a[part] + b[part]
    return result


def _number_mean_finish(states: Block, count: int, ddof: float) -> Block:  # noqa: ARG001
    total = np.asarray(states["sum"]) + 0.0
    if not np.all(states["count"]):
        tell("Mean of empty slice")
    return np.asarray(np.true_divide(total, np.asarray(states["count"], total.real.dtype)))


def _number_variance_leaf(cells: Block, state: np.dtype[Any], rank: int = 1) -> Block:
    result = np.empty(cells.shape[rank:], state)
    numbers, nan, count = _numbers(cells, state["mean"], rank)
    result["count"] = count
    mean = fold(np.add, numbers, rank) / np.maximum(count, 1).astype(state["m2"])
    result["mean"] = mean
    squares = _square_moduli(numbers - mean)
    if nan is not None:
        squares[nan] = 0
    result["m2"] = fold(np.add, squares, rank)
    return result


def _number_variance_combine(a: Block, b: Block, m: Block, n: Block) -> Block:
    """Chan's update with the numbers of each state; a state without numbers changes nothing."""
    if (merged := merged_spreads(a, b)) is not None:
        return merged
    m, n = a["count"], b["count"]
    result = _variance_combine(a, b, m, n)
    result["count"] = m + n
    return np.where(n == 0, a, np.where(m == 0, b, result))


def _number_variance_finish(states: Block, count: int, ddof: float) -> Block:  # noqa: ARG001
    """NaN where the numbers are `ddof` or fewer."""
    degrees = np.asarray(states["count"] - ddof)
    if not np.all(degrees > 0):
        tell("Degrees of freedom <= 0 for slice.")
    share = states["m2"] / degrees.astype(states["m2"].dtype)
    return np.asarray(np.where(degrees > 0, share, share.dtype.type(np.nan)))


def _number_std_finish(states: Block, count: int, ddof: float) -> Block:
    return np.asarray(np.sqrt(_number_variance_finish(states, count, ddof)))


def _range_leaf(cells: Block, state: np.dtype[Any], rank: int = 1) -> Block:
    result = np.empty(cells.shape[rank:], state)
    result["least"] = fold(np.minimum, cells, rank)
    result["greatest"] = fold(np.maximum, cells, rank)
    return result


def _range_combine(a: Block, b: Block, m: Block, n: Block) -> Block:  # noqa: ARG001
    result: Block = np.empty(np.broadcast_shapes(a.shape, b.shape), a.dtype)
    result["least"] = np.minimum(a["least"], b["least"])
    result["greatest"] = np.maximum(a["greatest"], b["greatest"])
    return result


def _range_finish(states: Block, count: int, ddof: float) -> Block:  # noqa: ARG001
    with telling():
        return np.asarray(np.subtract(states["greatest"], states["least"]))


def _empty_state(state: np.dtype[Any]) -> Any:
    """State of no cells, of means and variances."""
    return np.zeros((), state)


def _place(function: Callable[..., Block], better: np.ufunc) -> MonoidOps:
    def leaf(cells: Block, state: np.dtype[Any], rank: int = 1) -> Block:
        cells = flat(cells, rank)
        result = np.empty(cells.shape[1:], state)
        place = function(cells, axis=0)
        result["place"] = place
        result["value"] = np.take_along_axis(cells, place[None], 0)[0]
        return result

    def combine(a: Block, b: Block, m: Block, n: Block) -> Block:  # noqa: ARG001
        """The better value, at a tie the lower place; a NaN beats every number."""
        x, y = a["value"], b["value"]
        if x.dtype.hasobject:
            wins = better(y, x)
            return np.where(wins | (~better(x, y) & (b["place"] < a["place"])), b, a)
        nan_x, nan_y = x != x, y != y
        wins = np.where(nan_x | nan_y, nan_y & ~nan_x, better(y, x))
        tie = (nan_x & nan_y) | (x == y)
        return np.where(wins | (tie & (b["place"] < a["place"])), b, a)

    return MonoidOps(leaf, combine, lambda states, _count, _ddof: states["place"], None)


def _spread(finish: Callable[[Block, int, float], Block]) -> MonoidOps:
    return MonoidOps(
        _variance_leaf, _variance_combine, finish, _empty_state, True, function=np.add, spread=True
    )


def _number_place(function: Callable[..., Block], better: np.ufunc, worst: float) -> MonoidOps:
    """The place of the best number; a NaN counts as the `worst` one, as in NumPy."""
    by_place = _place(function, better)

    def leaf(cells: Block, state: np.dtype[Any], rank: int = 1) -> Block:
        nan = np.isnan(cells)
        held = by_place.leaf(np.where(nan, np.asarray(worst, cells.dtype), cells), state, rank)
        held["number"] = ~nan.all(axis=tuple(range(rank)))
        return held

    def combine(a: Block, b: Block, m: Block, n: Block) -> Block:
        best = by_place.combine(a, b, m, n)
        best["number"] = a["number"] | b["number"]
        return best

    def finish(states: Block, count: int, ddof: float) -> Block:
        if not states["number"].all():
            raise ValueError("All-NaN slice encountered")
        return by_place.finish(states, count, ddof)

    return MonoidOps(leaf, combine, finish, None)


# What NumPy calls the loops in which a fold goes wrong, by those that go wrong here. Merging the
# nodes of spreads divides 0 by 0 where a node has no cells, which is no error.
LINEAR: Final = frozenset({"sum", "add", "prod", "mean", "nanmean"})
_IN_SUMS: Final = {"add": "reduce", "multiply": "reduce", "reduce": "reduce"}
_IN_SPREADS: Final = {"add": "reduce", "reduce": "reduce", "subtract": "subtract"}
FOLD_ERRORS: Final[Mapping[str, Mapping[str, str]]] = {
    **dict.fromkeys(LINEAR, _IN_SUMS),
    **{monoid: {**_IN_SPREADS, "multiply": "square"} for monoid in ("var", "std")},
    **{monoid: {**_IN_SPREADS, "multiply": "multiply"} for monoid in ("nanvar", "nanstd")},
}

ARITHMETIC: Final = {
    "sum": _ufunc(np.add, zero, _finish_from_identity(np.add, 0.0, "fc")),
    "add": _ufunc(np.add, None),
    "prod": _ufunc(
        reproducible_ufuncs.multiply,
        _filled(1),
        _finish_from_identity(reproducible_ufuncs.multiply, 1.0, "c"),
    ),
    "min": _ufunc(np.minimum, None),
    "max": _ufunc(np.maximum, None),
    "fmin": _ufunc(reproducible_ufuncs.fmin, None, _best_number),
    "fmax": _ufunc(reproducible_ufuncs.fmax, None, _best_number),
    "any": _ufunc(np.logical_or, _filled(0)),
    "all": _ufunc(np.logical_and, _filled(1)),
    "xor": _ufunc(np.logical_xor, _filled(0)),
    "bitwise_and": _ufunc(np.bitwise_and, _filled(-1)),
    "bitwise_or": _ufunc(np.bitwise_or, _filled(0)),
    "bitwise_xor": _ufunc(np.bitwise_xor, _filled(0)),
    "gcd": _ufunc(np.gcd, _filled(0), _finish_from_identity(np.gcd, 0, "i")),
    "lcm": _ufunc(np.lcm, None),
    "hypot": _ufunc(np.hypot, _filled(0), _finish_from_identity(np.hypot, 0.0, "f")),
    "logaddexp": _ufunc(np.logaddexp, _filled(-np.inf)),
    "logaddexp2": _ufunc(np.logaddexp2, _filled(-np.inf)),
    "mean": MonoidOps(
        _ufunc(np.add, zero).leaf,
        lambda a, b, _m, _n: np.add(a, b),
        _mean_finish,
        zero,
        function=np.add,
    ),
    "var": _spread(_variance_finish),
    "std": _spread(_std_finish),
    "nanmean": MonoidOps(
        _number_mean_leaf, _number_mean_combine, _number_mean_finish, _empty_state
    ),
    "nanvar": MonoidOps(
        _number_variance_leaf, _number_variance_combine, _number_variance_finish, _empty_state
    ),
    "nanstd": MonoidOps(
        _number_variance_leaf, _number_variance_combine, _number_std_finish, _empty_state
    ),
    "ptp": MonoidOps(_range_leaf, _range_combine, _range_finish, None),
    "argmin": _place(np.argmin, np.less),
    "argmax": _place(np.argmax, np.greater),
    "nanargmin": _number_place(np.argmin, np.less, np.inf),
    "nanargmax": _number_place(np.argmax, np.greater, -np.inf),
}
