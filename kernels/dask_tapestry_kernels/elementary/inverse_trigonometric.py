"""Angles: arcsin, arccos, arctan, arctan2."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.elementary.float_parts import Cell, compiled, fast_two_sum
from dask_tapestry_kernels.elementary.number_intrinsics import (
    choose,
    fma,
    horner,
    magnitude,
    root,
    signed,
)

# (arctan(q) / q - 1) / q**2 in q**2, for |q| up to tan(pi / 8)
ATAN: Final = (
    -0.3333333333333333,
    0.19999999999995513,
    -0.1428571428466482,
    0.11111111015117626,
    -0.09090904572487347,
    0.07692183059894114,
    -0.06664509603255386,
    0.05858132894427922,
    -0.05085365922344248,
    0.03922923713835943,
    -0.01917392228554793,
)
ATAN_SHORT: Final = (
    -0.3333333327919426,
    0.1999997723777395,
    -0.1428415006563401,
    0.11071344117900768,
    -0.08624520273456275,
    0.05047736342027177,
)
# (arcsin(s) / s - 1) / s**2 in s**2, for |s| <= 1/2
ASIN: Final = (
    0.16666666666666669,
    0.07499999999998433,
    0.04464285714635543,
    0.030381944138531247,
    0.02237217294214989,
    0.017352392720869973,
    0.013971212973552933,
    0.011479177415184906,
    0.01032281435018578,
    0.005457506718640358,
    0.01740087944269402,
    -0.014851887071247204,
    0.028757851367421566,
)
ASIN_SHORT: Final = (
    0.16666666337430908,
    0.07500094543497424,
    0.04459940152851218,
    0.03110066273549457,
    0.017149238357677253,
    0.03369084720283012,
)

PI, PI_LOW = 3.141592653589793, 1.2246467991473532e-16
HALF_PI, HALF_PI_LOW = 1.5707963267948966, 6.123233995736766e-17
QUARTER_PI, QUARTER_PI_LOW = 0.7853981633974483, 3.061616997868383e-17
EIGHTH_OF_TURN: Final = 0.41421356237309503  # tan(pi / 8)
INFINITY: Final = np.inf


@compiled
def arctan(x: Cell) -> Cell:
    """Arctangent of a float64."""
    size = magnitude(x)
    size = choose(size > 2.0**60, 2.0**60, size)
    steep, middle = size > 1.0 + 2.0**0.5, size > EIGHTH_OF_TURN
    less, more = size - 1.0, size + 1.0
    top = choose(steep, -1.0, choose(middle, less, size))
    bottom = choose(steep, size, choose(middle, more, 1.0))
    between = middle & (size < 2.5) & (not steep)
    top_low = choose(between & (size < 1.0), size - (less + 1.0), 0.0)
    bottom_low = choose(between, size - (more - 1.0), 0.0)
    base = choose(steep, HALF_PI, choose(middle, QUARTER_PI, 0.0))
    base_low = choose(steep, HALF_PI_LOW, choose(middle, QUARTER_PI_LOW, 0.0))
    inverse = 1.0 / bottom
    q = top * inverse
    q_low = inverse * (fma(-q, bottom, top) + (top_low - q * bottom_low))
    z = q * q
    high, low = fast_two_sum(base, q)
    return signed(high + (low + fma(q * z, horner(z, ATAN), base_low + q_low)), x)


@compiled
def arctan_f32(x: Cell) -> Cell:
    """Arctangent of a float32, through float64."""
    size = np.float64(magnitude(x))
    size = choose(size > 2.0**60, 2.0**60, size)
    steep, middle = size > 1.0 + 2.0**0.5, size > EIGHTH_OF_TURN
    top = choose(steep, -1.0, choose(middle, size - 1.0, size))
    bottom = choose(steep, size, choose(middle, size + 1.0, 1.0))
    base = choose(steep, HALF_PI, choose(middle, QUARTER_PI, 0.0))
    q = top / bottom
    z = q * q
    return signed(np.float32(base + fma(q * z, horner(z, ATAN_SHORT), q)), x)


@compiled
def quotient_of(y: Cell, x: Cell) -> Any:
    """The parts of arctan2 of two float64.

    Numerator, denominator, whether they are the difference and the sum of the arguments' sizes,
    then k and a sign s with ``|arctan2(y, x)| == k * pi / 4 + s * arctan(top / bottom)``.
    """
    a, b = magnitude(y), magnitude(x)
    infinite = (a == INFINITY) & (b == INFINITY)
    a, b = choose(infinite, 1.0, a), choose(infinite, 1.0, b)
    steep = a > b
    small, big = choose(steep, b, a), choose(steep, a, b)
    shrink = choose(big > 2.0**1000, 0.25, 1.0)
    small *= choose(big == INFINITY, 0.0, shrink)
    big = choose((big == 0.0) | (big == INFINITY), 1.0, big * shrink)
    middle = small > EIGHTH_OF_TURN * big
    eighths = choose(middle, 1.0, 0.0)
    eighths = choose(steep, 2.0 - eighths, eighths)
    backward = signed(1.0, x) < 0.0
    eighths = choose(backward, 4.0 - eighths, eighths)
    return small, big, middle, eighths, choose(steep != backward, -1.0, 1.0)


@compiled
def arctan2(y: Cell, x: Cell) -> Cell:
    """Angle of the point (x, y) of float64."""
    small, big, middle, eighths, sign = quotient_of(y, x)
    less, more = small - big, small + big
    bottom = choose(middle, more, big)
    top = choose(middle, less, small)
    q = top / bottom
    lost = (small - (less + big)) - q * (small - (more - big))
    q_low = (fma(-q, bottom, top) + choose(middle, lost, 0.0)) / bottom
    base = eighths * QUARTER_PI
    base_low = fma(eighths, QUARTER_PI, -base) + eighths * QUARTER_PI_LOW
    z = q * q
    high, low = fast_two_sum(base, sign * q)
    value = high + (low + fma(sign, fma(q * z, horner(z, ATAN), q_low), base_low))
    return signed(value, y)


@compiled
def arctan2_f32(y: Cell, x: Cell) -> Cell:
    """Angle of the point (x, y) of float32, through float64."""
    small, big, middle, eighths, sign = quotient_of(np.float64(y), np.float64(x))
    q = choose(middle, small - big, small) / choose(middle, small + big, big)
    z = q * q
    value = fma(sign, fma(q * z, horner(z, ATAN_SHORT), q), eighths * QUARTER_PI)
    return signed(np.float32(value), y)


@compiled
def arcsin(x: Cell) -> Cell:
    """Arcsine of a float64."""
    size = magnitude(x)
    steep = size > 0.5
    z = choose(steep, fma(-0.5, size, 0.5), size * size)
    s = choose(steep, -2.0 * root(z), size)
    high, low = fast_two_sum(choose(steep, HALF_PI, 0.0), s)
    base_low = choose(steep, HALF_PI_LOW, 0.0)
    return signed(high + (low + fma(s * z, horner(z, ASIN), base_low)), x)


@compiled
def arcsin_f32(x: Cell) -> Cell:
    """Arcsine of a float32, through float64."""
    size = np.float64(magnitude(x))
    steep = size > 0.5
    z = choose(steep, fma(-0.5, size, 0.5), size * size)
    s = choose(steep, -2.0 * root(z), size)
    value = choose(steep, HALF_PI, 0.0) + fma(s * z, horner(z, ASIN_SHORT), s)
    return signed(np.float32(value), x)


@compiled
def arccos(x: Cell) -> Cell:
    """Arccosine of a float64."""
    size = magnitude(x)
    steep, backward = size > 0.5, x < 0.0
    z = choose(steep, fma(-0.5, size, 0.5), x * x)
    s = choose(steep, signed(2.0 * root(z), x), -x)
    base = choose(steep, choose(backward, PI, 0.0), HALF_PI)
    base_low = choose(steep, choose(backward, PI_LOW, 0.0), HALF_PI_LOW)
    high, low = fast_two_sum(base, s)
    return high + (low + fma(s * z, horner(z, ASIN), base_low))


@compiled
def arccos_f32(x: Cell) -> Cell:
    """Arccosine of a float32, through float64."""
    wide = np.float64(x)
    size = magnitude(wide)
    steep = size > 0.5
    z = choose(steep, fma(-0.5, size, 0.5), wide * wide)
    s = choose(steep, signed(2.0 * root(z), wide), -wide)
    base = choose(steep, choose(wide < 0.0, PI, 0.0), HALF_PI)
    return np.float32(base + fma(s * z, horner(z, ASIN_SHORT), s))
