"""Functions of an angle: sin, cos, tan.

Each is there twice: as it is for angles up to `is_far`, and as ``..._careful`` for all, which has
the same bits where the angle is not far and takes three times as long.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.elementary.argument_reduction import reduce_any, reduce_near
from dask_tapestry_kernels.elementary.float_parts import SHIFT_F32, Cell, compiled, fast_two_sum
from dask_tapestry_kernels.elementary.number_intrinsics import (
    choose,
    float32_bits,
    float32_of,
    float64_bits,
    float64_of,
    fma,
    horner,
    magnitude,
)

# (sin(r) / r - 1) / r**2 in r**2, for |r| up to a little more than pi / 4
SIN: Final = (
    -0.16666666666666666,
    0.008333333333330925,
    -0.00019841269836722418,
    2.755731608381636e-06,
    -2.5051127944014188e-08,
    1.5917848524808262e-10,
)
SIN_SHORT: Final = (
    -0.16666666663832763,
    0.008333331865959415,
    -0.00019840082012765537,
    2.7249314054698804e-06,
)
SIN_F32: Final = (
    -0.1666666716337204,
    0.008333331905305386,
    -0.00019840082677546889,
    2.7249313916399842e-06,
)
# (cos(r) - 1 + r**2 / 2) / r**4 in r**2
COS: Final = (
    0.041666666666666664,
    -0.0013888888888887382,
    2.480158729874307e-05,
    -2.7557317260008837e-07,
    2.0876143827993133e-09,
    -1.1382456778061306e-11,
)
COS_SHORT: Final = (
    0.0416666666643024,
    -0.0013888887664713619,
    2.4800596435621998e-05,
    -2.7300448619488353e-07,
)
COS_F32: Final = (
    0.0416666641831398,
    -0.0013888300163671374,
    2.4547436623834074e-05,
)

TWO_OVER_PI_F32: Final = np.float32(0.63661975)
HALF_PI_F32: Final = np.float32(1.5707964)
HALF_PI_LOW_F32: Final = np.float32(-4.371139e-08)
HALF_PI_LOWEST_F32: Final = np.float32(-1.7151245e-15)
FAR_FROM_F32: Final = np.float32(2.0**17)
INFINITY_F32: Final = np.float32(np.inf)
ZERO_F32, HALF_F32, ONE_F32 = np.float32(0.0), np.float32(0.5), np.float32(1.0)


@compiled
def sine_of(bits: Any, r: Cell, low: Cell) -> Cell:
    """Sine of ``n * pi / 2 + r + low``, n the last bits."""
    z = r * r
    half = 0.5 * z
    near_one = 1.0 - half
    cosine = fma(z * z, horner(z, COS), fma(-r, low, (1.0 - near_one) - half))
    sine = fma(r * z, horner(z, SIN), low * near_one)
    odd = (bits & 1) == 1
    value = choose(odd, near_one, r) + choose(odd, cosine, sine)
    return float64_of(float64_bits(value) ^ ((bits & 2) << 62))


@compiled
def sin(x: Cell) -> Cell:
    """Sine of a float64 that is not far."""
    bits, r, low = reduce_near(x)
    return choose(x == 0.0, x, sine_of(bits, r, low))


@compiled
def sin_careful(x: Cell) -> Cell:
    """Sine of a float64."""
    bits, r, low = reduce_any(x)
    return choose(x == 0.0, x, sine_of(bits, r, low))


@compiled
def cos(x: Cell) -> Cell:
    """Cosine of a float64 that is not far."""
    bits, r, low = reduce_near(x)
    return sine_of(bits + 1, r, low)


@compiled
def cos_careful(x: Cell) -> Cell:
    """Cosine of a float64."""
    bits, r, low = reduce_any(x)
    return sine_of(bits + 1, r, low)


@compiled
def tangent_of(bits: Any, r: Cell, low: Cell) -> Cell:
    """Tangent of ``n * pi / 2 + r + low``, n the last bits."""
    z = r * r
    half = 0.5 * z
    near_one = 1.0 - half
    cosine = fma(z * z, horner(z, COS), fma(-r, low, (1.0 - near_one) - half))
    sine = fma(r * z, horner(z, SIN), low * near_one)
    sine, sine_low = fast_two_sum(r, sine)
    cosine, cosine_low = fast_two_sum(near_one, cosine)
    odd = (bits & 1) == 1
    top, top_low = choose(odd, -cosine, sine), choose(odd, -cosine_low, sine_low)
    bottom, bottom_low = choose(odd, sine, cosine), choose(odd, sine_low, cosine_low)
    inverse = 1.0 / bottom
    value = top * inverse
    rest = fma(-value, bottom, top) + fma(-value, bottom_low, top_low)
    return fma(rest, inverse, value)


@compiled
def tan(x: Cell) -> Cell:
    """Tangent of a float64 that is not far."""
    bits, r, low = reduce_near(x)
    return choose(magnitude(x) < 2.0**-27, x, tangent_of(bits, r, low))


@compiled
def tan_careful(x: Cell) -> Cell:
    """Tangent of a float64."""
    bits, r, low = reduce_any(x)
    return choose(magnitude(x) < 2.0**-27, x, tangent_of(bits, r, low))


@compiled
def is_far_f32(x: Cell) -> Any:
    """Whether a float32 angle needs a careful function."""
    size = magnitude(x)
    return (size > FAR_FROM_F32) & (size < INFINITY_F32)


@compiled
def reduce_near_f32(x: Cell) -> Any:
    """Bits with n in the last ones and r: ``x == n * pi / 2 + r``."""
    shifted = fma(x, TWO_OVER_PI_F32, SHIFT_F32)
    n = shifted - SHIFT_F32
    r = fma(n, -HALF_PI_LOW_F32, fma(n, -HALF_PI_F32, x))
    return float32_bits(shifted), fma(n, -HALF_PI_LOWEST_F32, r)


@compiled
def reduce_any_f32(x: Cell) -> Any:
    """Like `reduce_near_f32`, for every x; far arguments are reduced in float64."""
    bits, r = reduce_near_f32(x)
    far_bits, far_r, _ = reduce_any(np.float64(x))
    far = is_far_f32(x)
    return choose(far, np.int32(far_bits), bits), choose(far, np.float32(far_r), r)


@compiled
def sine_of_f32(bits: Any, r: Cell) -> Cell:
    """Sine of ``n * pi / 2 + r``, n the last bits."""
    z = r * r
    half = HALF_F32 * z
    near_one = ONE_F32 - half
    cosine = fma(z * z, horner(z, COS_F32), (ONE_F32 - near_one) - half)
    sine = r * z * horner(z, SIN_F32)
    odd = np.int32(bits & 1) == np.int32(1)
    value = choose(odd, near_one, r) + choose(odd, cosine, sine)
    return float32_of(np.int32(float32_bits(value) ^ np.int32(np.int32(bits & 2) << 30)))


@compiled
def sin_f32(x: Cell) -> Cell:
    """Sine of a float32 that is not far, in float32."""
    bits, r = reduce_near_f32(x)
    return choose(x == ZERO_F32, x, sine_of_f32(bits, r))


@compiled
def sin_f32_careful(x: Cell) -> Cell:
    """Sine of a float32."""
    bits, r = reduce_any_f32(x)
    return choose(x == ZERO_F32, x, sine_of_f32(bits, r))


@compiled
def cos_f32(x: Cell) -> Cell:
    """Cosine of a float32 that is not far, in float32."""
    bits, r = reduce_near_f32(x)
    return sine_of_f32(np.int32(bits + 1), r)


@compiled
def cos_f32_careful(x: Cell) -> Cell:
    """Cosine of a float32."""
    bits, r = reduce_any_f32(x)
    return sine_of_f32(np.int32(bits + 1), r)


@compiled
def tangent_of_f32(bits: Any, r: Cell) -> Cell:
    """Tangent of ``n * pi / 2 + r`` as a float64, n the last bits."""
    z = r * r
    cosine = fma(z * z, horner(z, COS_SHORT), fma(-0.5, z, 1.0))
    sine = fma(r * z, horner(z, SIN_SHORT), r)
    odd = (bits & 1) == 1
    return choose(odd, -cosine, sine) / choose(odd, sine, cosine)


@compiled
def tan_f32(x: Cell) -> Cell:
    """Tangent of a float32 that is not far for a float64, through float64."""
    bits, r, _ = reduce_near(np.float64(x))
    return choose(x == ZERO_F32, x, np.float32(tangent_of_f32(bits, r)))


@compiled
def tan_f32_careful(x: Cell) -> Cell:
    """Tangent of a float32."""
    bits, r, _ = reduce_any(np.float64(x))
    return choose(x == ZERO_F32, x, np.float32(tangent_of_f32(bits, r)))
