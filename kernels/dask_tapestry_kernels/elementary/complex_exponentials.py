"""Exponential functions of complex numbers: exp, exp2, expm1."""

from __future__ import annotations

from typing import Any, Final

from dask_tapestry_kernels.elementary.argument_reduction import reduce_any, reduce_near
from dask_tapestry_kernels.elementary.complex_parts import (
    INFINITY,
    NAN,
    Number,
    apart,
    common,
    is_finite,
    is_not_finite,
    is_wild,
    sin_cos,
    sin_cos_careful,
)
from dask_tapestry_kernels.elementary.exponentials import exp as real_exp
from dask_tapestry_kernels.elementary.exponentials import exp2 as real_exp2
from dask_tapestry_kernels.elementary.exponentials import expm1 as real_expm1
from dask_tapestry_kernels.elementary.float_parts import LN2, LN2_LOW, Cell, compiled, two_sum
from dask_tapestry_kernels.elementary.number_intrinsics import choose, fma, magnitude, signed
from dask_tapestry_kernels.elementary.trigonometric import sine_of

MOST_EXP2: Final = 1000.0  # whose power of two is neither infinite nor subnormal
NEAR_EXP2: Final = 2.0**40  # up to here the rounding error of an angle is a small angle


@compiled
def exp(z: Number) -> Number:
    """``e ** z`` of a complex128 that is not wild."""
    size = real_exp(z.real)
    sine, cosine = sin_cos(z.imag)
    return complex(size * cosine, size * sine)


@apart
def exp_careful(z: Number) -> Number:
    """``e ** z`` of a complex128."""
    x, y = z.real, z.imag
    if y == 0.0 or not is_finite(y):
        return _exp_end(x, y)
    near, rest = common(x)
    size = real_exp(near)
    sine, cosine = sin_cos_careful(y)
    return complex(size * cosine * rest * rest, size * sine * rest * rest)


@compiled
def _exp_end(x: Cell, y: Cell) -> Number:
    """``e ** (x + 1j * y)`` for an angle that is 0, infinite or NaN."""
    if y == 0.0:
        return complex(real_exp(x), y)
    if x == -INFINITY:
        return complex(0.0, signed(0.0, y) if y == y else 0.0)
    return complex(INFINITY if x == INFINITY else NAN, NAN)


@compiled
def _angle(y: Cell) -> Any:
    """``y * ln(2)`` in two parts."""
    angle = y * LN2
    low = fma(y, LN2, -angle) + y * LN2_LOW
    return angle, choose(magnitude(y) < NEAR_EXP2, low, 0.0)


@compiled
def is_wild_exp2(z: Number) -> Any:
    """Whether the power of 2 needs care: a part is far, infinite or NaN."""
    return not ((magnitude(z.real) <= MOST_EXP2) & (magnitude(z.imag) <= 2.0**30))


@compiled
def exp2(z: Number) -> Number:
    """``2 ** z`` of a complex128 that is not wild."""
    size = real_exp2(z.real)
    angle, rounding = _angle(z.imag)
    bits, r, low = reduce_near(angle)
    r, low = two_sum(r, low + rounding)  # the sine takes a low part to be that of a float
    sine = choose(angle == 0.0, angle, sine_of(bits, r, low))
    return complex(size * sine_of(bits + 1, r, low), size * sine)


@apart
def exp2_careful(z: Number) -> Number:
    """``2 ** z`` of a complex128."""
    x, y = z.real, z.imag
    if y == 0.0 or not is_finite(y):
        return _exp_end(x, y) if y != 0.0 else complex(real_exp2(x), y)
    near = min(max(x, -MOST_EXP2), MOST_EXP2) if x == x else x
    rest = real_exp2(0.5 * (x - near))
    size = real_exp2(near)
    angle, rounding = _angle(y)
    bits, r, low = reduce_any(angle)
    r, low = two_sum(r, low + rounding)  # the sine takes a low part to be that of a float
    sine = angle if angle == 0.0 else sine_of(bits, r, low)
    return complex(size * sine_of(bits + 1, r, low) * rest * rest, size * sine * rest * rest)


@compiled
def expm1(z: Number) -> Number:
    """``e ** z - 1`` of a complex128 that is not wild."""
    sine, cosine = sin_cos(z.imag)
    half, _ = sin_cos(0.5 * z.imag)
    real = real_expm1(z.real) * cosine - 2.0 * half * half
    return complex(real, real_exp(z.real) * sine)


@apart
def expm1_careful(z: Number) -> Number:
    """``e ** z - 1`` of a complex128."""
    if not is_wild(z):
        return expm1(z)
    if is_not_finite(z) or abs(z.real) < 1.0:
        sine, cosine = sin_cos_careful(z.imag)
        half, _ = sin_cos_careful(0.5 * z.imag)
        real = real_expm1(z.real) * cosine - 2.0 * half * half
        return complex(real, real_exp(z.real) * sine)
    value = exp_careful(z)
    return complex(value.real - 1.0, value.imag)
