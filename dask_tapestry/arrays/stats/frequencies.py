"""Tests of whether frequencies are those expected."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.amounts import real
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.axis_names import names_axes
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.elementwise.ufuncs import log
from dask_tapestry.arrays.stats.results import REAL, Significance, special
from dask_tapestry.arrays.tuning import SUM_AGREEMENT
from dask_tapestry.errors import ArgumentError
from dask_tapestry.operators.axes import normalize_axis
from dask_tapestry.operators.cells.assert_condition import assert_condition
from dask_tapestry.operators.cells.where import where
from dask_tapestry.operators.views.broadcast import broadcast

__all__ = ["chisquare", "power_divergence"]
POWERS: Final = MappingProxyType(
    {
        "pearson": 1.0,
        "log-likelihood": 0.0,
        "freeman-tukey": -0.5,
        "mod-log-likelihood": -1.0,
        "neyman": -2.0,
        "cressie-read": 2 / 3,
    }
)


@names_axes
def chisquare(
    f_obs: ArrayLike, f_exp: ArrayLike | None = None, ddof: int = 0, axis: int | None = 0
) -> Significance:
    """Test whether observed frequencies are those expected.

    {Parameters}
        f_obs: Observed frequencies.
        f_exp: Those expected; by default all equal.
        ddof: Degrees of freedom that are fewer than one less than the frequencies.
        axis: Along which frequencies lie; None for all cells.
    {Returns} Significance: Pearson's statistic, and the probability of a larger one.
    {Raises} ImportError: Without SciPy.
    {See Also} power_divergence
    {Examples}
    >>> dt.stats.chisquare([16, 18, 16, 14, 12, 12]).compute().statistic  # doctest: +SKIP
    np.float64(2.0)
    """
    return power_divergence(f_obs, f_exp, ddof, axis, "pearson")


@names_axes
def power_divergence(
    f_obs: ArrayLike,
    f_exp: ArrayLike | None = None,
    ddof: int = 0,
    axis: int | None = 0,
    lambda_: str | float | None = None,
) -> Significance:
    """Test whether observed frequencies are those expected, by a power of their quotients.

    {Parameters}
        f_obs: Observed frequencies.
        f_exp: Those expected, of the same sum; by default all equal.
        ddof: Degrees of freedom that are fewer than one less than the frequencies.
        axis: Along which frequencies lie; None for all cells.
        lambda_: The power, or the name of a test: ``"pearson"`` (the default),
            ``"log-likelihood"``, ``"freeman-tukey"``, ``"mod-log-likelihood"``, ``"neyman"``,
            ``"cressie-read"``.
    {Returns} Significance: The statistic, and the probability of a larger one.
    {Raises}
        ValueError: For another name; when it is computed, if the sums do not agree.
        ImportError: Without SciPy.
    {See Also} chisquare
    {Examples}
    >>> found = dt.stats.power_divergence([16, 18, 16], lambda_=0)  # doctest: +SKIP
    """
    if isinstance(lambda_, str):
        if lambda_ not in POWERS:
            raise ArgumentError(f"invalid string for lambda_: {lambda_!r}; there are {[*POWERS]}")
        lambda_ = POWERS[lambda_]
    power = 1.0 if lambda_ is None else real("lambda_", lambda_)
    observed = asarray(f_obs).astype(REAL)
    if axis is None:
        observed, axis = observed.reshape(-1), 0
    total = observed.sum(axis=axis, keepdims=True)
    if f_exp is None:
        expected = observed.mean(axis=axis, keepdims=True)
    else:
        expected = _with_checked_totals(asarray(f_exp).astype(REAL), observed.shape, axis, total)
    value = _terms(observed, expected, power).sum(axis=axis)
    freedom = observed.shape[normalize_axis(axis, observed.ndim)] - 1 - real("ddof", ddof)
    return Significance(value, special("chdtrc", freedom, value))


def _with_checked_totals(wanted: Array, shape: tuple[int, ...], axis: int, total: Array) -> Array:
    """Expected frequencies, of which the sums must be the totals."""
    spread = Array(broadcast(wanted.node, shape))
    gap = abs(spread.sum(axis=axis, keepdims=True) - total)
    holds = (gap <= abs(total) * SUM_AGREEMENT).node
    text = "the sums of observed and of expected frequencies must agree"
    return Array(assert_condition(spread.node, holds, text))


def _terms(observed: Array, expected: Array, power: float) -> Array:
    """What each frequency adds to the statistic."""
    if power == 1:
        return (observed - expected) ** 2 / expected
    if power == 0:
        return _times_log(observed, expected) * 2
    if power == -1:
        return _times_log(expected, observed) * 2
    terms: Any = observed * ((observed / expected) ** power - 1)
    return asarray(terms * (2 / (power * (power + 1))))


def _times_log(x: Array, y: Array) -> Array:
    """``x * log(x / y)``, 0 where `x` is."""
    product = x * log(x / y)
    zero = asarray(np.zeros(())).node
    return Array(where((x == 0).node, zero, product.node))
