"""Steps of compiled rows that take more than an operator: NumPy's loops, cell by cell."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from dask_tapestry_kernels.elementary import number_intrinsics
from dask_tapestry_kernels.elementary.functions import COMPLEX_FUNCTIONS, FUNCTIONS
from dask_tapestry_kernels.elementary.number_intrinsics import (
    float64_bits,
    float_to_half,
    half_to_float,
)

OPTIONS: Any = {"forceinline": True, "error_model": "numpy", "nogil": True}
_PRECISIONS: Any = {
    "float64": FUNCTIONS, "float32": FUNCTIONS,
    "complex128": COMPLEX_FUNCTIONS, "complex64": COMPLEX_FUNCTIONS,
}  # fmt: skip
for _precision, _functions in _PRECISIONS.items():
    for _name, _function in _functions.items():
        globals()[f"{_precision}_{_name}"] = getattr(_function, _precision)
        if _care := getattr(_function, f"care_{_precision}"):
            globals()[f"{_precision}_{_name}_careful"] = _care.careful
            globals()[f"{_precision}_{_name}_needs_care"] = _care.needed


@njit(**OPTIONS)
def rounded(x: Any) -> Any:
    """A float32 rounded to float16."""
    return half_to_float(float_to_half(x))


@njit(**OPTIONS)
def to_int64(x: Any) -> Any:
    """The integer of a float64, and the least one where there is none, as x86 converts."""
    fits = (x >= -9223372036854775808.0) & (x < 9223372036854775808.0)
    return np.int64(x) if fits else np.int64(-9223372036854775808)


@njit(**OPTIONS)
def to_int32(x: Any) -> Any:
    """The integer of a float64, and the least one where there is none, as x86 converts."""
    fits = (x > -2147483649.0) & (x < 2147483648.0)
    return np.int32(x) if fits else np.int32(-2147483648)


@njit(**OPTIONS)
def sign(x: Any) -> Any:
    """-1, 0 or 1 in the type of x; NaN for NaN."""
    one, zero = type(x)(1), type(x)(0)
    return one if x > zero else (-one if x < zero else (zero if x == zero else x))


@njit(**OPTIONS)
def minimum(x: Any, y: Any) -> Any:
    """The lesser; a NaN if there is one."""
    return x if (x < y) | (x != x) else y


@njit(**OPTIONS)
def maximum(x: Any, y: Any) -> Any:
    """The greater; a NaN if there is one."""
    return x if (x > y) | (x != x) else y


@njit(**OPTIONS)
def minimum_half(x: Any, y: Any) -> Any:
    """The lesser, `x` at a tie; a NaN if there is one."""
    return x if (x <= y) | (x != x) else y


@njit(**OPTIONS)
def maximum_half(x: Any, y: Any) -> Any:
    """The greater, `x` at a tie; a NaN if there is one."""
    return x if (x >= y) | (x != x) else y


@njit(**OPTIONS)
def fmin(x: Any, y: Any) -> Any:
    """The lesser, `x` at a tie; a number before a NaN."""
    return x if (x <= y) | (y != y) else y


@njit(**OPTIONS)
def fmax(x: Any, y: Any) -> Any:
    """The greater, `x` at a tie; a number before a NaN."""
    return x if (x >= y) | (y != y) else y


@njit(**OPTIONS)
def signbit(x: Any) -> Any:
    """Whether the sign bit is set."""
    return float64_bits(np.float64(x)) < 0


@njit(**OPTIONS)
def copysign(x: Any, y: Any) -> Any:
    """`x` with the sign of `y`."""
    size = abs(x)
    return -size if float64_bits(np.float64(y)) < 0 else size


@njit(**OPTIONS)
def heaviside(x: Any, y: Any) -> Any:
    """0 below zero, 1 above, `y` at zero; NaN for NaN."""
    one, zero = type(x)(1), type(x)(0)
    return x if x != x else (y if x == zero else (zero if x < zero else one))


@njit(**OPTIONS)
def fmod(x: Any, y: Any) -> Any:
    """The remainder that has the sign of `x`; exact."""
    return number_intrinsics.fmod(x, y)


@njit(**OPTIONS)
def remainder(x: Any, y: Any) -> Any:
    """The remainder that has the sign of `y`."""
    rest = number_intrinsics.fmod(x, y)
    if y == 0:
        return rest
    if rest != 0:
        return rest + y if (y < 0) != (rest < 0) else rest
    return copysign(type(x)(0), y)


@njit(**OPTIONS)
def floor_divide(x: Any, y: Any) -> Any:
    """The quotient that goes with `remainder`, rounded down."""
    if y == 0:
        return x / y
    rest = number_intrinsics.fmod(x, y)
    quotient = (x - rest) / y
    if rest != 0 and (y < 0) != (rest < 0):
        quotient -= type(x)(1)
    if quotient == 0:
        return copysign(type(x)(0), x / y)
    down = number_intrinsics.round_down(quotient)
    return down + type(x)(1) if quotient - down > type(x)(0.5) else down


@njit(**OPTIONS)
def left_shift(x: Any, y: Any, width: int) -> Any:
    """0 where all bits are shifted out."""
    fits = (y >= 0) & (y < width)
    return type(x)(x << (y if fits else type(y)(0))) if fits else type(x)(0)


@njit(**OPTIONS)
def right_shift(x: Any, y: Any, width: int) -> Any:
    """The sign alone where all bits are shifted out."""
    fits = (y >= 0) & (y < width)
    sign_alone = type(x)(-1) if x < 0 else type(x)(0)
    return type(x)(x >> (y if fits else type(y)(0))) if fits else sign_alone


@njit(**OPTIONS)
def floor_divide_integer(x: Any, y: Any) -> Any:
    """Rounded down; 0 where the divisor is 0; the least integer by -1 is itself."""
    by = type(x)(1) if (y == 0) | (y == -1) else y
    quotient = type(x)(x // by)
    return type(x)(0) if y == 0 else (type(x)(-x) if y == -1 else quotient)


@njit(**OPTIONS)
def remainder_integer(x: Any, y: Any) -> Any:
    """The remainder of integers, with the sign of `y`; 0 where the divisor is 0."""
    by = type(x)(1) if (y == 0) | (y == -1) else y
    return type(x)(x % by)


@njit(**OPTIONS)
def floor_divide_unsigned(x: Any, y: Any) -> Any:
    """0 where the divisor is 0."""
    return type(x)(0) if y == 0 else x // (type(x)(1) if y == 0 else y)


@njit(**OPTIONS)
def remainder_unsigned(x: Any, y: Any) -> Any:
    """0 where the divisor is 0."""
    return type(x)(0) if y == 0 else x % (type(x)(1) if y == 0 else y)


@njit(**OPTIONS)
def _quotient(x: Any, by: Any, real: Any) -> Any:
    """`x` divided by `by`, rounded down, in floats of dtype `real`, as which both are exact.

    A quotient that is no integer is at least ``1 / by`` from the next one, by far more than what
    rounding moves it. Processors divide several floats at once, integers one by one: of int16
    .6 instead of 5.2 ns a cell.
    """
    return type(x)(np.int32(number_intrinsics.round_down(real(x) / real(by))))


@njit(**OPTIONS)
def floor_divide_narrow(x: Any, y: Any, real: Any) -> Any:
    """`floor_divide_integer` of integers of 32 bits or fewer, unsigned of 16, by way of floats."""
    by = type(x)(1) if (y == 0) | (y == -1) else y
    quotient = _quotient(x, by, real)
    return type(x)(0) if y == 0 else (type(x)(-x) if y == -1 else quotient)


@njit(**OPTIONS)
def remainder_narrow(x: Any, y: Any, real: Any) -> Any:
    """`remainder_integer` of integers of 32 bits or fewer, unsigned of 16, by way of floats."""
    by = type(x)(1) if (y == 0) | (y == -1) else y
    return type(x)(x - _quotient(x, by, real) * by)


@njit(**OPTIONS)
def _size(x: Any) -> Any:
    """The modulus of an integer, uint64: of the least one too."""
    word = np.uint64(x)
    return np.uint64(0) - word if x < 0 else word


@njit(**OPTIONS)
def _divisor(x: Any, y: Any) -> Any:
    """The greatest number that divides two of uint64, by Euclid's rule."""
    while x != 0:
        x, y = y % x, x
    return y


@njit(**OPTIONS)
def gcd(x: Any, y: Any) -> Any:
    """The greatest common divisor, modulo the range of the integers."""
    return type(x)(_divisor(_size(x), _size(y)))


@njit(**OPTIONS)
def lcm(x: Any, y: Any) -> Any:
    """The least common multiple, modulo the range of the integers; 0 of 0."""
    own, other = _size(x), _size(y)
    divisor = _divisor(own, other)
    return type(x)(own // divisor * other) if divisor != 0 else type(x)(0)


@njit(**OPTIONS)
def multiply_complex(x: Any, y: Any) -> Any:
    """Four products, a difference and a sum."""
    return type(x)(complex(x.real * y.real - x.imag * y.imag, x.real * y.imag + x.imag * y.real))
