"""Any float64 less its multiples of pi / 2, for functions of an angle.

Near angles lose three parts of pi / 2 by fused multiply-add, as Cody and Waite did. Far ones are
multiplied by 2 / pi of which only the bits that matter are kept, a row of `FAR` for each exponent.

Source: M. Payne, R. Hanek, "Radian reduction for trigonometric functions", SIGNUM, 1983.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.elementary.float_parts import (
    SHIFT,
    Cell,
    compiled,
    fast_two_sum,
    two_product,
    two_sum,
)
from dask_tapestry_kernels.elementary.number_intrinsics import (
    choose,
    float64_bits,
    float64_of,
    fma,
    magnitude,
    nearest,
)

TWO_OVER_PI: Final = 0.6366197723675814
HALF_PI: Final = 1.5707963267948966
HALF_PI_LOW: Final = 6.123233995736766e-17
HALF_PI_LOWEST: Final = -1.4973849048591698e-33
FAR_FROM: Final = 2.0**30  # up to here the three parts suffice
INFINITY: Final = np.inf

FIRST_ROW: Final = 24  # the exponent of the first row
ROWS: Final = 1000
PRECISION: Final = 1300  # bits after the point


def _arctangent_of_inverse(n: int) -> int:
    """``arctan(1 / n) * 2**PRECISION``, by its series."""
    term = (1 << (PRECISION + 32)) // n
    total, k = term, 1
    while term:
        term //= -n * n
        k += 2
        total += term // k
    return total >> 32


def _parts(number: int, bits: int) -> list[float]:
    """Four float64 that add up to ``number / 2**bits``."""
    parts = []
    for _ in range(4):
        part = number / (1 << bits)  # division of integers rounds once
        top, bottom = part.as_integer_ratio()
        number -= (top << bits) // bottom
        parts.append(part)
    return parts


def _far_table() -> np.ndarray[Any, np.dtype[np.float64]]:
    """For each exponent e, ``2**(e - 52) * 2 / pi`` less multiples of 4, in four parts."""
    pi = 4 * (4 * _arctangent_of_inverse(5) - _arctangent_of_inverse(239))
    two_over_pi = (2 << 2 * PRECISION) // pi
    rows = []
    for exponent in range(FIRST_ROW - 52, FIRST_ROW - 52 + ROWS):
        bits = PRECISION - exponent
        rows.append(_parts(two_over_pi % (4 << bits), bits))
    return np.array(rows).T.copy()


FAR: Final = _far_table()
FAR_A, FAR_B, FAR_C, FAR_D = FAR


@compiled
def is_far(x: Cell) -> Any:
    """Whether a float64 angle needs `reduce_far`."""
    size = magnitude(x)
    return (size > FAR_FROM) & (size < INFINITY)


@compiled
def reduce_near(x: Cell) -> Any:
    """Bits with n in the last ones, r and its error: ``x == n * pi / 2 + r``."""
    shifted = fma(x, TWO_OVER_PI, SHIFT)
    n = shifted - SHIFT
    near = fma(n, -HALF_PI, x)  # exact
    product, lost = two_product(n, HALF_PI_LOW)
    r = near - product
    error = (near - r) - product
    return float64_bits(shifted), r, error - fma(n, HALF_PI_LOWEST, lost)


@compiled
def reduce_far(x: Cell) -> Any:
    """Like `reduce_near`, for a finite x from `FAR_FROM` on."""
    bits = float64_bits(magnitude(x))
    row = (bits >> 52) - (1023 + FIRST_ROW)
    row = np.uint64(choose(row < 0, 0, choose(row >= ROWS, ROWS - 1, row)))
    whole = float64_of((bits & 0xFFFFFFFFFFFFF) | ((1023 + 52) << 52))
    a, a_low = two_product(whole, FAR_A[row])
    b, b_low = two_product(whole, FAR_B[row])
    c, c_low = two_product(whole, FAR_C[row])
    a -= 4.0 * nearest(0.25 * a)
    total, error = two_sum(a, a_low)
    total, error_b = two_sum(total, b)
    n = nearest(total)
    middle, rest = two_sum(error, error_b)
    middle_b, rest_b = two_sum(b_low, c)
    middle, rest_c = two_sum(middle, middle_b)
    turn, rest_d = two_sum(total - n, middle)
    rest += rest_b + rest_c + rest_d + (c_low + whole * FAR_D[row])
    turn, rest = fast_two_sum(turn, rest)
    r = turn * HALF_PI
    low = fma(turn, HALF_PI, -r) + fma(turn, HALF_PI_LOW, rest * HALF_PI)
    backward = x < 0.0
    n = choose(backward, -n, n)
    return float64_bits(n + SHIFT), choose(backward, -r, r), choose(backward, -low, low)


@compiled
def reduce_any(x: Cell) -> Any:
    """Like `reduce_near`, for every x, with its bits where it is exact enough."""
    bits, r, low = reduce_near(x)
    far_bits, far_r, far_low = reduce_far(x)
    far = is_far(x)
    return choose(far, far_bits, bits), choose(far, far_r, r), choose(far, far_low, low)
