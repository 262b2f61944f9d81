"""Logarithms of the probabilities of counts, without the loss of digits where counts are large.

Source: Loader, "Fast and accurate computation of binomial probabilities" (2000).
"""

from __future__ import annotations

from decimal import Decimal, localcontext
from math import factorial
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.variates.child.standard_draws import log
from dask_tapestry_kernels.variates.child.substream import function

DIGITS: Final = 30
SHORT: Final = 16  # counts whose errors of Stirling's formula are in a table
TWO_PI: Final = 6.283185307179586
HALF_LOG_TWO_PI: Final = 0.9189385332046727
NEAR: Final = 0.1  # relative distance within which a deviance is a series
LAST: Final = 1e-17  # a term of the series that changes nothing


def errors() -> list[float]:
    """``log(n!)`` less Stirling's formula, for n below `SHORT`; 0 for n = 0."""
    with localcontext() as context:
        context.prec = DIGITS
        half_log = (Decimal(TWO_PI).ln()) / 2
        found = [Decimal(0)]
        for n in map(Decimal, range(1, SHORT)):
            stirling = (n + Decimal("0.5")) * n.ln() - n + half_log
            found.append(Decimal(factorial(int(n))).ln() - stirling)
    return [float(error) for error in found]


ERRORS: Final = np.array(errors())


@function
def stirling_error(n: Any) -> Any:
    """``log(n!) - log(sqrt(2 pi n) (n / e)**n)`` of a whole number above 0."""
    if n < SHORT:
        return ERRORS[np.int64(n)]
    square = 1.0 / (n * n)
    series = 1.0 / 1680.0 - square / 1188.0
    series = 1.0 / 1260.0 - square * series
    series = 1.0 / 360.0 - square * series
    return (1.0 / 12.0 - square * series) / n


@function
def log_factorial(n: Any) -> Any:
    """``log(n!)`` of a whole number."""
    if n == 0.0:
        return 0.0
    return (n + 0.5) * log(n) - n + HALF_LOG_TWO_PI + stirling_error(n)


@function
def deviance(n: Any, mean: Any) -> Any:
    """``n * log(n / mean) + mean - n``, both above 0."""
    off = n - mean
    if abs(off) >= NEAR * (n + mean):
        return n * log(n / mean) - off
    share = off / (n + mean)
    square, power, total, odd = share * share, 2.0 * n * share, off * share, 3.0
    while True:
        power *= square
        term = power / odd
        total += term
        if abs(term) <= LAST * abs(total):
            return total
        odd += 2.0


@function
def log_poisson(k: Any, mean: Any) -> Any:
    """The log-probability of `k` events where `mean` are expected."""
    if k == 0.0:
        return -mean
    return -stirling_error(k) - deviance(k, mean) - 0.5 * log(TWO_PI * k)


@function
def log_binomial(k: Any, n: Any, p: Any, q: Any) -> Any:
    """The log-probability of `k` successes in `n` trials of probability `p`; q is 1 - p."""
    if k == 0.0:
        return n * log(q)
    if k == n:
        return n * log(p)
    rest = n - k
    error = stirling_error(n) - stirling_error(k) - stirling_error(rest)
    apart = deviance(k, n * p) + deviance(rest, n * q)
    return error - apart - 0.5 * log(TWO_PI * k * (rest / n))
