"""What functions of complex numbers are made of.

Each function is computed part by part from the real elementary functions, in float64: a number of
two float32 goes through two float64 and is rounded at the end. There are two ways to each function
that has ends: a fast one without branches, for finite numbers of common size, and a *careful* one
for all numbers, which has the same bits where the fast one is right. At infinities, NaN, zeros of
either sign and on branch cuts they give what C (Annex G) and NumPy give.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numba import njit

from dask_tapestry_kernels.elementary.argument_reduction import FAR_FROM, reduce_any, reduce_near
from dask_tapestry_kernels.elementary.exponentials import exp
from dask_tapestry_kernels.elementary.float_parts import Cell, compiled
from dask_tapestry_kernels.elementary.number_intrinsics import choose, magnitude
from dask_tapestry_kernels.elementary.trigonometric import sine_of

apart: Any = njit(error_model="numpy")  # a careful way, which need not be fast
Number = Any  # a complex128
MOST: Final = 700.0  # whose exponential is neither infinite nor subnormal, nor a product with it
INFINITY, NAN = np.inf, np.nan


@compiled
def turned(z: Number) -> Number:
    """``1j * z``."""
    return complex(-z.imag, z.real)


@compiled
def turned_back(z: Number) -> Number:
    """``-1j * z``."""
    return complex(z.imag, -z.real)


def narrowed(function: Any, wrapper: Any) -> Any:
    """The function of complex64 that is one of complex128, rounded."""

    def rounded(z: Any) -> Any:
        return np.complex64(function(np.complex128(z)))

    return wrapper(rounded)


def widened(question: Any) -> Any:
    """The question about a complex64 that is one about a complex128."""

    def asked(z: Any) -> Any:
        return question(np.complex128(z))

    return compiled(asked)


def of_angle(function: Any, wrapper: Any) -> Any:
    """The function of z that is `function` of ``1j * z`` turned back."""

    def angular(z: Number) -> Number:
        return turned_back(function(turned(z)))

    return wrapper(angular)


@compiled
def is_finite(x: Cell) -> Any:
    """Whether a float64 is neither infinite nor NaN."""
    return magnitude(x) < INFINITY


@compiled
def is_not_finite(z: Number) -> Any:
    """Whether a part is infinite or NaN."""
    return not (is_finite(z.real) & is_finite(z.imag))


@compiled
def is_wild(z: Number) -> Any:
    """Whether the exponential of z needs care: a part is far, infinite or NaN."""
    return not ((magnitude(z.real) <= MOST) & (magnitude(z.imag) <= FAR_FROM))


@compiled
def is_wild_turned(z: Number) -> Any:
    """Whether the exponential of ``1j * z`` needs care."""
    return is_wild(turned(z))


@compiled
def sin_cos(x: Cell) -> Any:
    """Sine and cosine of a float64 that is not far."""
    bits, r, low = reduce_near(x)
    return choose(x == 0.0, x, sine_of(bits, r, low)), sine_of(bits + 1, r, low)


@compiled
def sin_cos_careful(x: Cell) -> Any:
    """Sine and cosine of any float64."""
    bits, r, low = reduce_any(x)
    return choose(x == 0.0, x, sine_of(bits, r, low)), sine_of(bits + 1, r, low)


@compiled
def common(x: Cell) -> Any:
    """A float64 brought to within `MOST`, and the square root of the exponential of the rest."""
    near = choose(x > MOST, MOST, choose(x < -MOST, -MOST, x))
    return near, exp(0.5 * (x - near))


@compiled
def sorted_sizes(x: Cell, y: Cell) -> Any:
    """The greater size and the lesser one of two float64."""
    a, b = magnitude(x), magnitude(y)
    return choose(b > a, b, a), choose(b > a, a, b)
