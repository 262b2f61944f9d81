"""Hyperbolic functions: sinh, cosh, tanh."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.elementary.exponentials import exp_f32, exp_reduced
from dask_tapestry_kernels.elementary.float_parts import (
    LN2,
    LOG2_E,
    SHIFT,
    SHIFT_BITS,
    Cell,
    compiled,
    fast_two_sum,
    power_of_two,
)
from dask_tapestry_kernels.elementary.number_intrinsics import (
    choose,
    float64_bits,
    fma,
    horner,
    magnitude,
    signed,
)

# (cosh(r) - 1 - r**2 / 2) / r**4 in r**2, for |r| <= ln(2) / 2
COSH: Final = (
    0.041666666666666664,
    0.001388888888888655,
    2.480158731715722e-05,
    2.7557282949786894e-07,
    2.0911246029377087e-09,
)
COSH_SHORT: Final = (
    0.04166662183740705,
    0.0013918727804207503,
)
# (sinh(r) / r - 1) / r**2 in r**2
SINH: Final = (
    0.16666666666666666,
    0.008333333333333333,
    0.00019841269841263293,
    2.7557319247237726e-06,
    2.5052071073965115e-08,
    1.60866354762941e-10,
)
SINH_SHORT: Final = (
    0.16666666681635464,
    0.008333310913262823,
    0.00019891004384191445,
)

# (tanh(x) / x - 1) / x**2 in x**2, for |x| <= 0.6
TANH_F32: Final = (
    -0.3333333432674408,
    0.13333313167095184,
    -0.05396155267953873,
    0.021788321435451508,
    -0.008410071022808552,
    0.0023707656655460596,
)
MIDDLE_F32, ONE_F32, TWO_F32 = np.float32(0.6), np.float32(1.0), np.float32(2.0)


@compiled
def halves(x: Cell) -> Any:
    """Half of cosh(x) and half of sinh(x), x not negative, each in two parts.

    With x == n * ln(2) + r they are sums of cosh(r) and sinh(r) times half of cosh and sinh of
    n * ln(2), which are powers of two.
    """
    r, low, n = exp_reduced(x)
    z = r * r
    cosine = fma(z * z, horner(z, COSH), 0.5 * z)
    sine = fma(r * z, horner(z, SINH), low)
    grown, shrunk = power_of_two(n - 2), power_of_two(-choose(n > 1000, 1000, n) - 2)
    plus, minus = grown + shrunk, grown - shrunk
    product = minus * r
    cosh, cosh_low = fast_two_sum(plus, product)
    cosh_low += fma(minus, r, -product) + fma(plus, cosine, minus * sine)
    product = plus * r
    sinh, sinh_low = fast_two_sum(minus, product)
    sinh_low += fma(plus, r, -product) + fma(minus, cosine, plus * sine)
    return cosh, cosh_low, sinh, sinh_low


@compiled
def sinh(x: Cell) -> Cell:
    """Hyperbolic sine of a float64."""
    size = magnitude(x)
    _, _, high, low = halves(choose(size > 710.5, 710.5, size))
    return choose(size < 2.0**-27, x, signed(2.0 * (high + low), x))


@compiled
def cosh(x: Cell) -> Cell:
    """Hyperbolic cosine of a float64."""
    size = magnitude(x)
    high, low, _, _ = halves(choose(size > 710.5, 710.5, size))
    return 2.0 * (high + low)


@compiled
def tanh(x: Cell) -> Cell:
    """Hyperbolic tangent of a float64."""
    size = magnitude(x)
    cosh, cosh_low, sinh, sinh_low = halves(choose(size > 20.0, 20.0, size))
    cosh, cosh_low = fast_two_sum(cosh, cosh_low)
    sinh, sinh_low = fast_two_sum(sinh, sinh_low)
    inverse = 1.0 / cosh
    value = sinh * inverse
    rest = fma(-value, cosh, sinh) + fma(-value, cosh_low, sinh_low)
    # past 12 sinh and cosh are next to each other and tanh is 1 - 2 * exp(-2 * x)
    value = choose(size > 12.0, fma(-0.125 * inverse, inverse, 1.0), fma(rest, inverse, value))
    return choose(size < 2.0**-27, x, signed(value, x))


@compiled
def halves_short(x: Cell) -> Any:
    """Half of cosh(x) and half of sinh(x) to 2**-30, for functions of float32."""
    shifted = fma(x, LOG2_E, SHIFT)
    r = fma(shifted - SHIFT, -LN2, x)
    n = float64_bits(shifted) - SHIFT_BITS
    z = r * r
    cosine = fma(z * z, horner(z, COSH_SHORT), fma(0.5, z, 1.0))
    sine = fma(r * z, horner(z, SINH_SHORT), r)
    grown, shrunk = power_of_two(n - 2), power_of_two(-n - 2)
    plus, minus = grown + shrunk, grown - shrunk
    return fma(plus, cosine, minus * sine), fma(minus, cosine, plus * sine)


@compiled
def sinh_f32(x: Cell) -> Cell:
    """Hyperbolic sine of a float32, through float64."""
    size = np.float64(magnitude(x))
    _, half = halves_short(choose(size > 90.0, 90.0, size))
    return choose(size < 2.0**-13, x, signed(np.float32(half + half), x))


@compiled
def cosh_f32(x: Cell) -> Cell:
    """Hyperbolic cosine of a float32, through float64."""
    size = np.float64(magnitude(x))
    half, _ = halves_short(choose(size > 90.0, 90.0, size))
    return np.float32(half + half)


@compiled
def tanh_f32(x: Cell) -> Cell:
    """Hyperbolic tangent of a float32, in float32."""
    size = magnitude(x)
    z = size * size
    small = fma(size * z, horner(z, TANH_F32), size)
    value = ONE_F32 - TWO_F32 / (exp_f32(size + size) + ONE_F32)
    return signed(choose(size < MIDDLE_F32, small, value), x)
