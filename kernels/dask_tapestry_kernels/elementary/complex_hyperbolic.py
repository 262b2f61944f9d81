"""Hyperbolic functions and functions of an angle, of complex numbers.

The sine of z is that of ``1j * z`` turned back, so only sinh, cosh and tanh are written out.
"""

from __future__ import annotations

from dask_tapestry_kernels.elementary.complex_parts import (
    INFINITY,
    NAN,
    Number,
    apart,
    common,
    is_finite,
    of_angle,
    sin_cos,
    sin_cos_careful,
    turned,
    turned_back,
)
from dask_tapestry_kernels.elementary.float_parts import Cell, compiled
from dask_tapestry_kernels.elementary.hyperbolic import cosh as real_cosh
from dask_tapestry_kernels.elementary.hyperbolic import sinh as real_sinh
from dask_tapestry_kernels.elementary.hyperbolic import tanh as real_tanh
from dask_tapestry_kernels.elementary.number_intrinsics import choose, magnitude, signed

LARGE = 20.0  # past it sinh and cosh are next to each other


@compiled
def sinh(z: Number) -> Number:
    """Hyperbolic sine of a complex128 that is not wild."""
    sine, cosine = sin_cos(z.imag)
    return complex(real_sinh(z.real) * cosine, real_cosh(z.real) * sine)


@apart
def sinh_careful(z: Number) -> Number:
    """Hyperbolic sine of a complex128."""
    x, y = z.real, z.imag
    if y == 0.0:
        return complex(real_sinh(x), y)
    if not is_finite(y):
        return complex(abs(x) if abs(x) == INFINITY else (x if x == 0.0 else NAN), NAN)
    near, rest = common(abs(x))
    sine, cosine = sin_cos_careful(y)
    real = signed(real_sinh(near), x) * cosine * rest * rest
    return complex(real, real_cosh(near) * sine * rest * rest)


@compiled
def cosh(z: Number) -> Number:
    """Hyperbolic cosine of a complex128 that is not wild."""
    sine, cosine = sin_cos(z.imag)
    return complex(real_cosh(z.real) * cosine, real_sinh(z.real) * sine)


@apart
def cosh_careful(z: Number) -> Number:
    """Hyperbolic cosine of a complex128."""
    x, y = z.real, z.imag
    if y == 0.0:
        return complex(real_cosh(x), y if x != x else signed(1.0, x) * y)
    if not is_finite(y):
        return complex(INFINITY if abs(x) == INFINITY else NAN, 0.0 if x == 0.0 else NAN)
    near, rest = common(abs(x))
    sine, cosine = sin_cos_careful(y)
    real = real_cosh(near) * cosine * rest * rest
    return complex(real, signed(real_sinh(near), x) * sine * rest * rest)


@compiled
def _tanh(x: Cell, sine: Cell, cosine: Cell) -> Number:
    """Hyperbolic tangent, given sine and cosine of the imaginary part."""
    high, low = real_cosh(x), real_sinh(x)
    product, square = sine * cosine, low * low
    large = magnitude(x) > LARGE
    bottom = choose(large, 1.0, square + cosine * cosine)
    real = choose(large, signed(1.0, x), low * high / bottom)
    return complex(real, choose(large, product / low / low, product / bottom))


@compiled
def tanh(z: Number) -> Number:
    """Hyperbolic tangent of a complex128 that is not wild."""
    sine, cosine = sin_cos(z.imag)
    return _tanh(z.real, sine, cosine)


@apart
def tanh_careful(z: Number) -> Number:
    """Hyperbolic tangent of a complex128."""
    x, y = z.real, z.imag
    if is_finite(x) and is_finite(y):
        sine, cosine = sin_cos_careful(y)
        return _tanh(signed(min(abs(x), 700.0), x), sine, cosine)
    if y == 0.0:
        return complex(real_tanh(x), y)
    if abs(x) == INFINITY:
        sine, cosine = sin_cos_careful(y)
        return complex(signed(1.0, x), signed(0.0, sine * cosine if is_finite(y) else y))
    return complex(x if x == 0.0 else NAN, NAN)


sin = of_angle(sinh, compiled)
tan, tan_careful = of_angle(tanh, compiled), of_angle(tanh_careful, apart)


@apart
def sin_careful(z: Number) -> Number:
    """Sine of a complex128."""
    value = turned_back(sinh_careful(turned(z)))
    unknown = abs(z.imag) == INFINITY and not is_finite(z.real)
    return complex(value.real, INFINITY) if unknown else value


@compiled
def cos(z: Number) -> Number:
    """Cosine of a complex128 that is not wild when turned."""
    return cosh(turned(z))


@apart
def cos_careful(z: Number) -> Number:
    """Cosine of a complex128."""
    return cosh_careful(turned(z))
