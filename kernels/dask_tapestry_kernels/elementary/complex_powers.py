"""Powers of complex numbers: for small whole exponents products as NumPy has it, else logarithms.

A whole power is a chain of products in the numbers' own precision. Any other one is the exponential
of ``exponent * log(z)``, and loses as many digits as that product has before its point, as C's.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.elementary.complex_arithmetic import divide, divide_f32
from dask_tapestry_kernels.elementary.complex_exponentials import exp_careful
from dask_tapestry_kernels.elementary.complex_logarithms import log
from dask_tapestry_kernels.elementary.complex_parts import INFINITY, NAN, Number, apart, is_finite
from dask_tapestry_kernels.elementary.float_parts import Cell, compiled
from dask_tapestry_kernels.elementary.number_intrinsics import signed

WHOLE_BELOW: Final = 100.0  # whole exponents up to here are products


@compiled
def product(x: Any, y: Any) -> Any:
    """``x * y``: four products, a difference and a sum."""
    return type(x)(complex(x.real * y.real - x.imag * y.imag, x.real * y.imag + x.imag * y.real))


@compiled
def is_small_whole(exponent: Any) -> Any:
    """Whether a power with this exponent is a chain of products."""
    p = exponent.real
    return exponent.imag == 0.0 and abs(p) < WHOLE_BELOW and int(p) == p


@compiled
def whole_power(z: Any, n: int) -> Any:
    """``z ** n``: up to the third power products of z, else of 1 and squares, as NumPy has it."""
    if n == 1:
        return z
    if n == 2:
        return product(z, z)
    if n == 3:
        return product(z, product(z, z))
    left, square, value = abs(n), z, type(z)(complex(1.0, 0.0))
    while left:
        if left & 1:
            value = product(value, square)
        left >>= 1
        if left:
            square = product(square, square)
    return value


@compiled
def _of_zero(exponent: Number) -> Number:
    if exponent.real > 0.0 or (exponent.real == 0.0 and exponent.imag == 0.0):
        return complex(0.0 if exponent.real > 0.0 else 1.0, 0.0)
    return complex(NAN, NAN)


@apart
def power(z: Number, exponent: Number) -> Number:
    """``z ** exponent`` of complex128."""
    if z.real == 0.0 and z.imag == 0.0:
        return _of_zero(exponent)
    if is_small_whole(exponent):
        n = int(exponent.real)
        value = whole_power(z, n)
        return value if n >= 0 else divide(complex(1.0, 0.0), value)
    return _general(z, exponent)


@apart
def power_f32(z: Any, exponent: Any) -> Any:
    """``z ** exponent`` of complex64; not whole ones through complex128."""
    if z.real == 0.0 and z.imag == 0.0:
        return np.complex64(_of_zero(exponent))
    if is_small_whole(exponent):
        n = int(exponent.real)
        value = whole_power(z, n)
        one = type(z)(complex(1.0, 0.0))
        return value if n >= 0 else np.complex64(divide_f32(one, value))
    return np.complex64(_general(np.complex128(z), np.complex128(exponent)))


@compiled
def _general(z: Number, exponent: Number) -> Number:
    """``z ** exponent`` by logarithm and exponential."""
    return exp_careful(_recovered(exponent, log(z)))


@compiled
def _recovered(x: Number, y: Number) -> Number:
    """``x * y``; infinite where a factor is, as C has it (Annex G.5.1)."""
    value = product(x, y)
    if value.real == value.real or value.imag == value.imag:
        return value
    a, b, c, d = x.real, x.imag, y.real, y.imag
    if _is_infinite(x) or _is_infinite(y):
        if _is_infinite(x):
            a, b, c, d = _unit(a), _unit(b), _number(c), _number(d)
        if _is_infinite(y):
            a, b, c, d = _number(a), _number(b), _unit(c), _unit(d)
        return complex(INFINITY * (a * c - b * d), INFINITY * (a * d + b * c))
    return value


@compiled
def _is_infinite(z: Number) -> Any:
    return abs(z.real) == INFINITY or abs(z.imag) == INFINITY


@compiled
def _unit(x: Cell) -> Cell:
    """1 for an infinity, else 0, with the sign of x."""
    return signed(0.0 if is_finite(x) or x != x else 1.0, x)


@compiled
def _number(x: Cell) -> Cell:
    """0 for NaN, with its sign."""
    return x if x == x else signed(0.0, x)
