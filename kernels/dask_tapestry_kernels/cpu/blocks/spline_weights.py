"""Weights of B-splines: how much each cell near a coordinate counts there.

The same functions compute arrays, and cells in compiled loops. Sums are taken in the order of
`scipy.ndimage`, so that weights have its bits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

Weights = tuple[Any, ...]


def weights0(c: Any) -> Weights:  # noqa: ARG001
    """The nearest cell alone."""
    return (1.0,)


def weights1(c: Any) -> Weights:
    """Of 2 cells."""
    x = c - np.floor(c)
    first = 1.0 - x
    return first, 1.0 - first


def weights2(c: Any) -> Weights:
    """Of 3 cells."""
    x = c - np.floor(c + 0.5)
    y = 0.5 - x
    a, b = 0.5 * y * y, 0.75 - x * x
    return a, b, 1.0 - a - b


def weights3(c: Any) -> Weights:
    """Of 4 cells."""
    y = c - np.floor(c)
    z = 1.0 - y
    a = z * z * z / 6.0
    b = (y * y * (y - 2.0) * 3.0 + 4.0) / 6.0
    d = (z * z * (z - 2.0) * 3.0 + 4.0) / 6.0
    return a, b, d, 1.0 - a - b - d


def weights4(c: Any) -> Weights:
    """Of 5 cells."""
    x = c - np.floor(c + 0.5)
    t = x * x
    d = t * (t * 0.25 - 0.625) + 115.0 / 192.0
    y = 1.0 + x
    b = y * (y * (y * (5.0 - y) / 6.0 - 1.25) + 5.0 / 24.0) + 55.0 / 96.0
    z = 1.0 - x
    e = z * (z * (z * (5.0 - z) / 6.0 - 1.25) + 5.0 / 24.0) + 55.0 / 96.0
    u = 0.5 - x
    s = u * u
    a = s * s / 24.0
    return a, b, d, e, 1.0 - a - b - d - e


def weights5(c: Any) -> Weights:
    """Of 6 cells."""
    x = c - np.floor(c)
    z = 1.0 - x
    t = x * x
    d = t * (t * (0.25 - x / 12.0) - 0.5) + 0.55
    s = z * z
    e = s * (s * (0.25 - z / 12.0) - 0.5) + 0.55
    p = x + 1.0
    b = p * (p * (p * (p * (p / 24.0 - 0.375) + 1.25) - 1.75) + 0.625) + 0.425
    q = z + 1.0
    f = q * (q * (q * (q * (q / 24.0 - 0.375) + 1.25) - 1.75) + 0.625) + 0.425
    a = z * s * s / 120.0
    return a, b, d, e, f, 1.0 - a - b - d - e - f


WEIGHTS: Final[tuple[Callable[[Any], Weights], ...]] = (
    weights0,
    weights1,
    weights2,
    weights3,
    weights4,
    weights5,
)
