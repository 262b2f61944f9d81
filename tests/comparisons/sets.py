"""Comparisons of set functions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.comparisons.sorting import TEXTS, cells
from tests.comparisons.table import DTYPES, Arrays, Comparison, alike, each

SHAPES = ((7,), (3, 4), (0,), (20,), ())
KINDS = ("i2", "f8", "M8[s]", "U3")


def few(shape: tuple[int, ...], dtype: str, seed: object = 0) -> np.ndarray:
    """Return cells of few values, hence rows that are equal."""
    return (cells(shape, "i1", seed) % 2).astype(dtype)


def two() -> Iterator[Arrays]:
    """Two arrays that have some cells in common."""
    for kind in KINDS:
        for a, b in (((20,), (3, 4)), ((0,), (5,)), ((4,), (0,)), ((2, 3), (30,))):
            yield cells(a, kind, 1), cells(b, kind, 2)
    yield cells((20,), "i2", 1), cells((15,), "f4", 2)


def sorted_values(np_: Any, x: Any) -> Any:
    """Return the different cells in order, which NumPy leaves open."""
    return np_.sort(np_.unique_values(x))


def sets() -> Iterator[Comparison]:
    yield alike("unique", lambda np, x: np.unique(x), each(1, [*DTYPES, *TEXTS], SHAPES, cells))
    for name in ("index", "inverse", "counts"):
        yield alike(
            f"unique return_{name}",
            lambda np, x, name=name: np.unique(x, **{f"return_{name}": True})[1],
            each(1, [*KINDS, "c8"], SHAPES, cells),
        )
    yield alike(
        "unique equal_nan=False",
        lambda np, x: np.unique(x, True, True, True, equal_nan=False),
        each(1, ["f8", "m8[s]"], ((12,), (3, 4)), cells),
    )
    for axis in (0, 1):
        yield alike(
            f"unique axis={axis}",
            lambda np, x, axis=axis: np.unique(x, True, True, True, axis=axis),
            each(1, ["f4", "i2", "U3"], ((6, 2), (3, 4), (2, 5, 2), (1, 1)), few),
        )
    yield alike("unique_all", lambda np, x: tuple(np.unique_all(x)), each(1, KINDS, SHAPES, cells))
    yield alike(
        "unique_counts",
        lambda np, x: tuple(np.unique_counts(x)),
        each(1, KINDS, SHAPES, cells),
    )
    yield alike(
        "unique_inverse",
        lambda np, x: tuple(np.unique_inverse(x)),
        each(1, KINDS, SHAPES, cells),
    )
    yield alike("unique_values", sorted_values, each(1, KINDS, SHAPES, cells))
    for name in ("union1d", "intersect1d", "setdiff1d", "setxor1d"):
        yield alike(name, lambda np, x, y, name=name: getattr(np, name)(x, y), two)
    yield alike(
        "intersect1d return_indices",
        lambda np, x, y: np.intersect1d(x, y, return_indices=True),
        two,
    )
    yield alike(
        "setdiff1d assume_unique",
        lambda np, x, y: np.setdiff1d(x, y, assume_unique=True),
        lambda: ((np.unique(x)[::-1], np.unique(y)) for x, y in two()),
    )


COMPARISONS = (*sets(),)
