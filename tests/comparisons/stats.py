"""Comparisons of statistics of samples that need no other library."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.comparisons.table import Comparison, each, mild

SHAPES = ((7,), (9, 4), (5, 2, 6))


def central(x: np.ndarray, power: int, axis: int) -> Any:
    cells = x.astype("f8") if x.dtype.kind != "f" else x
    return ((cells - cells.mean(axis=axis, keepdims=True)) ** power).mean(axis=axis)


COMPARISONS = (
    Comparison(
        "stats.moment",
        lambda dt, x: dt.stats.moment(x, 2, -1),
        lambda x: central(x, 2, -1),
        each(1, ["i4", "f4", "f8"], SHAPES, mild),
        None,
    ),
    Comparison(
        "stats.skew",
        lambda dt, x: dt.stats.skew(x),
        lambda x: central(x, 3, 0) / central(x, 2, 0) ** 1.5,
        each(1, ["f8"], SHAPES, mild),
        None,
    ),
    Comparison(
        "stats.kurtosis",
        lambda dt, x: dt.stats.kurtosis(x, axis=-1),
        lambda x: central(x, 4, -1) / central(x, 2, -1) ** 2 - 3,
        each(1, ["f8"], SHAPES, mild),
        None,
    ),
)
