"""What joint programs compute: formulas of cells, views of them, and what these are reduced to.

Each is a phrase that is run with NumPy and with this library. Those of `EXACT` have NumPy's bits;
sums are compared with sums in wider numbers, within a bound that follows from the cells.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

Axis = Any
EXACT_FORMULAS = (
    "x", "x", "x", "x * y", "x * x", "x + y", "x - y * 3", "abs(x)", "-x", "x > y", "x != x",
    "xp.where(x > 0, x, y)", "xp.maximum(x, y)", "x - 0.5", "x + y * z", "x * z", "x.astype('f4')",
    "xp.where(xp.isnan(x), 0, x)", "xp.minimum(x, z) * y",
    "x.astype('i4') if x.dtype.kind in 'biu' else x",
)  # fmt: skip
ROUNDED_FORMULAS = ("xp.exp(-abs(x))", "x / 7", "xp.sqrt(abs(x))", "xp.log1p(x * x)")
ANOMALIES = ("v - xp.nanmean(v, {axis}, keepdims=True)", "v - xp.mean(v, {axis}, keepdims=True)")
VIEWS = (
    "v[::2]", "v[..., 3:-2]", "v[::-1]", "v[..., ::-1]", "v.T", "v[1:]", "v[v.shape[0] // 3 :]",
    "v[..., : v.shape[-1] // 2]", "xp.swapaxes(v, 0, -1)", "xp.roll(v, 5, 0)",
)  # fmt: skip
SHIFTS = (  # which one pass folds, in trees of as many nodes
    "v[1:]", "v[:-1]", "v[1:] * v[:-1]", "v[3:] + v[:-3]", "v[:-2] * v[2:]", "v[..., 2:]",
    "v[..., 1:] * v[..., :-1]", "v[2:, ..., :-1]",
)  # fmt: skip
EXACT = (
    "xp.min(v, {axis})", "xp.max(v, {axis})", "xp.any(v, {axis})", "xp.all(v, {axis})",
    "xp.nanmin(v, {axis})", "xp.nanmax(v, {axis})", "xp.count_nonzero(v, {axis})",
    "xp.ptp(v, {axis})", "xp.prod(xp.sign(v), {axis})", "xp.max(v, {axis}, keepdims=True)",
)  # fmt: skip
PLACES = ("xp.argmin(v, {one})", "xp.argmax(v, {one})")
WHOLES = (
    "v", "xp.histogram(v, bins=[-2, -0.5, 0, 0.25, 1, 9])[0]", "xp.nonzero(xp.ravel(v) > 1)[0]",
    "xp.diff(v, axis={one})", "xp.maximum.accumulate(v, {one})", "xp.searchsorted([-1, 0, 1], v)",
)  # fmt: skip


class Bound(NamedTuple):
    """What is summed, and how far results may be from those of wider numbers.

    Attributes
    ----------
    phrase
        What is run.
    error
        (sizes of cells, axis, wide result) -> units of the least digit that results may be apart.
    """

    phrase: str
    error: Callable[[Any, Axis, Any], Any]


def _of_sum(v: Any, axis: Axis, _: Any) -> Any:
    return np.nansum(abs(v), axis)


def _of_sum_kept(v: Any, axis: Axis, _: Any) -> Any:
    return np.nansum(abs(v), axis, keepdims=True)


def _of_mean(v: Any, axis: Axis, _: Any) -> Any:
    return np.nanmax(abs(v), axis)


def _of_var(v: Any, axis: Axis, _: Any) -> Any:
    return 4 * np.nanmax(abs(v) ** 2, axis)


def _of_std(v: Any, axis: Axis, _: Any) -> Any:
    """Where all cells are alike their mean need not be one of them."""
    return 4 * np.nanmax(abs(v), axis)


def _of_norm(v: Any, axis: Axis, _: Any) -> Any:
    return np.sqrt(np.nansum(abs(v) ** 2, axis))


def _of_scan(v: Any, axis: Axis, _: Any) -> Any:
    return 8 * np.nancumsum(abs(v), axis)


SUMS = (
    Bound("xp.sum(v, {axis})", _of_sum),
    Bound("xp.nansum(v, {axis})", _of_sum),
    Bound("xp.mean(v, {axis})", _of_mean),
    Bound("xp.nanmean(v, {axis})", _of_mean),
    Bound("xp.sum(v, {axis}, keepdims=True)", _of_sum_kept),
)  # fmt: skip
SPREADS = (
    Bound("xp.var(v, {axis})", _of_var),
    Bound("xp.nanvar(v, {axis}, ddof=1)", _of_var),
    Bound("xp.std(v, {axis})", _of_std),
    Bound("xp.nanstd(v, {axis})", _of_std),
)
OTHERS = (
    Bound("xp.linalg.norm(v, axis={one})", _of_norm),
    Bound("xp.cumsum(v, {one})", _of_scan),
    Bound("xp.nancumsum(v, {one})", _of_scan),
    Bound("xp.median(v, {axis})", _of_mean),
    Bound("xp.quantile(v, 0.3, {axis})", _of_mean),
)
