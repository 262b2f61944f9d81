"""Beyond the ends of an axis, in compiled loops: as `spline_taps` has them for arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from dask_tapestry_kernels.parameters.splines import FAR

inlined = njit(error_model="numpy")


@inlined
def _near(c: Any) -> Any:
    """A coordinate that is not further out than any that counts."""
    if c > FAR:
        return FAR
    return -FAR if c < -FAR else c


@inlined
def mapped_nearest(c: Any, n: int) -> Any:  # noqa: ARG001
    """As they are."""
    return _near(c)


@inlined
def mapped_grid_constant(c: Any, n: int) -> Any:  # noqa: ARG001
    """As they are."""
    return _near(c)


@inlined
def mapped_constant(c: Any, n: int) -> Any:
    """None beyond the ends."""
    return np.nan if c < 0 or c > n - 1 else c


@inlined
def mapped_mirror(c: Any, n: int) -> Any:
    """Back from the last cell."""
    c = _near(c)
    if not (c < 0 or c > n - 1):
        return c
    if n == 1:
        return 0.0
    period = 2 * n - 2
    if c < 0:
        c = period * np.trunc(-c / period) + c
        return c + period if c <= 1 - n else -c
    c = c - period * np.trunc(c / period)
    return period - c if c >= n else c


@inlined
def mapped_reflect(c: Any, n: int) -> Any:
    """Back from the edge of the last cell."""
    c = _near(c)
    if not (c < 0 or c > n - 1):
        return c
    if n == 1:
        return 0.0
    period = 2 * n
    if c < 0:
        if c < -period:
            c = period * np.trunc(-c / period) + c
        if c < -n:
            return c + period
        return (1e-15 if c > -1e-15 else -c) - 1
    c = c - period * np.trunc(c / period)
    return period - c - 1 if c >= n else c


@inlined
def mapped_wrap(c: Any, n: int) -> Any:
    """On from the first cell, which the last one is."""
    c = _near(c)
    if not (c < 0 or c > n - 1):
        return c
    if n == 1:
        return 0.0
    if c < 0:
        return c + (n - 1) * (np.trunc(-c / (n - 1)) + 1)
    return c - (n - 1) * np.trunc(c / (n - 1))


@inlined
def mapped_grid_wrap(c: Any, n: int) -> Any:
    """On from the first cell, which is after the last one."""
    c = _near(c)
    if not (c < 0 or c > n - 1):
        return c
    if n == 1:
        return 0.0
    if c < 0:
        return c + n * (np.trunc((-1 - c) / n) + 1)
    return c - n * np.trunc(c / n)


@inlined
def place_nearest(p: int, n: int) -> int:
    """The last cell."""
    return min(max(p, 0), n - 1)


@inlined
def place_grid_constant(p: int, n: int) -> int:
    """None, -1."""
    return p if 0 <= p < n else -1


@inlined
def place_mirror(p: int, n: int) -> int:
    """Back from the last cell."""
    if n == 1:
        return 0
    p = p % (2 * n - 2)
    return p if p < n else 2 * n - 2 - p


@inlined
def place_reflect(p: int, n: int) -> int:
    """Back from the edge of the last cell."""
    p = p % (2 * n)
    return p if p < n else 2 * n - 1 - p


@inlined
def place_grid_wrap(p: int, n: int) -> int:
    """On from the first cell."""
    return p % n
