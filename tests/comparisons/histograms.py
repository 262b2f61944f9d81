"""Comparisons of histograms and counts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.comparisons.table import Arrays, alike, mild, values

SHAPES = ((7,), (3, 4), (2, 3, 5), (30,), (0,))


def spread(dtype: str, shape: tuple[int, ...]) -> np.ndarray:
    """Return cells from -9 to 10, integers among them, which lie on edges."""
    cells = values(shape, "i8", dtype).astype("f8")
    cells += np.where(values(shape, "?", shape), values(shape, "i8", "rest") / 37, 0)
    return np.abs(cells).astype(dtype) if dtype[0] == "u" else cells.astype(dtype)


def cells() -> Iterator[Arrays]:
    for dtype in ("i1", "u1", "i8", "f2", "f4", "f8", "?"):
        for shape in SHAPES:
            yield (spread(dtype, shape) if dtype != "?" else values(shape, "?"),)


def special() -> Iterator[Arrays]:
    for dtype in ("f4", "f8"):
        for shape in SHAPES:
            yield (values(shape, dtype),)


def weighted() -> Iterator[Arrays]:
    for dtype in ("i4", "u1", "f4", "f8", "c16"):
        for shape in SHAPES:
            yield spread("f8", shape), mild(shape, dtype)


def integers() -> Iterator[Arrays]:
    for dtype in ("u1", "i8", "u8", "?"):
        for n in (0, 1, 30):
            yield (np.abs(values((n,), dtype)) if dtype != "?" else values((n,), "?"),)


def points() -> Iterator[Arrays]:
    for dtype in ("i4", "f8"):
        yield spread(dtype, (30,)), spread(dtype, (30,))[::-1]


def histogrammed(np: Any, x: Any) -> Any:
    counts, edges = np.histogramdd([x, x, x], bins=(2, [-5, 0, 5], 3))
    return counts, *edges


EDGES = [-4, -1.5, 0, 2, 2.25, 7]
COMPARISONS = (
    alike("histogram", lambda np, x: np.histogram(x), cells),
    alike("histogram bins", lambda np, x: np.histogram(x, 23, (-3, 7)), cells),
    alike("histogram edges", lambda np, x: np.histogram(x, EDGES), cells),
    alike("histogram density", lambda np, x: np.histogram(x, EDGES, density=True), cells),
    alike("histogram special", lambda np, x: np.histogram(x, 4, (-1, 1)), special),
    alike("histogram special edges", lambda np, x: np.histogram(x, [-1, 0, 0.5, 1]), special),
    alike("histogram weights", lambda np, x, w: np.histogram(x, 5, weights=w), weighted)._replace(
        ulp=None
    ),
    alike("histogram_bin_edges", lambda np, x: np.histogram_bin_edges(x, 7), cells),
    alike("histogram2d", lambda np, x, y: np.histogram2d(x, y, (3, 4)), points),
    alike("histogramdd", lambda np, x, y: histogrammed(np, x), points),
    alike("bincount", lambda np, x: np.bincount(x, minlength=5), integers),
    alike("bincount weights", lambda np, x: np.bincount(x, x / 7, 3), integers)._replace(ulp=None),
)
