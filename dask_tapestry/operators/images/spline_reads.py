"""Cells of an axis that splines read at a range of coordinates, without listing these."""

from __future__ import annotations

from math import floor, inf, isnan, nextafter, trunc

import numpy as np

from dask_tapestry_kernels.parameters.splines import FAR, UNMAPPED, continued

Span = tuple[int, int]


def cells_read(low: float, high: float, n: int, order: int, mode: str) -> Span:
    """First and end of the cells of an axis of n that splines are made of between coordinates.

    Those of a part of the coordinates lie in those of all.

    Examples
    --------
    >>> cells_read(2.0, 4.5, 100, 3, "mirror")
    (1, 7)
    >>> cells_read(-3.0, 1.0, 100, 1, "constant"), cells_read(120.0, 130.0, 100, 1, "constant")
    ((0, 3), (99, 99))
    """
    if isnan(low) or isnan(high):
        return 0, n
    low, high = (min(max(c, -FAR), FAR) for c in (low, high))
    if mode == "constant":
        if high < 0 or low > n - 1:
            return (0, 0) if high < 0 else (n - 1, n - 1)
        low, high = max(low, 0.0), min(high, n - 1.0)
    elif mode not in UNMAPPED and (low < 0 or high > n - 1):
        span = _folded(low, high, n, mode)
        if span is None:
            return 0, n
        low, high = span
    half = order // 2
    first = floor(low if order % 2 else low + 0.5) - half
    last = floor(high if order % 2 else high + 0.5) - half + order
    if first >= 0 and last < n:
        return first, last + 1
    return _at_edges(first, last, n, mode)


def _at_edges(first: int, last: int, n: int, mode: str) -> Span:
    """First and end of the cells that stand for those from `first` to `last`, some beyond them."""
    if mode in UNMAPPED:
        if mode == "grid-constant" and (last < 0 or first >= n):
            return (0, 0) if last < 0 else (n - 1, n - 1)
        return min(max(first, 0), n - 1), min(max(last, 0), n - 1) + 1
    beyond = [*range(first, min(last + 1, 0)), *range(max(first, n), last + 1)]
    places = continued(np.array(beyond), n, mode).tolist()
    if first < n and last >= 0:
        places += [max(first, 0), min(last, n - 1)]
    return min(places), max(places) + 1


def _folded(low: float, high: float, n: int, mode: str) -> tuple[float, float] | None:
    """Least and greatest of coordinates that are brought into range; None for any."""
    if n == 1:
        return 0.0, 0.0
    reflected: list[float] = []
    if low <= n - 1 and high >= 0:
        reflected += [max(low, 0.0), min(high, n - 1.0)]
    ends = []
    if low < 0:
        ends.append((low, min(high, nextafter(0.0, -inf))))
    if high > n - 1:
        ends.append((max(low, nextafter(n - 1.0, inf)), high))
    for pair in ends:
        (a, one), (b, other) = (_fold(c, n, mode) for c in pair)
        if one != other:
            return None
        reflected += [a, b]
    return min(reflected), max(reflected)


def _fold(c: float, n: int, mode: str) -> tuple[float, tuple[int, bool]]:
    """A coordinate brought into range, and by which of the lines that it follows there."""
    if mode in ("wrap", "grid-wrap"):
        period = n - 1 if mode == "wrap" else n
        if c >= 0:
            k = trunc(c / period)
            return c - period * k, (k, False)
        k = trunc((-c if mode == "wrap" else -1 - c) / period) + 1
        return c + period * k, (k, False)
    edge = mode == "reflect"
    period = 2 * n if edge else 2 * n - 2
    if c >= 0:
        k = trunc(c / period)
        v = c - period * k
        return (period - v - edge, (k, True)) if v >= n else (v, (k, False))
    k = trunc(-c / period) if not edge or c < -period else 0
    v = period * k + c
    if (v < -n) if edge else (v <= 1 - n):
        return v + period, (k, True)
    return (1e-15 if edge and v > -1e-15 else -v) - edge, (k, False)
