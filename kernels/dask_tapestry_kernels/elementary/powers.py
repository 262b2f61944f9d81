"""Powers and roots: power, cbrt, hypot."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.elementary.exponentials import EXP2, EXP_SHORT
from dask_tapestry_kernels.elementary.float_parts import (
    LN2,
    LN2_LOW,
    LOG2_E,
    SHIFT,
    SHIFT_BITS,
    SMALLEST_NORMAL,
    Cell,
    compiled,
    fast_two_sum,
    power_of_two,
    scaled,
    split,
    two_product,
)
from dask_tapestry_kernels.elementary.logarithms import log_short
from dask_tapestry_kernels.elementary.number_intrinsics import (
    choose,
    estrin,
    float64_bits,
    float64_of,
    fma,
    horner,
    magnitude,
    nearest,
    root,
    signed,
)

# the terms of log2((1 + s) / (1 - s)) from s**5 on, over s**5, for |s| <= sqrt(8) - 3
POWER: Final = (
    0.5770780163555853,
    0.41219858311114405,
    0.32059889796705937,
    0.2623081914897425,
    0.22195278628045287,
    0.1923806912539808,
    0.16888194104115595,
    0.16916471516198212,
)
# m**(-1/3) for m from 1 to 8
CBRT: Final = (
    1.4788960205839452,
    -0.7149181219383872,
    0.29903962657323746,
    -0.07512465780891567,
    0.010852833515977007,
    -0.0008304424299961852,
    2.6034477433439637e-05,
)

THIRD: Final = 0.3333333333333333
LINEAR, LINEAR_LOW = 2.8853900817779268, 4.0710547481862066e-17  # 2 / ln(2)
CUBIC, CUBIC_LOW = 0.9617966939259756, 5.0577616648125907e-17
INFINITY: Final = np.inf
INFINITY_F32, NAN_F32 = np.float32(np.inf), np.float32(np.nan)
ZERO_F32, HALF_F32, ONE_F32 = np.float32(0.0), np.float32(0.5), np.float32(1.0)


@compiled
def log2_sum(k: Cell, m: Cell) -> Any:
    """Base-2 logarithm of ``m * 2**k`` in two parts, to 2**-65."""
    f, bottom = m - 1.0, m + 1.0
    inverse = 1.0 / bottom
    s = f * inverse
    s_low = inverse * (fma(-s, bottom, f) - s * (m - (bottom - 1.0)))
    z = s * s
    z_low = fma(s, s, -z) + 2.0 * s * s_low
    # log2(m) == s * (2 + z * (2 / 3 + z * ...)) / ln(2)
    c, c_low = fast_two_sum(CUBIC, z * estrin(z, POWER))
    term = z * c
    term_low = fma(z, c, -term) + fma(z, c_low + CUBIC_LOW, z_low * c)
    factor, factor_low = fast_two_sum(LINEAR, term)
    factor_low += term_low + LINEAR_LOW
    product = s * factor
    rest = fma(s, factor, -product) + fma(s, factor_low, s_low * factor)
    total, error = fast_two_sum(k, product)
    return total, error + rest


@compiled
def exp2_sum(high: Cell, low: Cell) -> Cell:
    """``2 ** (high + low)``; infinity and 0 where ``high`` is far from 0, whatever ``low``."""
    high = choose(high > 1100.0, 1100.0, high)
    high = choose(high < -1100.0, -1100.0, high)
    low = choose(magnitude(low) < 1.0, low, 0.0)
    shifted = high + SHIFT
    r, r_low = fast_two_sum(high - (shifted - SHIFT), low)
    product = r * LN2
    total, error = fast_two_sum(1.0, product)
    rest = fma(r, LN2, -product) + fma(r_low, LN2, r * LN2_LOW)
    value = total + (error + fma(r * r, estrin(r, EXP2), rest))
    return scaled(value, float64_bits(shifted) - SHIFT_BITS)


@compiled
def power_sign(x: Cell, y: Cell, value: Cell) -> Cell:
    """``x ** y`` of float64, given that of ``|x|``."""
    half = 0.5 * y
    whole = nearest(y) == y
    odd = whole & (nearest(half) != half)
    value = choose(odd, signed(value, x), value)
    none = (x < 0.0) & (x > -INFINITY) & (not whole)
    lost = magnitude(fma(choose(none, INFINITY, 0.0), -0.0, value))  # NaN, which raises a flag
    return choose(none, lost, value)


@compiled
def power(x: Cell, y: Cell) -> Cell:
    """``x ** y`` of float64."""
    size = magnitude(x)
    high, low = log2_sum(*split(size))
    high = choose(size < INFINITY, choose(size > 0.0, high, -INFINITY), size)
    # 0 and 1 are stronger than infinity and NaN
    product = choose((y == 0.0) | (size == 1.0), 0.0, y * high)
    return power_sign(x, y, exp2_sum(product, fma(y, high, -product) + y * low))


@compiled
def power_sign_f32(x: Cell, y: Cell, value: Cell) -> Cell:
    """``x ** y`` of float32, given that of ``|x|``."""
    half = HALF_F32 * y
    whole = nearest(y) == y
    odd = whole & (nearest(half) != half)
    value = choose(odd, signed(value, x), value)
    none = (x < ZERO_F32) & (x > -INFINITY_F32) & (not whole)
    lost = magnitude(fma(choose(none, INFINITY_F32, ZERO_F32), -ZERO_F32, value))
    return choose(none, lost, value)


@compiled
def power_f32(x: Cell, y: Cell) -> Cell:
    """``x ** y`` of float32, through float64."""
    size = magnitude(x)
    k, rest = log_short(np.float64(size))
    product = np.float64(y) * fma(rest, LOG2_E, k)
    product = choose(product > 200.0, 200.0, product)
    product = choose(product < -200.0, -200.0, product)
    shifted = product + SHIFT
    r = LN2 * (product - (shifted - SHIFT))
    value = fma(r * r, horner(r, EXP_SHORT), r) + 1.0
    value = np.float32(value * power_of_two(float64_bits(shifted) - SHIFT_BITS))
    end = choose((y > ZERO_F32) == (size > ONE_F32), INFINITY_F32, ZERO_F32)
    value = choose((size > ZERO_F32) & (size < INFINITY_F32), value, end)
    value = choose((x == x) & (y == y), value, NAN_F32)
    # 0 and 1 are stronger than infinity and NaN
    value = choose((y == ZERO_F32) | (size == ONE_F32), ONE_F32, value)
    return power_sign_f32(x, y, value)


@compiled
def cube_root_parts(size: Cell) -> Any:
    """``q``, ``m`` and ``m**(-1/3)`` to 2**-34, ``size == m * 8**q`` with m from 1 to 8."""
    bits = float64_bits(size)
    exponent = float64_of((bits >> 52) + SHIFT_BITS) - (SHIFT + 1024.0)
    q = float64_bits(fma(exponent, THIRD, SHIFT)) - SHIFT_BITS
    m = float64_of(bits - ((q + q + q) << 52))
    guess = horner(m, CBRT)
    error = fma(-m * guess, guess * guess, 1.0)
    series = fma(error, fma(error, 14.0 / 81.0, 2.0 / 9.0), 1.0 / 3.0)
    return q, m, fma(guess * error, series, guess)


@compiled
def cbrt(x: Cell) -> Cell:
    """Cube root of a float64."""
    size = magnitude(x)
    small = size < SMALLEST_NORMAL
    q, m, inverse = cube_root_parts(choose(small, size * 2.0**54, size))
    inverse *= inverse
    value = m * inverse
    square, square_low = two_product(value, value)
    cube = square * value
    rest = (cube - m) + fma(square, value, fma(square_low, value, -cube))
    value = fma(-THIRD * inverse, rest, value) * power_of_two(q)
    value *= choose(small, 2.0**-18, 1.0)
    return choose((size > 0.0) & (size < INFINITY), signed(value, x), x)


@compiled
def cbrt_f32(x: Cell) -> Cell:
    """Cube root of a float32, through float64."""
    size = np.float64(magnitude(x))
    q, m, inverse = cube_root_parts(size)
    value = np.float32(m * inverse * inverse * power_of_two(q))
    return choose((size > 0.0) & (size < INFINITY), signed(value, x), x)


@compiled
def hypot(x: Cell, y: Cell) -> Cell:
    """``sqrt(x**2 + y**2)`` of float64."""
    a, b = magnitude(x), magnitude(y)
    swapped = b > a
    big, small = choose(swapped, b, a), choose(swapped, a, b)
    huge, tiny = big > 2.0**510, big < 2.0**-450
    scale = choose(huge, 2.0**-600, choose(tiny, 2.0**600, 1.0))
    back = choose(huge, 2.0**600, choose(tiny, 2.0**-600, 1.0))
    square, low = two_product(big * scale, big * scale)
    small_square, small_low = two_product(small * scale, small * scale)
    total, error = fast_two_sum(square, small_square)
    value = root(total + (error + (low + small_low))) * back
    return choose((a == INFINITY) | (b == INFINITY), INFINITY, value)


@compiled
def hypot_f32(x: Cell, y: Cell) -> Cell:
    """``sqrt(x**2 + y**2)`` of float32, through float64."""
    a, b = np.float64(magnitude(x)), np.float64(magnitude(y))
    infinite = (a == INFINITY) | (b == INFINITY)
    return np.float32(choose(infinite, INFINITY, root(fma(a, a, b * b))))
