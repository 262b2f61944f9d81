"""Whole programs, each one function of an array namespace and its inputs.

NumPy, dask.array, JAX and this library run the same function; `program_rows` says on what inputs.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def black_scholes(xp: Any, spot: Any, strike: Any, years: Any) -> Any:
    """Prices of call options, the normal distribution by its logistic approximation."""
    spread = 0.3 * xp.sqrt(years)
    high = (xp.log(spot / strike) + 0.065 * years) / spread
    low = high - spread
    kept = spot / (1 + xp.exp(-1.702 * high))
    return kept - strike * xp.exp(-0.02 * years) / (1 + xp.exp(-1.702 * low))


def exp_sum(xp: Any, x: Any) -> Any:
    return xp.sum(xp.exp(-(x**2)) * x)


def image(xp: Any, x: Any) -> Any:
    return x.astype("float32") / 255


def double_difference(xp: Any, x: Any) -> Any:
    """Second differences along both axes."""
    y = x[2:] - 2 * x[1:-1] + x[:-2]
    return y[:, 2:] - 2 * y[:, 1:-1] + y[:, :-2]


def anomaly(xp: Any, x: Any) -> Any:
    return x - xp.mean(x, axis=0)


def quadratic_means(xp: Any, u: Any, v: Any) -> Any:
    return xp.mean(u**2, axis=0), xp.mean(v**2, axis=0), xp.mean(u * v, axis=0)


def mlp(xp: Any, x: Any, first: Any, second: Any) -> Any:
    return xp.maximum(x @ first, 0) @ second


def heat(xp: Any, u: Any, steps: int = 2) -> Any:
    """Steps of the heat equation; each loses the border."""
    for _ in range(steps):
        inner = u[1:-1, 1:-1]
        around = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2]
        u = inner + 0.1 * (around - 4 * inner)
    return u


def take_rows_sum(xp: Any, x: Any, rows: Any) -> Any:
    return xp.sum(x[rows], axis=1)


def gram_sum(xp: Any, x: Any) -> Any:
    return xp.sum(x @ x.T)


def total(xp: Any, x: Any) -> Any:
    return xp.sum(x)


def row_sum(xp: Any, x: Any) -> Any:
    return xp.sum(x, axis=1)


def column_sum(xp: Any, x: Any) -> Any:
    return xp.sum(x, axis=0)


def std(xp: Any, x: Any) -> Any:
    return xp.std(x)


def softmax(xp: Any, x: Any) -> Any:
    y = xp.exp(x - xp.max(x, axis=1, keepdims=True))
    return y / xp.sum(y, axis=1, keepdims=True)


def layer_norm(xp: Any, x: Any, weight: Any, bias: Any) -> Any:
    centred = x - xp.mean(x, axis=1, keepdims=True)
    return centred / xp.sqrt(xp.var(x, axis=1, keepdims=True) + 1e-5) * weight + bias


def transpose_add(xp: Any, x: Any) -> Any:
    return x + x.T


def cumulative_sum(xp: Any, x: Any) -> Any:
    return xp.cumsum(x, axis=0)


def where_clip(xp: Any, x: Any) -> Any:
    return xp.where(x > 0.75, xp.clip(x, 0.8, 1.2), -x)


def histogram(xp: Any, x: Any) -> Any:
    return xp.histogram(x, bins=256, range=(0.0, 2.0))[0]


def sort(xp: Any, x: Any) -> Any:
    return xp.sort(x)


def boolean_mask(xp: Any, x: Any) -> Any:
    return x[x > 1]


def scale(xp: Any, x: Any) -> Any:
    return x * 2 + 1


def scale_sum(xp: Any, x: Any) -> Any:
    return xp.sum(x * 2 + 1)


def persist_reuse(xp: Any, x: Any) -> Any:
    """Three results of a value that lazy libraries are told to keep."""
    y = xp.sqrt(x) + 1
    y = getattr(y, "persist", lambda: y)()
    return xp.sum(y), xp.mean(y**2), xp.max(y, axis=0)


def std_rows(xp: Any, x: Any) -> Any:
    return xp.std(x, axis=1)


def argsort(xp: Any, x: Any) -> Any:
    return xp.argsort(x)


def median(xp: Any, x: Any) -> Any:
    return xp.median(x)


def median_rows(xp: Any, x: Any) -> Any:
    return xp.median(x, axis=1)


def partition(xp: Any, x: Any) -> Any:
    """The cell that a partition puts in its place; the order of others is open."""
    return xp.partition(x, x.shape[0] // 2)[x.shape[0] // 2]


def unique(xp: Any, x: Any) -> Any:
    return xp.unique(x)


def take_rows(xp: Any, x: Any, rows: Any) -> Any:
    return xp.take(x, rows, axis=0)


def mask_rows(xp: Any, x: Any) -> Any:
    return x[x[:, 0] > 1]


def top(xp: Any, x: Any, count: int = 100) -> Any:
    """The largest cells, the largest first."""
    if hasattr(xp, "topk"):
        return xp.topk(x, count)
    if xp.__name__.startswith("jax"):
        from jax.lax import top_k

        return top_k(x, count)[0]
    return xp.sort(xp.partition(x, -count)[-count:])[::-1]


def unique_places(xp: Any, x: Any) -> Any:
    """The numbers that are there, where each cell's is among them, and how often each is there."""
    return xp.unique(x, return_inverse=True, return_counts=True)


def scatter_add(xp: Any, x: Any, rows: Any) -> Any:
    """Rows added to those of a table that numbers name; some numbers come many times."""
    table, places = xp.zeros(x.shape, x.dtype), rows[: x.shape[0]]
    if xp.__name__.startswith("jax"):
        return table.at[places].add(x)
    np.add.at(table, places, x)
    return table


def rotary(xp: Any, x: Any, cos: Any, sin: Any) -> Any:
    """Pairs of features turned by the angle of their position, as rotary embeddings do."""
    half = x.shape[-1] // 2
    left, right = x[..., :half], x[..., half:]
    return xp.concatenate([left * cos - right * sin, right * cos + left * sin], axis=-1)


def diff(xp: Any, x: Any) -> Any:
    return xp.diff(x, axis=0)


def bincount(xp: Any, numbers: Any, groups: int = 1000) -> Any:
    return xp.bincount(numbers, **_groups(xp, groups))


def group_mean(xp: Any, numbers: Any, x: Any, groups: int = 1000) -> Any:
    told = _groups(xp, groups)
    return xp.bincount(numbers, weights=x, **told) / xp.bincount(numbers, **told)


def _groups(xp: Any, groups: int) -> dict[str, int]:
    """How a library is told how many groups there are; JAX must know the length."""
    return {"length": groups} if xp.__name__.startswith("jax") else {"minlength": groups}
