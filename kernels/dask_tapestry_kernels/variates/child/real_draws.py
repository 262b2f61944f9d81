"""Draws of real numbers, as ``draw(stream, *parameters)``; a NaN among the parameters gives NaN."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.elementary import inverse_trigonometric
from dask_tapestry_kernels.elementary.number_intrinsics import root, round_down
from dask_tapestry_kernels.variates.child.count_draws import poisson
from dask_tapestry_kernels.variates.child.standard_draws import (
    exp,
    exponential,
    larger,
    log,
    normal,
    smaller,
)
from dask_tapestry_kernels.variates.child.substream import function, positive_uniform, uniform

SQUEEZE: Final = 0.0331  # of Marsaglia and Tsang: no logarithm is needed below this parabola
FLAT: Final = 1e-8  # kappa below which a circle is even
SHARP: Final = 1e6  # kappa above which an arc is a line
PI: Final = 3.141592653589793


@function
def large_gamma(stream: Any, shape: Any) -> Any:
    """A gamma variate of a shape of at least 1.

    Source: Marsaglia and Tsang, "A simple method for generating gamma variables", ACM TOMS 26
    (2000).
    """
    d = shape - 1.0 / 3.0
    c = 1.0 / root(9.0 * d)
    if not d < np.inf:
        return d  # NaN or infinity
    while True:
        x = normal(stream)
        side = 1.0 + c * x
        if side <= 0.0:
            continue
        v = side * side * side
        u, square = positive_uniform(stream), x * x
        if u < 1.0 - SQUEEZE * square * square:
            return d * v
        if log(u) < 0.5 * square + d * (1.0 - v + log(v)):
            return d * v


@function
def gamma(stream: Any, shape: Any) -> Any:
    """A gamma variate of any shape from 0 on."""
    if shape >= 1.0:
        return large_gamma(stream, shape)
    if shape == 0.0:
        return 0.0
    return large_gamma(stream, shape + 1.0) * exp(-exponential(stream) / shape)


@function
def log_gamma(stream: Any, shape: Any) -> Any:
    """The logarithm of a gamma variate, which is no underflow where the variate is one."""
    if shape >= 1.0:
        return log(large_gamma(stream, shape))
    if shape == 0.0:
        return -np.inf
    return log(large_gamma(stream, shape + 1.0)) - exponential(stream) / shape


@function
def small_beta(stream: Any, a: Any, b: Any) -> Any:
    """A beta variate of `a` and `b` of at most 1.

    Source: Joehnk, "Erzeugung von betaverteilten und gammaverteilten Zufallszahlen", Metrika 8
    (1964).
    """
    while True:
        first, second = exponential(stream) / a, exponential(stream) / b
        x, y = exp(-first), exp(-second)
        if 0.0 < x + y <= 1.0:
            return x / (x + y)
        if x + y == 0.0:
            return 1.0 / (1.0 + exp(first - second))


@function
def beta(stream: Any, a: Any, b: Any) -> Any:
    """The share of one of two gamma variates."""
    if a >= 1.0 and b >= 1.0:
        first = large_gamma(stream, a)
        return first / (first + large_gamma(stream, b))
    if a <= 1.0 and b <= 1.0:
        return small_beta(stream, a, b)
    return 1.0 / (1.0 + exp(-(log_gamma(stream, a) - log_gamma(stream, b))))


@function
def chisquare(stream: Any, df: Any) -> Any:
    """Twice a gamma variate."""
    return 2.0 * gamma(stream, 0.5 * df)


@function
def noncentral_chisquare(stream: Any, df: Any, nonc: Any) -> Any:
    """The sum of squares of normal numbers, of which one is not centred."""
    if not (df > 0.0 and nonc >= 0.0):
        return np.nan
    if nonc == 0.0:
        return chisquare(stream, df)
    if df > 1.0:
        off = normal(stream) + root(nonc)
        return chisquare(stream, df - 1.0) + off * off
    return chisquare(stream, df + 2.0 * np.float64(poisson(stream, 0.5 * nonc)))


@function
def f(stream: Any, dfnum: Any, dfden: Any) -> Any:
    """The quotient of two means of squares."""
    above = chisquare(stream, dfnum) * dfden
    return above / (chisquare(stream, dfden) * dfnum)


@function
def noncentral_f(stream: Any, dfnum: Any, dfden: Any, nonc: Any) -> Any:
    """A ratio of two chi-squares, of which the upper one is noncentral."""
    above = noncentral_chisquare(stream, dfnum, nonc) * dfden
    return above / (chisquare(stream, dfden) * dfnum)


@function
def standard_t(stream: Any, df: Any) -> Any:
    """A normal number by the root of a mean of squares."""
    x = normal(stream)
    return x * root(0.5 * df) / root(gamma(stream, 0.5 * df))


@function
def wald(stream: Any, mean: Any, scale: Any) -> Any:
    """A root of a quadratic equation, or the other one.

    The smaller root is written so that no digits are lost.

    Source: Michael, Schucany and Haas, "Generating random variates using transformations with
    multiple roots", The American Statistician 30 (1976).
    """
    x = normal(stream)
    u = uniform(stream)
    y = mean * x * x
    product = 4.0 * scale * y
    if product == 0.0:
        return mean
    far = root(product + y * y) + y
    low = mean * (product / far) / far
    return low if u * (mean + low) <= mean else mean * (mean / low)


@function
def within_circle(angle: Any) -> Any:
    """An angle reduced to -pi to pi."""
    if abs(angle) <= PI:
        return angle
    turned = angle - 2.0 * PI * round_down((angle + PI) / (2.0 * PI))
    return smaller(larger(turned, -PI), PI)


@function
def cosine(stream: Any) -> Any:
    """The cosine of any angle: of twice that of a point in the unit disc."""
    while True:
        x, y = 2.0 * uniform(stream) - 1.0, 2.0 * uniform(stream) - 1.0
        xx, yy = x * x, y * y
        if 0.0 < xx + yy <= 1.0:
            return (xx - yy) / (xx + yy)


@function
def vonmises(stream: Any, mu: Any, kappa: Any) -> Any:
    """An angle near `mu`.

    Source: Best and Fisher, "Efficient simulation of the von Mises distribution", Applied
    Statistics 28 (1979).
    """
    if not (kappa >= 0.0 and abs(mu) < np.inf):
        return np.nan
    if kappa < FLAT:
        return PI * (2.0 * uniform(stream) - 1.0)
    if kappa > SHARP:
        return within_circle(mu + normal(stream) / root(kappa))
    tau = 1.0 + root(1.0 + 4.0 * kappa * kappa)
    rho = (tau - root(2.0 * tau)) / (2.0 * kappa)
    s = (1.0 + rho * rho) / (2.0 * rho)
    if kappa < 1e-4:  # where the difference above has no digits left
        s = 1.0 / kappa + kappa
    while True:
        z = cosine(stream)
        w = (1.0 + s * z) / (s + z)
        y = kappa * (s - w)
        v = positive_uniform(stream)
        if y * (2.0 - y) - v >= 0.0 or log(y / v) + 1.0 - y >= 0.0:
            break
    angle = inverse_trigonometric.arccos(smaller(larger(w, -1.0), 1.0))
    return within_circle(mu - angle if uniform(stream) < 0.5 else mu + angle)
