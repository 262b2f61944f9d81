"""Inverses of hyperbolic functions and of functions of an angle, of complex numbers.

They are made of square roots of ``1 - z`` and ``1 + z``, whose products lose nothing by
cancellation, and of the real inverses.

Source: W. Kahan, "Branch cuts for complex elementary functions", 1987.
"""

from __future__ import annotations

from typing import Any, Final

from dask_tapestry_kernels.elementary.complex_arithmetic import sqrt
from dask_tapestry_kernels.elementary.complex_parts import (
    INFINITY,
    NAN,
    Number,
    apart,
    is_not_finite,
    of_angle,
    sorted_sizes,
    turned,
    turned_back,
)
from dask_tapestry_kernels.elementary.float_parts import LN2, Cell, compiled
from dask_tapestry_kernels.elementary.inverse_hyperbolic import arcsinh as real_arcsinh
from dask_tapestry_kernels.elementary.inverse_trigonometric import arctan2
from dask_tapestry_kernels.elementary.logarithms import log, log1p
from dask_tapestry_kernels.elementary.number_intrinsics import choose, magnitude, signed
from dask_tapestry_kernels.elementary.powers import hypot

HUGE: Final = 2.0**500  # whose square there still is
HALF_PI: Final = 1.5707963267948966


@compiled
def _roots(z: Number) -> Any:
    """Square roots of ``1 - z`` and ``1 + z``, and 1; of a huge z, of a quarter of all three."""
    huge = sorted_sizes(z.real, z.imag)[0] > HUGE
    one, scale = choose(huge, 0.0, 1.0), choose(huge, 0.25, 1.0)
    x, y = z.real * scale, z.imag * scale
    return sqrt(complex(one - x, -y)), sqrt(complex(one + x, y)), scale


@compiled
def _size(less: Number, more: Number, scale: Cell) -> Cell:
    """Size of the imaginary part of an arcsine."""
    size = real_arcsinh(magnitude(less.real * more.imag - less.imag * more.real))
    return size + choose(scale < 1.0, 2.0 * LN2, 0.0)


@compiled
def arcsin(z: Number) -> Number:
    """Arcsine of a finite complex128."""
    less, more, scale = _roots(z)
    cosine = magnitude(less.real * more.real - less.imag * more.imag)
    size = _size(less, more, scale)
    return complex(arctan2(z.real * scale, cosine), signed(size, z.imag))


@compiled
def arccos(z: Number) -> Number:
    """Arccosine of a finite complex128."""
    less, more, scale = _roots(z)
    half = arctan2(less.real, more.real)
    return complex(half + half, signed(_size(less, more, scale), -z.imag))


@compiled
def arcsinh(z: Number) -> Number:
    """Inverse hyperbolic sine of a finite complex128."""
    return turned_back(arcsin(turned(z)))


@compiled
def arccosh(z: Number) -> Number:
    """Inverse hyperbolic cosine of a finite complex128."""
    angle = arccos(z)
    return complex(magnitude(angle.imag), signed(angle.real, z.imag))


@apart
def arcsinh_careful(z: Number) -> Number:
    """Inverse hyperbolic sine of a complex128."""
    x, y = z.real, z.imag
    if not is_not_finite(z):
        return arcsinh(z)
    if abs(x) == INFINITY:
        return complex(x, arctan2(y, abs(x)))
    if abs(y) == INFINITY:
        return complex(signed(INFINITY, x), arctan2(y, x) if x == x else NAN)
    return complex(NAN, y if y == 0.0 else NAN)


@apart
def arcsin_careful(z: Number) -> Number:
    """Arcsine of a complex128."""
    return turned_back(arcsinh_careful(turned(z)))


@apart
def arccos_careful(z: Number) -> Number:
    """Arccosine of a complex128."""
    x, y = z.real, z.imag
    if not is_not_finite(z):
        return arccos(z)
    if abs(x) == INFINITY:
        return complex(arctan2(abs(y), x), signed(INFINITY, -y))
    if abs(y) == INFINITY:
        return complex(HALF_PI if x == x else NAN, -y)
    return complex(HALF_PI if x == 0.0 else NAN, NAN)


@apart
def arccosh_careful(z: Number) -> Number:
    """Inverse hyperbolic cosine of a complex128."""
    angle = arccos_careful(z)
    return complex(abs(angle.imag), signed(angle.real, z.imag))


@compiled
def needs_care_of_tangent(z: Number) -> Any:
    """Whether the inverse hyperbolic tangent needs care: squares may overflow or vanish."""
    x, y = magnitude(z.real), magnitude(z.imag)
    return not ((x < HUGE) & (y < HUGE) & ((x != 1.0) | (y > 2.0**-500)))


@compiled
def needs_care_of_tangent_turned(z: Number) -> Any:
    """Whether an argument of the arctangent needs the careful function."""
    return needs_care_of_tangent(turned(z))


@compiled
def arctanh(z: Number) -> Number:
    """Inverse hyperbolic tangent of a complex128 that needs no care."""
    x, y = magnitude(z.real), z.imag
    less, more, square = 1.0 - x, 1.0 + x, y * y
    real = 0.25 * log1p(4.0 * x / (less * less + square))
    return complex(signed(real, z.real), 0.5 * arctan2(y + y, less * more - square))


@apart
def arctanh_careful(z: Number) -> Number:
    """Inverse hyperbolic tangent of a complex128."""
    x, y = z.real, z.imag
    if not needs_care_of_tangent(z):
        return arctanh(z)
    if abs(x) == INFINITY or abs(y) == INFINITY:
        return complex(signed(0.0, x), signed(HALF_PI, y) if y == y else y)
    if x != x or y != y:
        return complex(x if x == 0.0 else NAN, NAN)
    if abs(x) == 1.0 and abs(y) < 1.0:
        return _beside_one(x, y)
    size = hypot(0.25 * x, 0.25 * y)
    return complex(0.0625 * x / size / size, signed(HALF_PI, y))


@compiled
def _beside_one(x: Cell, y: Cell) -> Number:
    """Inverse hyperbolic tangent of ``±1 + 1j * y``, y so small that nobody sees its square."""
    real = INFINITY if y == 0.0 else 0.5 * (LN2 - log(abs(y)))
    return complex(signed(real, x), y if y == 0.0 else signed(0.5 * HALF_PI, y))


arctan, arctan_careful = of_angle(arctanh, compiled), of_angle(arctanh_careful, apart)
