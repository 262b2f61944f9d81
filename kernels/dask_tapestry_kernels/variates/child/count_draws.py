"""Draws of counts, as ``draw(stream, *parameters)``, int64; parameters are in their range."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.elementary.number_intrinsics import root, round_down
from dask_tapestry_kernels.variates.child.log_probabilities import log_binomial, log_poisson
from dask_tapestry_kernels.variates.child.standard_draws import exp, larger, log, log1p, smaller
from dask_tapestry_kernels.variates.child.substream import (
    function,
    keep,
    kept,
    positive_uniform,
    remembers,
    uniform,
)

FEW: Final = 10.0  # expected events up to which counts are searched one by one
TABLE: Final = 128  # counts whose reciprocals are in a table
LARGEST: Final = 9223372036854774784.0  # the largest float64 that fits int64
RECIPROCALS: Final = np.array([0.0, *(1.0 / n for n in range(1, TABLE))])


@function
def few_events(stream: Any, mean: Any) -> Any:
    """The count at which the sum of probabilities reaches a uniform number."""
    if not remembers(stream, 0, mean, 0.0):
        keep(stream, 0, mean, 0.0, exp(-mean))
    left, share, k = uniform(stream), kept(stream, 0), 0
    while left >= share and k < TABLE - 1:
        left -= share
        k += 1
        share *= mean * RECIPROCALS[k]
    return k


@function
def many_events(stream: Any, mean: Any) -> Any:
    """Transformed rejection.

    Source: Hoermann, "The transformed rejection method for generating Poisson random variables",
    Insurance: Mathematics and Economics 12 (1993), algorithm PTRS.
    """
    b = 0.931 + 2.53 * root(mean)
    a = -0.059 + 0.02483 * b
    inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)
    squeeze = 0.9277 - 3.6224 / (b - 2.0)
    while True:
        u = uniform(stream) - 0.5
        v = positive_uniform(stream)
        side = 0.5 - abs(u)
        k = round_down((2.0 * a / side + b) * u + mean + 0.43)
        if side >= 0.07 and v <= squeeze:
            break
        if k < 0.0 or k > LARGEST or (side < 0.013 and v > side):
            continue
        if log(v * inverse_alpha / (a / (side * side) + b)) <= log_poisson(k, mean):
            break
    return np.int64(smaller(k, LARGEST))


@function
def poisson(stream: Any, mean: Any) -> Any:
    """Events where `mean` are expected: few by a search, many by rejection."""
    if mean < FEW:
        return few_events(stream, mean)
    return many_events(stream, mean)


@function
def few_successes(stream: Any, n: Any, p: Any) -> Any:
    """The count at which the sum of probabilities reaches a uniform number."""
    odds, trials = p / (1.0 - p), np.float64(n)
    if not remembers(stream, 0, trials, p):
        keep(stream, 0, trials, p, exp(trials * log1p(-p)))
    left, share, k = uniform(stream), kept(stream, 0), 0
    while left >= share and k < n and k < TABLE - 1:
        left -= share
        share *= odds * (trials - np.float64(k)) * RECIPROCALS[k + 1]
        k += 1
    return k


@function
def many_successes(stream: Any, n: Any, p: Any) -> Any:
    """Transformed rejection.

    Source: Hoermann, "The generation of binomial random variates", Journal of Statistical
    Computation and Simulation 46 (1993), algorithm BTRS.
    """
    trials, q = np.float64(n), 1.0 - p
    deviation = root(trials * p * q)
    b = 1.15 + 2.53 * deviation
    a = -0.0873 + 0.0248 * b + 0.01 * p
    centre = trials * p + 0.5
    alpha = (2.83 + 5.1 / b) * deviation
    squeeze = 0.92 - 4.2 / b
    if not remembers(stream, 3, trials, p):
        mode = round_down((trials + 1.0) * p)
        keep(stream, 3, trials, p, log_binomial(mode, trials, p, q))
    height = kept(stream, 3)
    while True:
        u = uniform(stream) - 0.5
        v = positive_uniform(stream)
        side = 0.5 - abs(u)
        k = round_down((2.0 * a / side + b) * u + centre)
        if side >= 0.07 and v <= squeeze:
            break
        if k < 0.0 or k > trials:
            continue
        if log(v * alpha / (a / (side * side) + b)) <= log_binomial(k, trials, p, q) - height:
            break
    return min(np.int64(smaller(larger(k, 0.0), LARGEST)), n)


@function
def less_likely(stream: Any, n: Any, p: Any) -> Any:
    """Successes that are not likelier than failures."""
    if n == 0 or p == 0.0:
        return 0
    if np.float64(n) * p < FEW:
        return few_successes(stream, n, p)
    return many_successes(stream, n, p)


@function
def binomial(stream: Any, n: Any, p: Any) -> Any:
    """Successes in `n` trials of probability `p`."""
    if p > 0.5:
        return n - less_likely(stream, n, 1.0 - p)
    return less_likely(stream, n, p)
