"""The arithmetic of each monoid: states of leaves, their combination, the final value.

A state array has the shape of the nodes it stands for; monoids with several parts use a structured
dtype. Leaves come as cells (leaves, n, kept): the n cells of a leaf in C order of the reduced axes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cpu.cells import reproducible_ufuncs

Block = np.ndarray[Any, Any]
LANES: Final = 32


@dataclass(frozen=True)
class Arithmetic:
    """How one monoid computes.

    Attributes
    ----------
    leaf
        (cells (leaves, n, kept), state dtype) -> states (leaves, kept).
    combine
        (left, right, left counts, right counts) -> states; counts are cells a node stands for.
    finish
        (states, number of cells, ddof) -> values.
    identity
        State of no cells, from the state's dtype; None if there is none.
    counted
        Whether `combine` reads the counts; where it does not, they may be anything.
    """

    leaf: Callable[[Block, np.dtype[Any]], Block]
    combine: Callable[[Block, Block, Block, Block], Block]
    finish: Callable[[Block, int, float], Block]
    identity: Callable[[np.dtype[Any]], Any] | None
    counted: bool = False


def fold(function: Callable[..., Any], cells: Block) -> Block:
    """Fold axis 1 of cells (leaves, n, kept): in turn to `LANES` accumulators, folded by halves.

    Python objects and texts are folded in order, as to add them need not be commutative.
    """
    if cells.dtype.hasobject:
        folded: Block = getattr(np, function.__name__).reduce(cells, axis=1)
        return folded
    lanes, done = _whole_rounds(function, cells)
    for start in range(done, cells.shape[1], LANES):
        part = cells[:, start : start + LANES]
        low = lanes[:, : part.shape[1]]
        function(low, part, out=low)
    width = LANES
    while width > 1:
        width //= 2
        high = lanes[:, width : 2 * width]
        if high.shape[1]:
            low = lanes[:, : high.shape[1]]
            function(low, high, out=low)
        lanes = lanes[:, :width]
    return lanes[:, 0]


def _whole_rounds(function: Callable[..., Any], cells: Block) -> tuple[Block, int]:
    """The accumulators after all whole rounds of lanes, and the number of cells in these.

    A ufunc's reduction along an axis that is not the last one in memory adds row to row, hence in
    this order; leaf by leaf it stays in the first cache and takes a fourth of the time.
    """
    leaves, n, kept = cells.shape
    rounds = n // LANES
    if (
        reproducible_ufuncs.is_exact(function, cells.dtype)
        or not cells.flags.c_contiguous
        or rounds < 2
    ):
        return cells[:, :LANES].copy(), LANES
    rows = cells[:, : rounds * LANES].reshape(leaves, rounds, LANES, kept)
    ufunc: Any = getattr(np, function.__name__)
    options: dict[str, Any] = {"dtype": cells.dtype} if cells.dtype.kind in "biu" else {}
    if ufunc is np.add:
        options["initial"] = _nothing_added(cells.dtype)
    lanes: Block = ufunc.reduce(rows, axis=1, **options)
    return lanes, rounds * LANES


def _nothing_added(dtype: np.dtype[Any]) -> Any:
    """The number that changes no cell when it is added, -0.0 included."""
    if dtype.kind == "c":
        return dtype.type(complex(-0.0, -0.0))
    return dtype.type(-0.0) if dtype.kind == "f" else np.zeros((), dtype)[()]


def zero(dtype: np.dtype[Any]) -> Any:
    """Return the sum of no cells: +0.0, as NumPy's; nothing is ever added to it."""
    return np.zeros((), dtype)


def _ufunc(
    function: Callable[..., Any],
    identity: Callable[[np.dtype[Any]], Any] | None,
    finish: Callable[[Block, int, float], Block] | None = None,
) -> Arithmetic:
    return Arithmetic(
        leaf=lambda cells, state: fold(function, cells.astype(state, copy=False)),
        combine=lambda a, b, _m, _n: function(a, b),
        finish=finish or _as_is,
        identity=identity,
    )


def _as_is(states: Block, _count: int, _ddof: float) -> Block:
    return states


def _begun(
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


def _filled(value: float) -> Callable[[np.dtype[Any]], Any]:
    return lambda dtype: np.asarray(value).astype(dtype)


def _mean_finish(states: Block, count: int, ddof: float) -> Block:  # noqa: ARG001
    if states.dtype.kind == "m":
        return np.asarray(states / count) if count else np.full_like(states, "NaT")
    if states.dtype.hasobject:
        return np.asarray(states / count, states.dtype)
    return np.asarray(np.true_divide(states + 0.0, np.asarray(count, states.real.dtype)))


def _square_moduli(off: Block) -> Block:
    return off * off if off.dtype.kind != "c" else off.real * off.real + off.imag * off.imag


def _variance_leaf(cells: Block, state: np.dtype[Any]) -> Block:
    work = cells.astype(state["mean"], copy=False)
    result = np.empty((cells.shape[0], cells.shape[2]), state)
    result["mean"] = fold(np.add, work) / state["m2"].type(cells.shape[1])
    result["m2"] = fold(np.add, _square_moduli(work - result["mean"][:, None]))
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
    return np.asarray(states["m2"] / degrees)


def _std_finish(states: Block, count: int, ddof: float) -> Block:
    return np.asarray(np.sqrt(_variance_finish(states, count, ddof)))


def _numbers(cells: Block, dtype: np.dtype[Any]) -> tuple[Block, Block | None, Block]:
    """The cells with NaNs replaced by what adds nothing; where NaNs are; the count of numbers."""
    nan = np.isnan(cells)
    work = cells.astype(dtype, copy=False)
    lost = np.count_nonzero(nan, axis=1)
    if not lost.any():
        return work, None, cells.shape[1] - lost
    return np.where(nan, _nothing_added(dtype), work), nan, cells.shape[1] - lost


def _number_mean_leaf(cells: Block, state: np.dtype[Any]) -> Block:
    result = np.empty((cells.shape[0], cells.shape[2]), state)
    numbers, _, result["count"] = _numbers(cells, state["sum"])
    result["sum"] = fold(np.add, numbers)
    return result


def _number_mean_combine(a: Block, b: Block, m: Block, n: Block) -> Block:  # noqa: ARG001
    result: Block = np.empty(np.broadcast_shapes(a.shape, b.shape), a.dtype)
    for part in ("sum", "count"):
        result[part] = a[part] + b[part]
    return result


def _number_mean_finish(states: Block, count: int, ddof: float) -> Block:  # noqa: ARG001
    total = np.asarray(states["sum"]) + 0.0
    return np.asarray(np.true_divide(total, np.asarray(states["count"], total.real.dtype)))


def _number_variance_leaf(cells: Block, state: np.dtype[Any]) -> Block:
    result = np.empty((cells.shape[0], cells.shape[2]), state)
    numbers, nan, count = _numbers(cells, state["mean"])
    result["count"] = count
    result["mean"] = fold(np.add, numbers) / np.maximum(count, 1).astype(state["m2"])
    squares = _square_moduli(numbers - result["mean"][:, None])
    if nan is not None:
        squares[nan] = 0
    result["m2"] = fold(np.add, squares)
    return result


def _number_variance_combine(a: Block, b: Block, m: Block, n: Block) -> Block:
    """Chan's update with the numbers of each state; a state without numbers changes nothing."""
    m, n = a["count"], b["count"]
    result = _variance_combine(a, b, m, n)
    result["count"] = m + n
    return np.where(n == 0, a, np.where(m == 0, b, result))


def _number_variance_finish(states: Block, count: int, ddof: float) -> Block:  # noqa: ARG001
    """NaN where the numbers are `ddof` or fewer."""
    degrees = np.asarray(states["count"] - ddof)
    share = states["m2"] / degrees.astype(states["m2"].dtype)
    return np.asarray(np.where(degrees > 0, share, share.dtype.type(np.nan)))


def _number_std_finish(states: Block, count: int, ddof: float) -> Block:
    return np.asarray(np.sqrt(_number_variance_finish(states, count, ddof)))


def _range_leaf(cells: Block, state: np.dtype[Any]) -> Block:
    result = np.empty((cells.shape[0], cells.shape[2]), state)
    result["least"], result["greatest"] = fold(np.minimum, cells), fold(np.maximum, cells)
    return result


def _range_combine(a: Block, b: Block, m: Block, n: Block) -> Block:  # noqa: ARG001
    result: Block = np.empty(np.broadcast_shapes(a.shape, b.shape), a.dtype)
    result["least"] = np.minimum(a["least"], b["least"])
    result["greatest"] = np.maximum(a["greatest"], b["greatest"])
    return result


def _range_finish(states: Block, count: int, ddof: float) -> Block:  # noqa: ARG001
    return np.asarray(np.subtract(states["greatest"], states["least"]))


def _nothing(state: np.dtype[Any]) -> Any:
    """State of no cells, of means and variances."""
    return np.zeros((), state)


def _place(function: Callable[..., Block], better: np.ufunc) -> Arithmetic:
    def leaf(cells: Block, state: np.dtype[Any]) -> Block:
        result = np.empty((cells.shape[0], cells.shape[2]), state)
        place = function(cells, axis=1)
        result["place"] = place
        result["value"] = np.take_along_axis(cells, place[:, None], 1)[:, 0]
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

    return Arithmetic(leaf, combine, lambda states, _count, _ddof: states["place"], None)


def _number_place(function: Callable[..., Block], better: np.ufunc, worst: float) -> Arithmetic:
    """The place of the best number; a NaN counts as the `worst` one, as in NumPy."""
    places = _place(function, better)

    def leaf(cells: Block, state: np.dtype[Any]) -> Block:
        nan = np.isnan(cells)
        held = places.leaf(np.where(nan, np.asarray(worst, cells.dtype), cells), state)
        held["number"] = ~nan.all(axis=1)
        return held

    def combine(a: Block, b: Block, m: Block, n: Block) -> Block:
        best = places.combine(a, b, m, n)
        best["number"] = a["number"] | b["number"]
        return best

    def finish(states: Block, count: int, ddof: float) -> Block:
        if not states["number"].all():
            raise ValueError("All-NaN slice encountered")
        return places.finish(states, count, ddof)

    return Arithmetic(leaf, combine, finish, None)


ARITHMETIC: Final = {
    "sum": _ufunc(np.add, zero, _begun(np.add, 0.0, "fc")),
    "add": _ufunc(np.add, None),
    "prod": _ufunc(
        reproducible_ufuncs.multiply, _filled(1), _begun(reproducible_ufuncs.multiply, 1.0, "c")
    ),
    "min": _ufunc(np.minimum, None),
    "max": _ufunc(np.maximum, None),
    "fmin": _ufunc(reproducible_ufuncs.fmin, None),
    "fmax": _ufunc(reproducible_ufuncs.fmax, None),
    "any": _ufunc(np.logical_or, _filled(0)),
    "all": _ufunc(np.logical_and, _filled(1)),
    "xor": _ufunc(np.logical_xor, _filled(0)),
    "bitwise_and": _ufunc(np.bitwise_and, _filled(-1)),
    "bitwise_or": _ufunc(np.bitwise_or, _filled(0)),
    "bitwise_xor": _ufunc(np.bitwise_xor, _filled(0)),
    "gcd": _ufunc(np.gcd, _filled(0), _begun(np.gcd, 0, "i")),
    "lcm": _ufunc(np.lcm, None),
    "hypot": _ufunc(np.hypot, _filled(0), _begun(np.hypot, 0.0, "f")),
    "logaddexp": _ufunc(np.logaddexp, _filled(-np.inf)),
    "logaddexp2": _ufunc(np.logaddexp2, _filled(-np.inf)),
    "mean": Arithmetic(
        _ufunc(np.add, zero).leaf, lambda a, b, _m, _n: np.add(a, b), _mean_finish, zero
    ),
    "var": Arithmetic(_variance_leaf, _variance_combine, _variance_finish, _nothing, True),
    "std": Arithmetic(_variance_leaf, _variance_combine, _std_finish, _nothing, True),
    "nanmean": Arithmetic(_number_mean_leaf, _number_mean_combine, _number_mean_finish, _nothing),
    "nanvar": Arithmetic(
        _number_variance_leaf, _number_variance_combine, _number_variance_finish, _nothing
    ),
    "nanstd": Arithmetic(
        _number_variance_leaf, _number_variance_combine, _number_std_finish, _nothing
    ),
    "ptp": Arithmetic(_range_leaf, _range_combine, _range_finish, None),
    "argmin": _place(np.argmin, np.less),
    "argmax": _place(np.argmax, np.greater),
    "nanargmin": _number_place(np.argmin, np.less, np.inf),
    "nanargmax": _number_place(np.argmax, np.greater, -np.inf),
}
