"""The nearest site of each cell of many lines at once, by NumPy."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

Block = np.ndarray[Any, Any]
NONE: Final = np.iinfo(np.int64).max


def taxicab(costs: Block, last: bool) -> Block:
    """For each cell the site of the least cost plus distance, in steps.

    Examples
    --------
    >>> taxicab(np.array([[0.0, -1, -1, 2, 0]]), last=False)
    array([[0, 0, 0, 4, 4]])
    """
    width = costs.shape[1]
    at = np.arange(width)
    rank = at[::-1] if last else at
    whole = costs.astype(np.int64)
    before, earlier = _least(np.where(costs < 0, NONE, (whole - at) * width + rank), width, last)
    keys = np.where(costs < 0, NONE, (whole + at) * width + rank)
    after, following = (x[:, ::-1] for x in _least(keys[:, ::-1], width, last))
    from_before, from_after = before + at, after - at
    later = from_after <= from_before if last else from_after < from_before
    later = (later & (following >= 0)) | (earlier < 0)
    return np.where(later, following, earlier)


def _least(keys: Block, width: int, last: bool) -> tuple[Block, Block]:
    """The least key up to each cell: what it costs, and which site it is, -1 for none."""
    least = np.minimum.accumulate(keys, axis=1)
    cost, rank = np.divmod(least, width)
    site = width - 1 - rank if last else rank
    return cost, np.where(least == NONE, -1, site)


def euclidean(costs: Block, step: float, last: bool) -> Block:
    """The site with the least sum of cost and squared distance.

    A site is left out where the one before it and the one after it are nearer everywhere.

    Examples
    --------
    >>> euclidean(np.array([[1.0, -1, -1, 4, 0]]), 1.0, last=False)
    array([[0, 0, 4, 4, 4]])
    """
    r, width = costs.T, costs.shape[1]
    envelope, top = np.zeros(r.shape, np.int64), np.full(len(costs), -1)
    for i in range(width):
        own = np.flatnonzero(r[i] >= 0)
        some = own[top[own] >= 1]
        while len(some):
            u, v = envelope[top[some] - 1, some], envelope[top[some], some]
            a, b = (v - u) * step, (i - v) * step
            c = a + b
            hidden = c * r[v, some] - b * r[u, some] - a * r[i, some] - a * b * c > 0
            some = some[hidden]
            top[some] -= 1
            some = some[top[some] >= 1]
        top[own] += 1
        envelope[top[own], own] = i
    nearest, at = np.full(r.shape, -1), np.zeros(len(costs), np.int64)
    lines = np.flatnonzero(top >= 0)
    for i in range(width):
        some = lines[at[lines] < top[lines]]
        while len(some):
            here, there = (_squared(r, envelope[at[some] + n, some], some, i, step) for n in (0, 1))
            some = some[there <= here if last else there < here]
            at[some] += 1
            some = some[at[some] < top[some]]
        nearest[i, lines] = envelope[at[lines], lines]
    return nearest.T


def _squared(r: Block, site: Block, lines: Block, i: int, step: float) -> Block:
    away = (site - i) * step
    total: Block = r[site, lines] + away * away
    return total


def chessboard(costs: Block) -> Block:
    """The site with the least maximum of cost and distance.

    Examples
    --------
    >>> chessboard(np.array([[0.0, -1, -1, -1, 1]]))
    array([[0, 0, 0, 4, 4]])
    """
    r, width = costs.T, costs.shape[1]
    envelope, begins = np.zeros((2, *r.shape), np.int64)
    top = np.full(len(costs), -1)
    for i in range(width):
        own = np.flatnonzero(r[i] >= 0)
        some = own[top[own] >= 0]
        while len(some):
            at, u = begins[top[some], some], envelope[top[some], some]
            here, there = np.maximum(abs(at - u), r[u, some]), np.maximum(abs(at - i), r[i, some])
            some = some[here > there]
            top[some] -= 1
            some = some[top[some] >= 0]
        u = envelope[top[own], own]
        before, cost, middle = r[u, own], r[i, own], (u + i) // 2
        begin = 1 + np.where(
            before <= cost, np.maximum(u + cost, middle), np.minimum(i - before, middle)
        ).astype(np.int64)
        begin[top[own] < 0] = 0
        own, begin = own[begin < width], begin[begin < width]
        top[own] += 1
        envelope[top[own], own], begins[top[own], own] = i, begin
    nearest, lines = np.full(r.shape, -1), np.flatnonzero(top >= 0)
    for i in range(width - 1, -1, -1):
        nearest[i, lines] = envelope[top[lines], lines]
        top[lines[begins[top[lines], lines] == i]] -= 1
    return nearest.T
