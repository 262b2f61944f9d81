"""Inverse hyperbolic functions: arcsinh, arccosh, arctanh."""

from __future__ import annotations

from typing import Final

import numpy as np

from dask_tapestry_kernels.elementary.float_parts import (
    LN2,
    LN2_LOW,
    SHIFT,
    SHIFT_BITS,
    Cell,
    compiled,
    fast_two_sum,
    power_of_two,
    split,
    two_product,
    two_sum,
)
from dask_tapestry_kernels.elementary.logarithms import log_rest, log_short
from dask_tapestry_kernels.elementary.number_intrinsics import (
    choose,
    float64_bits,
    float64_of,
    fma,
    horner,
    magnitude,
    root,
    signed,
)

# (arctanh(q) / q - 1) / q**2 in q**2, for |q| <= 0.21
ATANH: Final = (
    0.3333333333333333,
    0.20000000000007842,
    0.14285714281986356,
    0.11111111785290619,
    0.09090849342747555,
    0.07695173420580537,
    0.06591014690541368,
    0.06905723656203512,
)
BIG: Final = 2.0**30  # 1 beside the square of a number from here on is nothing
TINY: Final = 2.0**-1000  # instead of 0 in a denominator
INFINITY: Final = np.inf


@compiled
def log1p_sum(high: Cell, low: Cell, rest: Cell, value: Cell, big: Cell) -> Cell:
    """``log(1 + high + low + rest / (2 * value))``; ``log(2 * big)`` where that is past `BIG`."""
    far = big > BIG
    total, lost = two_sum(1.0, high)
    k, m = split(choose(far, big, total))
    near = k == 0.0
    f = choose(near, high, m - 1.0)
    # log(1 + f + gain) gains gain / (1 + f)
    twice = value + value
    gain = fma(low + choose(near, 0.0, lost), twice, rest) / fma(twice, total, TINY)
    gain = choose(far, 0.0, gain)
    k += choose(far, 1.0, 0.0)
    value = f - (0.5 * f * f - (fma(k, LN2_LOW, log_rest(f)) + gain))
    return choose(big < INFINITY, fma(k, LN2, value), big)


@compiled
def arcsinh(x: Cell) -> Cell:
    """Inverse hyperbolic sine of a float64."""
    size = magnitude(x)
    square, lost = two_product(size, size)
    total, error = two_sum(1.0, square)
    value = root(total)
    rest = fma(-value, value, total) + (error + lost)
    high, low = two_sum(size, value - 1.0)
    return choose(size < 2.0**-27, x, signed(log1p_sum(high, low, rest, value, size), x))


@compiled
def arccosh(x: Cell) -> Cell:
    """Inverse hyperbolic cosine of a float64."""
    x = choose(x >= 1.0, x, magnitude(fma(x - 1.0, INFINITY, INFINITY)))
    square, lost = two_product(x, x)
    total, error = two_sum(square, -1.0)
    value = root(total)
    rest = fma(-value, value, total) + (error + lost)
    less, less_low = two_sum(x, -1.0)
    high, low = two_sum(less, value)
    return log1p_sum(high, low + less_low, rest, value, x)


@compiled
def arctanh(x: Cell) -> Cell:
    """Inverse hyperbolic tangent of a float64."""
    size = magnitude(x)
    more, more_low = fast_two_sum(1.0, size)
    less, less_low = fast_two_sum(1.0, -size)
    # log((1 + x) / (1 - x)) / 2 is k * ln(2) / 2 and the arctanh of something smaller
    k = (float64_bits(more) - float64_bits(less) + (1 << 51)) >> 52
    scale = power_of_two(k)
    top, top_low = fast_two_sum(more - scale * less, fma(-scale, less_low, more_low))
    bottom, bottom_low = two_sum(more, scale * less)
    bottom_low += fma(scale, less_low, more_low)
    inverse = 1.0 / bottom
    q = top * inverse
    q_low = inverse * (fma(-q, bottom, top) + fma(-q, bottom_low, top_low))
    z = q * q
    halves = 0.5 * (float64_of(k + SHIFT_BITS) - SHIFT)
    base = halves * LN2
    base_low = fma(halves, LN2, -base) + halves * LN2_LOW
    high, low = fast_two_sum(base, q)
    value = high + (low + fma(q * z, horner(z, ATANH), base_low + q_low))
    told = fma(1.0 - size, INFINITY, INFINITY)  # infinity below 1, else NaN, which raises a flag
    value = choose(told == INFINITY, value, choose(size == 1.0, INFINITY, magnitude(told)))
    return choose(size < 2.0**-27, x, signed(value, x))


@compiled
def log_f64_short(x: Cell) -> Cell:
    """Logarithm of a normal float64 from 1 on to 2**-35, for functions of float32."""
    k, rest = log_short(x)
    return choose(x < INFINITY, fma(k, LN2, rest), x)


@compiled
def arcsinh_f32(x: Cell) -> Cell:
    """Inverse hyperbolic sine of a float32, through float64."""
    size = np.float64(magnitude(x))
    square = size * size
    value = log_f64_short(size + root(square + 1.0))
    value = choose(size < 2.0**-9, fma(square * size, -1.0 / 6.0, size), value)
    return signed(np.float32(value), x)


@compiled
def arccosh_f32(x: Cell) -> Cell:
    """Inverse hyperbolic cosine of a float32, through float64."""
    wide = np.float64(x)
    wide = choose(wide >= 1.0, wide, magnitude(fma(wide - 1.0, INFINITY, INFINITY)))
    return np.float32(log_f64_short(wide + root(fma(wide, wide, -1.0))))


@compiled
def arctanh_f32(x: Cell) -> Cell:
    """Inverse hyperbolic tangent of a float32, through float64."""
    size = np.float64(magnitude(x))
    value = 0.5 * log_f64_short((1.0 + size) / (1.0 - size))
    value = choose(size < 2.0**-9, fma(size * size * size, 1.0 / 3.0, size), value)
    lost = magnitude(fma(1.0 - size, INFINITY, INFINITY))
    return signed(np.float32(choose(size > 1.0, lost, value)), x)
