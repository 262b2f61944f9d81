"""The arithmetic of each monoid: states of leaves, their combination, the final value.

A state array has the shape of the nodes it stands for; monoids with several parts use a structured
dtype. Leaves come as cells (leaves, n, kept): the n cells of a leaf in C order of the reduced axes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cpu import exact

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
    """

    leaf: Callable[[Block, np.dtype[Any]], Block]
    combine: Callable[[Block, Block, Block, Block], Block]
    finish: Callable[[Block, int, float], Block]
    identity: Callable[[np.dtype[Any]], Any] | None


def fold(function: Callable[..., Any], cells: Block) -> Block:
    """Fold axis 1 of cells (leaves, n, kept): in turn to `LANES` accumulators, folded by halves."""
    lanes = cells[:, :LANES].copy()
    for start in range(LANES, cells.shape[1], LANES):
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


def zero(dtype: np.dtype[Any]) -> Any:
    """Return the sum of no cells: +0.0, as NumPy's; nothing is ever added to it."""
    return np.zeros((), dtype)


def _ufunc(
    function: Callable[..., Any], identity: Callable[[np.dtype[Any]], Any] | None
) -> Arithmetic:
    return Arithmetic(
        leaf=lambda cells, state: fold(function, cells.astype(state, copy=False)),
        combine=lambda a, b, _m, _n: function(a, b),
        finish=lambda states, _count, _ddof: states,
        identity=identity,
    )


def _mean_finish(states: Block, count: int, ddof: float) -> Block:  # noqa: ARG001
    if states.dtype.kind == "m":
        return np.asarray(states / count) if count else np.full_like(states, "NaT")
    return np.asarray(np.true_divide(states, np.asarray(count, states.real.dtype)))


def _variance_leaf(cells: Block, state: np.dtype[Any]) -> Block:
    work = cells.astype(state["mean"], copy=False)
    result = np.empty((cells.shape[0], cells.shape[2]), state)
    result["mean"] = fold(np.add, work) / state["m2"].type(cells.shape[1])
    off = work - result["mean"][:, None]
    squares = off * off if state["mean"].kind != "c" else off.real * off.real + off.imag * off.imag
    result["m2"] = fold(np.add, squares)
    return result


def _variance_combine(a: Block, b: Block, m: Block, n: Block) -> Block:
    """Chan's update of mean and sum of squared deviations.

    Source: Chan, Golub, LeVeque, "Updating formulae and a pairwise algorithm for computing sample
    variances", 1979.
    """
    result: Block = np.empty(np.broadcast_shapes(a.shape, b.shape), a.dtype)
    real = a.dtype["m2"]
    share = (n / (m + n)).astype(real)
    off = b["mean"] - a["mean"]
    squares = off * off if off.dtype.kind != "c" else off.real * off.real + off.imag * off.imag
    result["mean"] = a["mean"] + exact.scale(off, share)
    result["m2"] = a["m2"] + b["m2"] + squares * (m.astype(real) * share)
    return result


def _variance_finish(states: Block, count: int, ddof: float) -> Block:
    degrees = np.asarray(max(count - ddof, 0), states["m2"].dtype)
    return np.asarray(states["m2"] / degrees)


def _std_finish(states: Block, count: int, ddof: float) -> Block:
    return np.asarray(np.sqrt(_variance_finish(states, count, ddof)))


def _nothing(state: np.dtype[Any]) -> Any:
    """Variance state of no cells."""
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
        nan_x, nan_y = x != x, y != y
        wins = np.where(nan_x | nan_y, nan_y & ~nan_x, better(y, x))
        tie = (nan_x & nan_y) | (x == y)
        return np.where(wins | (tie & (b["place"] < a["place"])), b, a)

    return Arithmetic(leaf, combine, lambda states, _count, _ddof: states["place"], None)


ARITHMETIC: Final = {
    "sum": _ufunc(np.add, zero),
    "prod": _ufunc(exact.multiply, lambda dtype: np.ones((), dtype)),
    "min": _ufunc(np.minimum, None),
    "max": _ufunc(np.maximum, None),
    "any": _ufunc(np.logical_or, lambda dtype: np.zeros((), dtype)),
    "all": _ufunc(np.logical_and, lambda dtype: np.ones((), dtype)),
    "mean": Arithmetic(
        _ufunc(np.add, zero).leaf, lambda a, b, _m, _n: np.add(a, b), _mean_finish, zero
    ),
    "var": Arithmetic(_variance_leaf, _variance_combine, _variance_finish, _nothing),
    "std": Arithmetic(_variance_leaf, _variance_combine, _std_finish, _nothing),
    "argmin": _place(np.argmin, np.less),
    "argmax": _place(np.argmax, np.greater),
}
