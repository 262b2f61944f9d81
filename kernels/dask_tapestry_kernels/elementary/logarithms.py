"""Logarithms: log, log2, log10, log1p."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.elementary.float_parts import (
    LN2,
    LN2_F32,
    LN2_LOW,
    LN2_LOW_F32,
    LOG2_E,
    LOG2_E_LOW,
    Cell,
    compiled,
    fast_two_sum,
    split,
    split_f32,
    split_normal,
    two_sum,
)
from dask_tapestry_kernels.elementary.number_intrinsics import choose, fma, horner, magnitude

# (log((1 + s) / (1 - s)) - 2 * s) / s**3 in s**2
LOG: Final = (
    0.666666666666667,
    0.3999999999989827,
    0.2857142862653362,
    0.22222211043776857,
    0.18182895750119193,
    0.1533150161114533,
    0.1461916613488797,
)
LOG_SHORT: Final = (
    0.6666666655358509,
    0.40000122584957254,
    0.2855073636310781,
    0.23332762955117523,
)
# (log(1 + f) - f + f**2 / 2) / f**3
LOG_F32: Final = (
    0.3333333134651184,
    -0.2499999701976776,
    0.20000715553760529,
    -0.1666780263185501,
    0.14249058067798615,
    -0.12425687164068222,
    0.11685419827699661,
    -0.11479733884334564,
    0.06971611827611923,
)

LOG10_E: Final = 0.4342944819032518
LOG10_E_LOW: Final = 1.098319650216765e-17
LOG10_2: Final = 0.3010299956639812
LOG10_2_LOW: Final = -2.8037281277851704e-18
LOG2_E_F32, LOG2_E_LOW_F32 = np.float32(1.442695), np.float32(1.925963e-08)
LOG10_E_F32, LOG10_E_LOW_F32 = np.float32(0.4342945), np.float32(-1.010305e-08)
LOG10_2_F32, LOG10_2_LOW_F32 = np.float32(0.30103), np.float32(-1.4320989e-08)
INFINITY = np.inf
INFINITY_F32 = np.float32(np.inf)
ZERO_F32, HALF_F32, ONE_F32 = np.float32(0.0), np.float32(0.5), np.float32(1.0)


@compiled
def log_ends(x: Cell, value: Cell) -> Cell:
    """A logarithm of a float64, with those of 0, infinity and what is below 0."""
    told = fma(x, INFINITY, INFINITY)  # infinity above 0, else NaN, which raises a flag
    value = choose(told == INFINITY, value, choose(x == 0.0, -INFINITY, magnitude(told)))
    return choose(x < INFINITY, value, x)


@compiled
def log_ends_f32(x: Cell, value: Cell) -> Cell:
    """A logarithm of a float32, with those of 0, infinity and what is below 0."""
    told = fma(x, INFINITY_F32, INFINITY_F32)
    lost = choose(x == ZERO_F32, -INFINITY_F32, magnitude(told))
    value = choose(told == INFINITY_F32, value, lost)
    return choose(x < INFINITY_F32, value, x)


@compiled
def log_rest(f: Cell) -> Cell:
    """``log(1 + f) - f + f**2 / 2`` for 1 + f from sqrt(1/2) to sqrt(2)."""
    s = f / (2.0 + f)
    z = s * s
    return s * fma(z, horner(z, LOG), 0.5 * f * f)


@compiled
def log_sum(f: Cell) -> Any:
    """``log(1 + f)`` in two parts, for 1 + f from sqrt(1/2) to sqrt(2)."""
    half, square = 0.5 * f, f * f
    high, low = fast_two_sum(f, -half * f)
    return high, low + (log_rest(f) - fma(half, f, -0.5 * square))


@compiled
def log(x: Cell) -> Cell:
    """Natural logarithm of a float64."""
    k, m = split(x)
    f = m - 1.0
    value = f - (0.5 * f * f - fma(k, LN2_LOW, log_rest(f)))
    return log_ends(x, fma(k, LN2, value))


@compiled
def log_f32(x: Cell) -> Cell:
    """Natural logarithm of a float32, in float32."""
    k, m = split_f32(x)
    f = m - ONE_F32
    rest = fma(f * f * f, horner(f, LOG_F32), k * LN2_LOW_F32)
    return log_ends_f32(x, fma(k, LN2_F32, f - (HALF_F32 * f * f - rest)))


@compiled
def log2(x: Cell) -> Cell:
    """Base-2 logarithm of a float64."""
    k, m = split(x)
    high, low = log_sum(m - 1.0)
    product = high * LOG2_E
    rest = fma(high, LOG2_E, -product) + fma(high, LOG2_E_LOW, low * LOG2_E)
    total, error = fast_two_sum(k, product)
    return log_ends(x, total + (error + rest))


@compiled
def log10(x: Cell) -> Cell:
    """Base-10 logarithm of a float64."""
    k, m = split(x)
    high, low = log_sum(m - 1.0)
    product = high * LOG10_E
    rest = fma(high, LOG10_E, -product) + fma(high, LOG10_E_LOW, low * LOG10_E)
    whole = k * LOG10_2
    rest += fma(k, LOG10_2, -whole) + k * LOG10_2_LOW
    total, error = fast_two_sum(whole, product)
    return log_ends(x, total + (error + rest))


@compiled
def log_short(x: Cell) -> Any:
    """``k`` and ``log(x) - k * ln(2)`` of a normal float64 to 2**-35, for functions of float32."""
    k, m = split_normal(x)
    f = m - 1.0
    s = f / (2.0 + f)
    z = s * s
    return k, fma(s * z, horner(z, LOG_SHORT), s + s)


@compiled
def log_sum_f32(f: Cell) -> Any:
    """``log(1 + f)`` of a float32 in two parts, for 1 + f from sqrt(1/2) to sqrt(2)."""
    half, square = HALF_F32 * f, f * f
    high, low = fast_two_sum(f, -half * f)
    return high, low + fma(square * f, horner(f, LOG_F32), -fma(half, f, -HALF_F32 * square))


@compiled
def log2_f32(x: Cell) -> Cell:
    """Base-2 logarithm of a float32, in float32."""
    k, m = split_f32(x)
    high, low = log_sum_f32(m - ONE_F32)
    product = high * LOG2_E_F32
    low = fma(high, LOG2_E_F32, -product) + fma(high, LOG2_E_LOW_F32, low * LOG2_E_F32)
    total, error = fast_two_sum(k, product)
    return log_ends_f32(x, total + (error + low))


@compiled
def log10_f32(x: Cell) -> Cell:
    """Base-10 logarithm of a float32, in float32."""
    k, m = split_f32(x)
    high, low = log_sum_f32(m - ONE_F32)
    product = high * LOG10_E_F32
    low = fma(high, LOG10_E_F32, -product) + fma(high, LOG10_E_LOW_F32, low * LOG10_E_F32)
    whole = k * LOG10_2_F32
    low += fma(k, LOG10_2_F32, -whole) + k * LOG10_2_LOW_F32
    total, error = fast_two_sum(whole, product)
    return log_ends_f32(x, total + (error + low))


@compiled
def log1p_sum(high: Cell, low: Cell) -> Any:
    """``log(1 + high + low)`` less ``k * LN2``, and k; ``low`` far smaller than ``high``."""
    total, lost = two_sum(1.0, high)
    k, m = split(total)
    near = k == 0.0
    f = choose(near, high, m - 1.0)
    # log(1 + f + gain) gains gain / (1 + f)
    gain = (low + choose(near, 0.0, lost)) / total
    return f - (0.5 * f * f - (fma(k, LN2_LOW, log_rest(f)) + gain)), k


@compiled
def log1p(x: Cell) -> Cell:
    """``log(1 + x)`` of a float64."""
    rest, k = log1p_sum(x, 0.0)
    value = log_ends(1.0 + x, fma(k, LN2, rest))
    return choose(magnitude(x) < 2.0**-54, x, value)


@compiled
def log1p_f32(x: Cell) -> Cell:
    """``log(1 + x)`` of a float32, through float64."""
    wide = np.float64(x)
    total = wide + 1.0
    k, rest = log_short(total)
    value = log_ends(total, fma(k, LN2, rest))
    return choose(magnitude(x) < np.float32(2.0**-25), x, np.float32(value))
