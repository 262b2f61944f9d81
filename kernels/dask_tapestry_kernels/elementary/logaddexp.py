"""Logarithms of sums of powers: logaddexp, logaddexp2.

Where the result is the small difference of two large numbers (logaddexp(-log(2), -log(2)) is near
0) its error is counted in units of those numbers, as it is in NumPy.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.elementary.exponentials import EXP, EXP2, exp_reduced, exp_short
from dask_tapestry_kernels.elementary.float_parts import (
    LN2,
    LN2_LOW,
    LOG2_E,
    LOG2_E_LOW,
    SHIFT,
    SHIFT_BITS,
    Cell,
    compiled,
    fast_two_sum,
    scaled,
    two_sum,
)
from dask_tapestry_kernels.elementary.logarithms import log1p_sum, log_short
from dask_tapestry_kernels.elementary.number_intrinsics import (
    choose,
    float64_bits,
    fma,
    horner,
    magnitude,
)

INFINITY: Final = np.inf
LEAST: Final = -1100.0  # e and 2 to this power are nothing beside any number but 0


@compiled
def ordered(x: Cell, y: Cell) -> Any:
    """The bigger number, and how far the other is below it, up to `LEAST`, in two parts."""
    swapped = y > x
    big, small = choose(swapped, y, x), choose(swapped, x, y)
    difference, lost = two_sum(small, -big)
    lost = choose(magnitude(lost) < 1.0, lost, 0.0)
    return big, choose(difference < LEAST, LEAST, difference), lost


@compiled
def log_sum_ends(x: Cell, y: Cell, value: Cell, at_equal: Cell) -> Cell:
    """The value, or what it is for equal arguments and infinite ones."""
    infinite = (choose(y > x, y, x) == INFINITY) & (x - y != 0.0) & (x == x) & (y == y)
    return choose(x == y, at_equal, choose(infinite, INFINITY, value))


@compiled
def log_of_power(total: Cell, rest: Cell, low: Cell, n: Any) -> Any:
    """``log((total + rest) * exp(low) * 2**n + 1) - k * LN2`` and k."""
    power, power_low = fast_two_sum(total, rest)
    return log1p_sum(scaled(power, n), scaled(fma(low, power, power_low), n))


@compiled
def logaddexp(x: Cell, y: Cell) -> Cell:
    """``log(exp(x) + exp(y))`` of float64."""
    big, difference, lost = ordered(x, y)
    r, low, n = exp_reduced(difference)
    total, error = fast_two_sum(1.0, r)
    rest, k = log_of_power(total, error + r * r * horner(r, EXP), low + lost, n)
    high, error = two_sum(big, k * LN2)
    high, low = two_sum(high, rest)
    return log_sum_ends(x, y, high + (error + low), x + LN2)


@compiled
def logaddexp2(x: Cell, y: Cell) -> Cell:
    """``log2(2**x + 2**y)`` of float64."""
    big, difference, lost = ordered(x, y)
    shifted = difference + SHIFT
    r = difference - (shifted - SHIFT)
    product = r * LN2
    total, error = fast_two_sum(1.0, product)
    error += fma(r, LN2, -product) + fma(r, LN2_LOW, r * r * horner(r, EXP2))
    n = float64_bits(shifted) - SHIFT_BITS
    rest, k = log_of_power(total, error, lost * LN2, n)
    product = rest * LOG2_E
    low = fma(rest, LOG2_E, -product) + rest * LOG2_E_LOW
    low = fma(k, LN2_LOW * -LOG2_E, low)  # `rest` holds what LN2 lacks
    high, error = two_sum(big, k)
    high, error_b = two_sum(high, product)
    return log_sum_ends(x, y, high + (error + error_b + low), x + 1.0)


@compiled
def log1p_short(x: Cell) -> Cell:
    """``log(1 + x)`` of a float64 from 0 to 1 to 2**-34, for functions of float32."""
    k, rest = log_short(1.0 + x)
    series = fma(x, fma(x, fma(x, -0.25, 1.0 / 3.0), -0.5) * x, x)
    return choose(x >= 2.0**-8, fma(k, LN2, rest), series)


@compiled
def logaddexp_f32(x: Cell, y: Cell) -> Cell:
    """``log(exp(x) + exp(y))`` of float32, through float64."""
    a, b = np.float64(x), np.float64(y)
    big, difference, _ = ordered(a, b)
    difference = choose(difference < -700.0, -700.0, difference)
    value = big + log1p_short(exp_short(difference))
    return np.float32(log_sum_ends(a, b, value, a + LN2))


@compiled
def logaddexp2_f32(x: Cell, y: Cell) -> Cell:
    """``log2(2**x + 2**y)`` of float32, through float64."""
    a, b = np.float64(x), np.float64(y)
    big, difference, _ = ordered(a, b)
    difference = choose(difference < -700.0, -700.0, difference)
    value = fma(log1p_short(exp_short(difference * LN2)), LOG2_E, big)
    return np.float32(log_sum_ends(a, b, value, a + 1.0))
