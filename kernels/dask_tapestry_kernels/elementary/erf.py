"""Error functions: erf, erfc."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.elementary.exponentials import EXP, exp_short
from dask_tapestry_kernels.elementary.float_parts import (
    LN2,
    LN2_LOW,
    LOG2_E,
    SHIFT,
    SHIFT_BITS,
    Cell,
    compiled,
    fast_two_sum,
    power_of_two,
    scaled,
    two_product,
    two_sum,
)
from dask_tapestry_kernels.elementary.number_intrinsics import (
    choose,
    estrin,
    float64_bits,
    fma,
    horner,
    magnitude,
    signed,
)

SLOPE, SLOPE_LOW = 1.1283791670955126, 1.533545961316588e-17  # 2 / sqrt(pi)
# (erf(x) / x - 2 / sqrt(pi)) / x**2 in x**2, for |x| <= 1/2
ERF: Final = (
    -0.37612638903183754,
    0.112837916709551,
    -0.02686617064510409,
    0.005223977624325344,
    -0.0008548326793233783,
    0.0001205530629440674,
    -1.4923829613452872e-05,
    1.6389446360450111e-06,
    -1.4787385599052157e-07,
)
ERF_SHORT: Final = (
    -0.3761263888189218,
    0.11283787409981849,
    -0.02686480266480606,
    0.005208545103404166,
    -0.0007831400578965623,
)
# exp(x**2) * erfc(x) * (x + 4) in t == (x - 4) / (x + 4), for x from 1/2 to 28: its first three
# coefficients, what the first lacks, the others; and all of a shorter one, to 2**-34 to 10.5
ERFC_0, ERFC_1, ERFC_2 = 1.095995661000491, -0.976548729080882, 0.7732087022652371
ERFC_0_LOW: Final = 5.757254511326975e-17
ERFC: Final = (
    -0.5408538313132362,
    0.330851587878011,
    -0.17401093723989577,
    0.07638151490925751,
    -0.02637005334086446,
    0.006112055657978168,
    -0.0002809588621925068,
    -0.00045505271734083095,
    0.0001768128123744241,
    -3.6349248098583593e-06,
    -1.8860914740401307e-05,
    4.693375282873285e-06,
    1.424368389508828e-06,
    -8.436023591457737e-07,
    -7.590648523433859e-08,
    1.2035092669157192e-07,
    1.2369675358639134e-09,
    -1.2455076620701612e-08,
)
ERFC_SHORT: Final = (
    1.095995661054604,
    -0.9765487292459882,
    0.7732086911303898,
    -0.5408538213591051,
    0.3308519631267688,
    -0.17401096553061027,
    0.07637692803812027,
    -0.026372390793329654,
    0.006135799183657781,
    -0.0002578027003593507,
    -0.000499900195122208,
    0.00011367341833421412,
)


@compiled
def horner_step(coefficient: Cell, t: Cell, high: Cell, low: Cell) -> Any:
    """``coefficient + t * (high + low)`` in two parts."""
    product = t * high
    total, error = two_sum(coefficient, product)
    return total, error + fma(t, low, fma(t, high, -product))


@compiled
def erfc_far(size: Cell) -> Any:
    """``erfc(size)`` from 1/2 on as a value near 1 and the power of two to scale it by."""
    size = choose(size > 28.0, 28.0, size)
    square, square_low = two_product(size, size)
    shifted = fma(square, -LOG2_E, SHIFT)
    n = shifted - SHIFT
    near = fma(n, -LN2, -square)
    r = fma(n, -LN2_LOW, near)
    low = fma(n, -LN2_LOW, near - r) - square_low
    total, error = fast_two_sum(1.0, r)
    power, power_low = fast_two_sum(total, error + r * r * horner(r, EXP))
    power_low = fma(power, low, power_low)
    top, top_low = two_sum(size, -4.0)
    bottom, bottom_low = two_sum(size, 4.0)
    inverse = 1.0 / bottom
    inverse_low = inverse * (fma(-inverse, bottom, 1.0) - inverse * bottom_low)
    t = top * inverse
    t_low = inverse * (fma(-t, bottom, top) + fma(-t, bottom_low, top_low))
    factor, factor_low = horner_step(ERFC_2, t, horner(t, ERFC), 0.0)
    factor, factor_low = horner_step(ERFC_1, t, factor, factor_low)
    slope = factor
    factor, factor_low = horner_step(ERFC_0, t, factor, factor_low)
    factor_low += fma(t_low, slope, ERFC_0_LOW)
    product = power * factor
    product_low = fma(power, factor, -product) + fma(power, factor_low, power_low * factor)
    value = product * inverse
    rest = fma(product, inverse, -value) + fma(product, inverse_low, product_low * inverse)
    return value + rest, float64_bits(shifted) - SHIFT_BITS


@compiled
def erf_near(x: Cell) -> Cell:
    """``erf(x) - SLOPE * x`` to 1/2."""
    z = x * x
    return fma(x * z, horner(z, ERF), SLOPE_LOW * x)


@compiled
def erf(x: Cell) -> Cell:
    """Error function of a float64."""
    size = magnitude(x)
    value, n = erfc_far(size)
    far = 1.0 - value * power_of_two(choose(n < -1000, -1000, n))
    near = fma(SLOPE, size, erf_near(size))
    return signed(choose(size > 0.5, far, near), x)


@compiled
def erfc(x: Cell) -> Cell:
    """``1 - erf(x)`` of a float64."""
    size = magnitude(x)
    value, n = erfc_far(size)
    far = scaled(value, n)
    far = choose(x < 0.0, 2.0 - far, far)
    product, low = two_product(SLOPE, x)
    total, error = fast_two_sum(1.0, -product)
    return choose(size > 0.5, far, total + (error - (low + erf_near(x))))


@compiled
def erfc_far_short(size: Cell) -> Cell:
    """``erfc(size)`` from 1/2 on to 2**-33, for functions of float32."""
    size = choose(size > 11.0, 11.0, size)
    inverse = 1.0 / (size + 4.0)
    return exp_short(-size * size) * inverse * estrin(fma(-8.0, inverse, 1.0), ERFC_SHORT)


@compiled
def erf_f32(x: Cell) -> Cell:
    """Error function of a float32, through float64."""
    size = np.float64(magnitude(x))
    z = size * size
    near = fma(size * z, horner(z, ERF_SHORT), SLOPE * size)
    return signed(np.float32(choose(size > 0.5, 1.0 - erfc_far_short(size), near)), x)


@compiled
def erfc_f32(x: Cell) -> Cell:
    """``1 - erf(x)`` of a float32, through float64."""
    wide = np.float64(x)
    size = magnitude(wide)
    z = size * size
    near = 1.0 - fma(wide * z, horner(z, ERF_SHORT), SLOPE * wide)
    far = erfc_far_short(size)
    return np.float32(choose(size > 0.5, choose(wide < 0.0, 2.0 - far, far), near))
