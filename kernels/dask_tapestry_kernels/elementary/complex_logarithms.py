"""Logarithms of complex numbers: log, log2, log10, log1p.

The real part is the logarithm of the sum of two squares, which is taken less 1 without rounding, as
near the unit circle nothing else is left of it.
"""

from __future__ import annotations

from typing import Any

from dask_tapestry_kernels.elementary.complex_parts import INFINITY, Number, sorted_sizes
from dask_tapestry_kernels.elementary.float_parts import (
    LN2,
    LN2_LOW,
    LOG2_E,
    SHIFT,
    SHIFT_BITS,
    Cell,
    compiled,
    fast_two_sum,
    power_of_two,
    two_product,
    two_sum,
)
from dask_tapestry_kernels.elementary.inverse_trigonometric import arctan2
from dask_tapestry_kernels.elementary.logarithms import LOG10_2, LOG10_2_LOW, LOG10_E, log1p_sum
from dask_tapestry_kernels.elementary.number_intrinsics import (
    choose,
    float64_bits,
    float64_of,
    fma,
    magnitude,
)


@compiled
def _sum_of_squares(x: Cell, y: Cell) -> Any:
    """``(x**2 + y**2) / 4**k - 1`` in two parts, and k, which is 0 near the unit circle."""
    big, small = sorted_sizes(x, y)
    huge, tiny = big > 2.0**500, big < 2.0**-400
    scale = choose(huge, 2.0**-600, choose(tiny, 2.0**600, 1.0))
    big, small = big * scale, small * scale
    exponent = (float64_bits(big) >> 52) - 1023
    exponent = choose((exponent == 0) | (exponent == -1), 0, exponent)
    scale = power_of_two(-exponent)
    square, square_low = two_product(big * scale, big * scale)
    other, other_low = two_product(small * scale, small * scale)
    total, lost = two_sum(square, -1.0)
    total, lost_b = two_sum(total, other)
    total, lost_c = two_sum(total, square_low)
    total, lost_d = two_sum(total, other_low)
    high, low = fast_two_sum(total, (lost + lost_b) + (lost_c + lost_d))
    k = float64_of(exponent + SHIFT_BITS) - SHIFT
    return high, low, k + choose(huge, 600.0, choose(tiny, -600.0, 0.0))


@compiled
def _ends(x: Cell, y: Cell, value: Cell) -> Cell:
    """Logarithm of the size of ``x + 1j * y``, with those of 0 and of infinities."""
    value = choose((x == 0.0) & (y == 0.0), -INFINITY, value)
    return choose((magnitude(x) == INFINITY) | (magnitude(y) == INFINITY), INFINITY, value)


@compiled
def _log_size(x: Cell, y: Cell) -> Any:
    """``k`` and ``rest`` such that twice the logarithm of the size is ``k * LN2 + rest``."""
    high, low, k = _sum_of_squares(x, y)
    rest, more = log1p_sum(high, low)
    twice = k + k
    return twice + more, fma(twice, LN2_LOW, rest)


@compiled
def log(z: Number) -> Number:
    """Natural logarithm of a complex128."""
    x, y = z.real, z.imag
    k, rest = _log_size(x, y)
    return complex(_ends(x, y, 0.5 * fma(k, LN2, rest)), arctan2(y, x))


@compiled
def log2(z: Number) -> Number:
    """Base-2 logarithm of a complex128."""
    x, y = z.real, z.imag
    k, rest = _log_size(x, y)
    rest = fma(-k, LN2_LOW, rest)  # the power of two has its logarithm without it
    return complex(_ends(x, y, 0.5 * fma(rest, LOG2_E, k)), arctan2(y, x) * LOG2_E)


@compiled
def log10(z: Number) -> Number:
    """Base-10 logarithm of a complex128."""
    x, y = z.real, z.imag
    k, rest = _log_size(x, y)
    rest = fma(-k, LN2_LOW, rest)
    value = fma(k, LOG10_2, fma(k, LOG10_2_LOW, rest * LOG10_E))
    return complex(_ends(x, y, 0.5 * value), arctan2(y, x) * LOG10_E)


@compiled
def log1p(z: Number) -> Number:
    """``log(1 + z)`` of a complex128."""
    x, y = z.real, z.imag
    more = 1.0 + x
    square, square_low = two_product(x, x)
    other, other_low = two_product(y, y)
    total, lost = two_sum(x + x, square)
    total, lost_b = two_sum(total, other)
    total, lost_c = two_sum(total, square_low)
    total, lost_d = two_sum(total, other_low)
    near, near_low = fast_two_sum(total, (lost + lost_b) + (lost_c + lost_d))
    high, low, k = _sum_of_squares(more, y)
    is_near = (magnitude(x) < 0.5) & (magnitude(y) < 4.0)  # else 1 + x is exact, or large
    high, low = choose(is_near, near, high), choose(is_near, near_low, low)
    twice = choose(is_near, 0.0, k + k)
    rest, k = log1p_sum(high, low)
    value = 0.5 * fma(twice + k, LN2, fma(twice, LN2_LOW, rest))
    return complex(_ends(more, y, value), arctan2(y, more))
