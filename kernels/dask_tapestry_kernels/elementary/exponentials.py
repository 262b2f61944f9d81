"""Exponential functions: exp, exp2, expm1."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.elementary.float_parts import (
    LN2,
    LN2_F32,
    LN2_LOW,
    LN2_LOW_F32,
    LOG2_E,
    SHIFT,
    SHIFT_BITS,
    SHIFT_BITS_F32,
    SHIFT_F32,
    Cell,
    compiled,
    fast_two_sum,
    power_of_two,
    scaled,
    scaled_f32,
    with_exponent,
    with_exponent_f32,
)
from dask_tapestry_kernels.elementary.number_intrinsics import (
    choose,
    float32_bits,
    float64_bits,
    fma,
    horner,
    magnitude,
)

# (exp(r) - 1 - r) / r**2 for |r| <= ln(2) / 2
EXP: Final = (
    0.5,
    0.1666666666666667,
    0.04166666666666667,
    0.008333333333326129,
    0.0013888888888883744,
    0.00019841269874844894,
    2.4801587325565073e-05,
    2.7557255369427714e-06,
    2.755727362113095e-07,
    2.510522981321569e-08,
    2.0914696114722443e-09,
)
EXP_SHORT: Final = (
    0.5,
    0.16666666719066817,
    0.04166666671905012,
    0.008333298452984021,
    0.00138888540188576,
    0.0001989929957295953,
    2.4859603825285468e-05,
)
EXP_F32: Final = (
    0.5,
    0.16666576266288757,
    0.041666556149721146,
    0.00836318638175726,
    0.0013926192186772823,
)
# (exp(r) - 1) / r for |r| <= ln(2) / 2, to 2**-56 of exp(r)
EXP_RATIO: Final = (
    1.0,
    0.5000000000000001,
    0.16666666666666669,
    0.04166666666662413,
    0.008333333333330062,
    0.0013888888917213717,
    0.00019841269863053618,
    2.4801521295954376e-05,
    2.7557268459997064e-06,
    2.7620088445409746e-07,
    2.510038549551032e-08,
)
EXP_RATIO_F32: Final = (1.0, *EXP_F32)
# (2**r - 1 - r * ln(2)) / r**2 for |r| <= 1/2
EXP2: Final = (
    0.24022650695910072,
    0.0555041086648216,
    0.009618129107628479,
    0.0013333558146416936,
    0.00015403530393375914,
    1.525273382983612e-05,
    1.3215486802903931e-06,
    1.0178062445845774e-07,
    7.054899956372649e-09,
    4.4549605981865186e-10,
    2.572508057683636e-11,
)
EXP2_F32: Final = (
    0.24022650718688965,
    0.055503811687231064,
    0.009618103504180908,
    0.0013381302123889327,
    0.00015444883320014924,
)
# (2**r - 1) / r for |r| <= 1/2, to 2**-56 of 2**r
EXP2_RATIO: Final = (
    LN2,
    0.24022650695910075,
    0.05550410866482158,
    0.009618129107618658,
    0.0013333558146423209,
    0.0001540353042479538,
    1.5252733820805852e-05,
    1.3215451619146607e-06,
    1.0178067259946989e-07,
    7.070981083365768e-09,
    4.454105125293416e-10,
)
EXP2_RATIO_F32: Final = (LN2, *EXP2_F32)
LOG2_E_F32: Final = np.float32(LOG2_E)
# Up to here exponentials are neither infinite nor subnormal
MOST: Final = 708.0
MOST_F32: Final = np.float32(87.0)
MOST_EXP2: Final = 1022.0
MOST_EXP2_F32: Final = np.float32(126.0)


@compiled
def exp_reduced(x: Cell) -> Cell:
    """``r``, its rounding error and an integer n with ``x == r + n * ln(2)``."""
    shifted = fma(x, LOG2_E, SHIFT)
    n = shifted - SHIFT
    near = fma(n, -LN2, x)  # exact
    r = fma(n, -LN2_LOW, near)
    return r, fma(n, -LN2_LOW, near - r), float64_bits(shifted) - SHIFT_BITS


@compiled
def exp_parts(x: Cell) -> Cell:
    """A number near 1 and bits of an integer n: ``e ** x`` is their product with ``2 ** n``."""
    shifted = fma(x, LOG2_E, SHIFT)
    n = shifted - SHIFT
    r = fma(n, -LN2_LOW, fma(n, -LN2, x))
    return fma(horner(r, EXP_RATIO), r, 1.0), float64_bits(shifted)


@compiled
def exp(x: Cell) -> Cell:
    """``e ** x`` of a float64."""
    x = choose(x > 710.0, 710.0, x)
    x = choose(x < -746.0, -746.0, x)
    value, bits = exp_parts(x)
    return scaled(value, bits - SHIFT_BITS)


@compiled
def exp_normal(x: Cell) -> Cell:
    """``e ** x`` of a float64 that is not wild; negative ones raise no flag."""
    value, bits = exp_parts(choose(x < -MOST, -MOST, x))
    return with_exponent(value, bits)


@compiled
def is_wild(x: Cell) -> Any:
    """Whether the exponential of a float64 may be infinite, subnormal or NaN."""
    return not magnitude(x) <= MOST


@compiled
def exp_parts_f32(x: Cell) -> Cell:
    """The same of a float32, in float32."""
    shifted = fma(x, LOG2_E_F32, SHIFT_F32)
    n = shifted - SHIFT_F32
    r = fma(n, -LN2_LOW_F32, fma(n, -LN2_F32, x))
    return fma(horner(r, EXP_RATIO_F32), r, np.float32(1.0)), float32_bits(shifted)


@compiled
def exp_f32(x: Cell) -> Cell:
    """``e ** x`` of a float32, in float32."""
    x = choose(x > np.float32(89.0), np.float32(89.0), x)
    x = choose(x < np.float32(-104.0), np.float32(-104.0), x)
    value, bits = exp_parts_f32(x)
    return scaled_f32(value, np.int32(bits - SHIFT_BITS_F32))


@compiled
def exp_normal_f32(x: Cell) -> Cell:
    """``e ** x`` of a float32 that is not wild; negative ones raise no flag."""
    value, bits = exp_parts_f32(choose(x < -MOST_F32, -MOST_F32, x))
    return with_exponent_f32(value, bits)


@compiled
def is_wild_f32(x: Cell) -> Any:
    """Whether the exponential of a float32 may be infinite, subnormal or NaN."""
    return not magnitude(x) <= MOST_F32


@compiled
def exp_short(x: Cell) -> Cell:
    """``e ** x`` of a float64 from -700 to 700 to 2**-38, for functions of float32."""
    shifted = fma(x, LOG2_E, SHIFT)
    r = fma(shifted - SHIFT, -LN2, x)
    value = 1.0 + fma(r * r, horner(r, EXP_SHORT), r)
    return value * power_of_two(float64_bits(shifted) - SHIFT_BITS)


@compiled
def exp2_parts(x: Cell) -> Cell:
    """A number near 1 and bits of an integer n: ``2 ** x`` is their product with ``2 ** n``."""
    shifted = x + SHIFT
    r = x - (shifted - SHIFT)  # exact
    return fma(horner(r, EXP2_RATIO), r, 1.0), float64_bits(shifted)


@compiled
def exp2(x: Cell) -> Cell:
    """``2 ** x`` of a float64."""
    x = choose(x > 1025.0, 1025.0, x)
    x = choose(x < -1076.0, -1076.0, x)
    value, bits = exp2_parts(x)
    return scaled(value, bits - SHIFT_BITS)


@compiled
def exp2_normal(x: Cell) -> Cell:
    """``2 ** x`` of a float64 that is not wild; negative ones raise no flag."""
    value, bits = exp2_parts(choose(x < -MOST_EXP2, -MOST_EXP2, x))
    return with_exponent(value, bits)


@compiled
def is_wild_exp2(x: Cell) -> Any:
    """Whether the power of two may be infinite, subnormal or NaN."""
    return not magnitude(x) <= MOST_EXP2


@compiled
def exp2_parts_f32(x: Cell) -> Cell:
    """The same of a float32, in float32."""
    shifted = x + SHIFT_F32
    r = x - (shifted - SHIFT_F32)  # exact
    return fma(horner(r, EXP2_RATIO_F32), r, np.float32(1.0)), float32_bits(shifted)


@compiled
def exp2_f32(x: Cell) -> Cell:
    """``2 ** x`` of a float32, in float32."""
    x = choose(x > np.float32(129.0), np.float32(129.0), x)
    x = choose(x < np.float32(-151.0), np.float32(-151.0), x)
    value, bits = exp2_parts_f32(x)
    return scaled_f32(value, np.int32(bits - SHIFT_BITS_F32))


@compiled
def exp2_normal_f32(x: Cell) -> Cell:
    """``2 ** x`` of a float32 that is not wild; negative ones raise no flag."""
    value, bits = exp2_parts_f32(choose(x < -MOST_EXP2_F32, -MOST_EXP2_F32, x))
    return with_exponent_f32(value, bits)


@compiled
def is_wild_exp2_f32(x: Cell) -> Any:
    """Whether the power of two of a float32 may be infinite, subnormal or NaN."""
    return not magnitude(x) <= MOST_EXP2_F32


@compiled
def expm1(x: Cell) -> Cell:
    """``e ** x - 1`` of a float64."""
    v = choose(x > 710.0, 710.0, x)
    v = choose(v < -40.0, -40.0, v)
    r, low, n = exp_reduced(v)
    half = power_of_two(n - 1)  # half of 2**n, which may be 2**1024
    high, error = fast_two_sum(half - 0.5, half * r)
    value = 2.0 * (high + (error + half * fma(r * r, horner(r, EXP), low)))
    return choose(magnitude(x) < 2.0**-54, x, value)


@compiled
def expm1_f32(x: Cell) -> Cell:
    """``e ** x - 1`` of a float32, through float64 away from 0."""
    v = np.float64(choose(x > np.float32(89.0), np.float32(89.0), x))
    v = choose(v < -40.0, -40.0, v)
    shifted = fma(v, LOG2_E, SHIFT)
    r = fma(shifted - SHIFT, -LN2, v)
    value = fma(r * r, horner(r, EXP_SHORT), r)
    scale = power_of_two(float64_bits(shifted) - SHIFT_BITS)
    value = fma(scale, value, scale - 1.0)
    return choose(magnitude(x) < np.float32(2.0**-30), x, np.float32(value))
