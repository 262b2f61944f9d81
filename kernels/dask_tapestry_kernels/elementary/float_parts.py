"""What elementary functions are made of: sums and products with their error, powers of two.

Every step is an IEEE operation or an explicit `fma`, and there are selects but no branches, so
that a loop over cells is vectorised and its bits depend on nothing but the arguments.

The polynomials of the family's modules interpolate what the comment above them names at the
Chebyshev points of its range, computed with 60 digits and rounded to float64 (to float32 where the
name ends in F32); the degree is the least that keeps the error of the function it serves below a
tenth of a unit in the last place, about 2**-57 and 2**-28. Those named SHORT serve functions of
float32 that compute in float64: about 2**-34.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numba import njit

from dask_tapestry_kernels.elementary.number_intrinsics import (
    choose,
    float32_bits,
    float32_of,
    float64_bits,
    float64_of,
    fma,
)

Cell = Any  # a float64 or a float32, as the function's name says

compiled: Any = njit(forceinline=True, error_model="numpy")

# A number added to this one is rounded to an integer, which stands in the last bits of the sum.
SHIFT: Final = 1.5 * 2.0**52
SHIFT_BITS: Final = 0x4338000000000000
SHIFT_F32: Final = np.float32(1.5 * 2.0**23)
SHIFT_BITS_F32: Final = np.int32(0x4B400000)
BIAS, BIAS_F32 = 1023, np.int32(127)  # of exponents
ONE_BITS: Final = 0x3FF0000000000000
ONE_BITS_F32: Final = np.int32(0x3F800000)
EXPONENT: Final = 0x7FF << 52
EXPONENT_F32: Final = np.int32(0xFF << 23)
SMALLEST_NORMAL: Final = 2.0**-1022
SMALLEST_NORMAL_F32: Final = np.float32(2.0**-126)

LN2: Final = 0.6931471805599453
LN2_LOW: Final = 2.3190468138462996e-17
LN2_F32: Final = np.float32(LN2)
LN2_LOW_F32: Final = np.float32(-1.9046542e-09)
LOG2_E: Final = 1.4426950408889634
LOG2_E_LOW: Final = 2.0355273740931033e-17


@compiled
def two_sum(a: Cell, b: Cell) -> Any:
    """``a + b`` and its rounding error."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


@compiled
def fast_two_sum(a: Cell, b: Cell) -> Any:
    """``a + b`` and its rounding error where ``a`` is zero or not the smaller one."""
    total = a + b
    return total, b - (total - a)


@compiled
def two_product(a: Cell, b: Cell) -> Any:
    """``a * b`` and its rounding error."""
    product = a * b
    return product, fma(a, b, -product)


@compiled
def power_of_two(n: Any) -> Cell:
    """``2.0 ** n`` of an int64 from -1022 to 1023."""
    return float64_of((n << 52) + ONE_BITS)


@compiled
def power_of_two_f32(n: Any) -> Cell:
    """``2.0 ** n`` of an int32 from -126 to 127."""
    return float32_of(np.int32(np.int32(n << 23) + ONE_BITS_F32))


@compiled
def scaled(x: Cell, n: Any) -> Cell:
    """``x * 2.0 ** n`` for an ``x`` near 1, rounded once where that is subnormal.

    The exponents of two factors are as many bits each: no more than their sum has to be biased.
    """
    both = (n + 2 * BIAS) << 51
    half = both & EXPONENT
    return x * float64_of(half) * float64_of((both << 1) - half)


@compiled
def scaled_f32(x: Cell, n: Any) -> Cell:
    """``x * 2.0 ** n`` for an ``x`` near 1, rounded once where that is subnormal."""
    both = np.int32(np.int32(n + 2 * BIAS_F32) << 22)
    half = np.int32(both & EXPONENT_F32)
    return x * float32_of(half) * float32_of(np.int32(np.int32(both << 1) - half))


@compiled
def with_exponent(x: Cell, n: Any) -> Cell:
    """``x * 2.0 ** n``, if that is normal, of the last 12 bits of an int64 `n`."""
    return float64_of(float64_bits(x) + (n << 52))


@compiled
def with_exponent_f32(x: Cell, n: Any) -> Cell:
    """``x * 2.0 ** n``, if that is normal, of the last 9 bits of an int32 `n`."""
    return float32_of(np.int32(float32_bits(x) + np.int32(n << 23)))


@compiled
def split_normal(x: Cell) -> Any:
    """``k`` and ``m`` from sqrt(1/2) to sqrt(2) with ``x == m * 2**k``, for a normal x > 0."""
    bits = float64_bits(x)
    k = (bits - 0x3FE6A09E667F3BCD) >> 52
    return float64_of(k + SHIFT_BITS) - SHIFT, float64_of(bits - (k << 52))


@compiled
def split(x: Cell) -> Any:
    """``k`` and ``m`` from sqrt(1/2) to sqrt(2) with ``x == m * 2**k``, for x > 0."""
    small = x < SMALLEST_NORMAL
    k, m = split_normal(choose(small, x * 2.0**54, x))
    return k - choose(small, 54.0, 0.0), m


@compiled
def split_f32(x: Cell) -> Any:
    """``k`` and ``m`` from sqrt(1/2) to sqrt(2) with ``x == m * 2**k``, for x > 0."""
    small = x < SMALLEST_NORMAL_F32
    bits = float32_bits(choose(small, x * np.float32(2.0**23), x))
    k = np.int32(np.int32(bits - np.int32(0x3F3504F3)) >> 23)
    m = float32_of(np.int32(bits - np.int32(k << 23)))
    shift = choose(small, np.float32(SHIFT_F32 + np.float32(23.0)), SHIFT_F32)
    return float32_of(np.int32(k + SHIFT_BITS_F32)) - shift, m
