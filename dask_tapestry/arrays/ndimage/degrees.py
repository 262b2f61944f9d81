"""Sine and cosine of degrees: exact at multiples of 90, and with the bits that SciPy has.

Source: Moshier, Cephes mathematical library, whose reduction and polynomials `scipy.special.sindg`
and `cosdg` have.
"""

from __future__ import annotations

from math import floor, inf, nan
from typing import Final

from dask_tapestry.arrays.tuning import LAST_EXACT_DEGREES

RADIANS: Final = 1.74532925199432957692e-2
SINE: Final = (
    1.58962301572218447952e-10,
    -2.50507477628503540135e-8,
    2.75573136213856773549e-6,
    -1.98412698295895384658e-4,
    8.33333333332211858862e-3,
    -1.66666666666666307295e-1,
)
COSINE: Final = (
    1.13678171382044553091e-11,
    -2.08758833757683644217e-9,
    2.75573155429816611547e-7,
    -2.48015872936186303776e-5,
    1.38888888888806666760e-3,
    -4.16666666666666348141e-2,
    4.99999999999999999798e-1,
)


def sine(degrees: float) -> float:
    """The sine of an angle.

    Examples
    --------
    >>> sine(90), sine(-90), sine(180) == 0
    (1.0, -1.0, True)
    """
    octant, rest = _reduced(abs(degrees))
    if octant < 0:
        return rest
    sign = -1.0 if (degrees < 0) != (octant > 3) else 1.0
    value = _cosine(rest) if octant % 4 == 2 else _sine(rest)
    return sign * value


def cosine(degrees: float) -> float:
    """The cosine of an angle.

    Examples
    --------
    >>> cosine(0), cosine(180), cosine(270) == 0
    (1.0, -1.0, True)
    """
    octant, rest = _reduced(abs(degrees))
    if octant < 0:
        return rest
    value = _sine(rest) if octant % 4 == 2 else _cosine(rest)
    return -value if octant in (2, 4) else value


def _reduced(x: float) -> tuple[int, float]:
    """The even octant next to an angle, and how far it is from there, in radians."""
    if not x < inf:
        return -1, nan
    if x > LAST_EXACT_DEGREES:
        return -1, 0.0
    y = float(floor(x / 45.0))
    octant = int(y % 16)
    if octant % 2:
        octant, y = octant + 1, y + 1.0
    return octant % 8, (x - y * 45.0) * RADIANS


def _sine(z: float) -> float:
    return z + z * (z * z * _polynomial(z * z, SINE))


def _cosine(z: float) -> float:
    return 1.0 - z * z * _polynomial(z * z, COSINE)


def _polynomial(x: float, coefficients: tuple[float, ...]) -> float:
    total = coefficients[0]
    for one in coefficients[1:]:
        total = total * x + one
    return total
