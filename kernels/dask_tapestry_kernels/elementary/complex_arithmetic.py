"""Arithmetic of complex numbers: absolute, divide, reciprocal, sign, sqrt.

Quotients take the steps that NumPy takes, which are Smith's, so they have its bits; powers of two
keep what lies between from overflowing.

Source: R. L. Smith, "Algorithm 116: Complex division", CACM, 1962.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dask_tapestry_kernels.elementary.complex_parts import (
    INFINITY,
    NAN,
    Number,
    apart,
    is_finite,
    is_not_finite,
    sorted_sizes,
)
from dask_tapestry_kernels.elementary.float_parts import Cell, compiled
from dask_tapestry_kernels.elementary.number_intrinsics import choose, fma, magnitude, root, signed
from dask_tapestry_kernels.elementary.powers import hypot, hypot_f32


@compiled
def absolute(z: Number) -> Cell:
    """Size of a complex128."""
    return hypot(z.real, z.imag)


@compiled
def absolute_f32(z: Any) -> Any:
    """Size of a complex64."""
    return hypot_f32(z.real, z.imag)


def _quotients(kind: Any, edge: int, shift: int) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Division and reciprocal of numbers of parts of a kind.

    Numbers below ``2 ** -edge`` are multiplied by ``2 ** shift``, of those from ``2 ** edge`` on a
    quarter is taken: sums of two of them overflow.
    """
    zero, unit = kind(0.0), kind(1.0)
    huge, tiny = kind(2.0**edge), kind(2.0**-edge)
    shrink, grow = kind(0.25), kind(2.0**shift)

    @compiled
    def scale_of(big: Any) -> Any:
        return choose(big > huge, shrink, choose(big < tiny, grow, unit))

    @compiled
    def divide(z: Any, by: Any) -> Any:
        """``z / by``."""
        a, b = magnitude(by.real), magnitude(by.imag)
        low, none = a < b, (a == zero) & (b == zero)
        up = scale_of(sorted_sizes(z.real, z.imag)[0])
        down = scale_of(choose(low, b, a))
        x, y = z.real * up, z.imag * up
        p, q = choose(low, by.imag, by.real) * down, choose(low, by.real, by.imag) * down
        ratio = q / choose(none, unit, p)
        share = unit / (p + q * ratio)
        real = choose(low, x * ratio + y, x + y * ratio) * share
        imag = choose(low, y * ratio - x, y - x * ratio) * share
        real, imag = real / up * down, imag / up * down
        return complex(choose(none, z.real / a, real), choose(none, z.imag / a, imag))

    @compiled
    def reciprocal(z: Any) -> Any:
        """``1 / z``."""
        a, b = magnitude(z.real), magnitude(z.imag)
        low = not (b <= a)
        down = scale_of(choose(low, b, a))
        p, q = choose(low, z.imag, z.real) * down, choose(low, z.real, z.imag) * down
        ratio = q / p
        total = choose(low, q * ratio + p, p + q * ratio)
        real = choose(low, ratio, unit) / total * down
        return complex(real, choose(low, -unit, -ratio) / total * down)

    return divide, reciprocal


divide, reciprocal = _quotients(np.float64, 900, 110)
divide_f32, reciprocal_f32 = _quotients(np.float32, 90, 40)


@compiled
def sign(z: Number) -> Number:
    """``z / abs(z)`` of a finite complex128; 0 for 0."""
    big, _ = sorted_sizes(z.real, z.imag)
    scale = choose(big > 2.0**1000, 0.25, choose(big < 2.0**-900, 2.0**110, 1.0))
    x, y = z.real * scale, z.imag * scale
    size = hypot(x, y)
    none = size == 0.0
    size = choose(none, 1.0, size)
    return complex(choose(none, 0.0, x / size), choose(none, 0.0, y / size))


@apart
def sign_careful(z: Number) -> Number:
    """``z / abs(z)`` of a complex128; of an infinite part alone, its sign."""
    x, y = z.real, z.imag
    if not is_not_finite(z):
        return sign(z)
    if abs(x) == INFINITY and abs(y) != INFINITY:
        return complex(signed(1.0, x), 0.0)
    if abs(y) == INFINITY and abs(x) != INFINITY:
        return complex(0.0, signed(1.0, y))
    return complex(NAN, NAN)


@compiled
def sqrt(z: Number) -> Number:
    """Square root of a finite complex128."""
    big, small = sorted_sizes(z.real, z.imag)
    huge, tiny = big > 2.0**500, big < 2.0**-400
    scale = choose(huge, 2.0**-600, choose(tiny, 2.0**600, 1.0))
    back = choose(huge, 2.0**300, choose(tiny, 2.0**-300, 1.0))
    big, small = big * scale, small * scale
    size = root(fma(big, big, small * small))
    long = root(0.5 * (magnitude(z.real) * scale + size)) * back
    none = long == 0.0
    short = magnitude(z.imag) / choose(none, 1.0, long + long)
    forward = (z.real >= 0.0) | none
    return complex(choose(forward, long, short), signed(choose(forward, short, long), z.imag))


@apart
def sqrt_careful(z: Number) -> Number:
    """Square root of a complex128."""
    x, y = z.real, z.imag
    if not is_not_finite(z):
        return sqrt(z)
    if abs(y) == INFINITY:
        return complex(INFINITY, y)
    if x == INFINITY:
        return complex(x, signed(0.0, y) if is_finite(y) else y)
    if x == -INFINITY:
        return complex(0.0 if is_finite(y) else y, signed(INFINITY, y))
    return complex(NAN, NAN)
