"""Draws of counts from urns and with long tails, as ``draw(stream, *parameters)``, int64."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.elementary import exponentials
from dask_tapestry_kernels.elementary.number_intrinsics import root, round_down
from dask_tapestry_kernels.variates.child.count_draws import LARGEST, poisson
from dask_tapestry_kernels.variates.child.log_probabilities import log_factorial
from dask_tapestry_kernels.variates.child.real_draws import gamma
from dask_tapestry_kernels.variates.child.standard_draws import exp, log, log1p, smaller
from dask_tapestry_kernels.variates.child.substream import (
    function,
    keep,
    kept,
    positive_uniform,
    remembers,
    uniform,
)

ONE_BY_ONE: Final = 10  # balls up to which each is drawn
WIDTH: Final = 1.7155277699214135  # 2 * sqrt(2 / e)
OFFSET: Final = 0.8989161620588988  # 3 - 2 * sqrt(3 / e)
REACH: Final = 16.0  # standard deviations from the mean that are looked at
STEEPEST: Final = 1025.0  # exponent from which on 2**-a is nothing


@function
def negative_binomial(stream: Any, n: Any, p: Any) -> Any:
    """Failures before `n` successes: a Poisson number of a mean that varies."""
    return poisson(stream, gamma(stream, n) * ((1.0 - p) / p))


@function
def one_by_one(stream: Any, rare: Any, total: Any, drawn: Any) -> Any:
    """Rare ones among a few, each drawn."""
    left = rare
    for taken in range(drawn):
        if uniform(stream) * np.float64(total - taken) < np.float64(left):
            left -= 1
    return rare - left


@function
def log_ways(k: Any, rare: Any, total: Any, drawn: Any) -> Any:
    """Logarithm of a number to which the probability of `k` is inverse."""
    ours = log_factorial(k) + log_factorial(rare - k)
    return ours + log_factorial(drawn - k) + log_factorial(total - rare - drawn + k)


@function
def from_large_urn(stream: Any, rare: Any, total: Any, drawn: Any) -> Any:
    """A ratio of uniform numbers below a hat of the density.

    Source: Stadlober, "Sampling from Poisson, binomial and hypergeometric distributions: ratio of
    uniforms as a simple and fast alternative", Berichte 303, Forschungszentrum Graz (1989).
    """
    m, s, n = np.float64(drawn), np.float64(rare), np.float64(total)
    p = s / n
    mean = m * p + 0.5
    variance = (n - m) * m * p * (1.0 - p) / (n - 1.0)
    deviation = root(variance + 0.5)
    width = WIDTH * deviation + OFFSET
    mode = round_down((m + 1.0) * (s + 1.0) / (n + 2.0))
    if not remembers(stream, 0, mode, m * n + s):
        keep(stream, 0, mode, m * n + s, log_ways(mode, s, n, m))
    height = kept(stream, 0)
    end = smaller(smaller(m, s) + 1.0, round_down(mean + REACH * deviation))
    while True:
        u = positive_uniform(stream)
        x = mean + width * (uniform(stream) - 0.5) / u
        if x < 0.0 or x >= end:
            continue
        k = round_down(x)
        above = height - log_ways(k, s, n, m)
        if u * (4.0 - u) - 3.0 <= above:
            return np.int64(k)
        if u * (u - above) < 1.0 and 2.0 * log(u) <= above:
            return np.int64(k)


@function
def hypergeometric(stream: Any, good: Any, bad: Any, drawn: Any) -> Any:
    """Good ones among those that are drawn."""
    total = good + bad
    less = min(drawn, total - drawn)
    rare = min(good, bad)
    if less > ONE_BY_ONE:
        found = from_large_urn(stream, rare, total, less)
    else:
        found = one_by_one(stream, rare, total, less)
    if good > bad:
        found = less - found
    return found if less == drawn else good - found


@function
def logseries(stream: Any, p: Any) -> Any:
    """A geometric number of a probability that varies.

    Source: Kemp, "Efficient generation of logarithmically distributed pseudo-random variables",
    Applied Statistics 30 (1981).
    """
    if p == 0.0:
        return 1
    v = positive_uniform(stream)
    if v >= p:
        return 1
    rate = log1p(-p)
    log_rest = rate * positive_uniform(stream)
    q = -exponentials.expm1(log_rest)
    if v > q:
        return 1
    if v > q * q:
        return 2
    log_q = log(q) if q < 0.5 else log1p(-exp(log_rest))
    return np.int64(smaller(round_down(1.0 + log(v) / log_q), LARGEST))


@function
def zipf(stream: Any, a: Any) -> Any:
    """A power of a uniform number, rounded down and corrected by rejection.

    Source: Devroye, "Non-uniform random variate generation" (1986), chapter X.6.
    """
    if a >= STEEPEST:
        return 1
    less = a - 1.0
    b = exponentials.exp2(less)
    smallest = exp(-less * log(LARGEST))  # of the uniform numbers whose powers fit
    while True:
        share = uniform(stream)
        u = share * smallest + (1.0 - share)
        v = uniform(stream)
        x = round_down(exp(-log(u) / less))
        if x > LARGEST or x < 1.0:
            continue
        t = exp(less * log1p(1.0 / x))
        if v * x * (t - 1.0) / (b - 1.0) <= t / b:
            return np.int64(x)
