"""Comparisons of products with sparse matrices."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.comparisons.table import Arrays, Comparison, values

SHAPES = ((6,), (3, 6), (2, 5, 6), (0, 6), (300, 6), (2, 3, 700))
GRIDS = ((2, 3, 4), (1, 20, 31), (0, 3, 3), (5, 4, 300))


def matrix(rows: int, columns: int, dtype: str) -> tuple[np.ndarray, ...]:
    """Values, rows and columns: a few cells of each row, the third row empty, some twice."""
    random = np.random.default_rng(rows + 7 * columns)
    count = 4 * rows if rows and columns else 0
    at, column = random.integers(0, max(1, rows), count), random.integers(0, max(1, columns), count)
    cells = values((count,), "i1", columns).astype(dtype)
    return cells[at != 2], at[at != 2], column[at != 2]


def applied(x: np.ndarray, weights: tuple[np.ndarray, ...], rows: int) -> np.ndarray:
    """The matrix times the last axis: of each row a sum in the order of columns."""
    cells, at, column = weights
    dense: dict[tuple[int, int], Any] = {}
    for value, place in zip(cells, zip(at.tolist(), column.tolist(), strict=True), strict=True):
        dense[place] = dense[place] + value if place in dense else value
    dtype = np.result_type(cells.dtype, x.dtype)
    found = np.zeros((*x.shape[:-1], rows), np.float32 if dtype == np.float16 else dtype)
    with np.errstate(all="ignore"):
        for (row, place), value in sorted(dense.items(), key=lambda item: item[0]):
            one = x[..., place].astype(found.dtype)
            found[..., row] += one * found.real.dtype.type(value)
    return found


def lanes() -> Iterator[Arrays]:
    for dtype in ("?", "i1", "u2", "i8", "f2", "f4", "f8", "c8", "c16"):
        for shape in SHAPES:
            x = values(shape, dtype)
            yield (np.nan_to_num(x) if dtype[0] == "c" else x,)


def grids() -> Iterator[Arrays]:
    for dtype in ("i4", "f4", "f8"):
        for shape in GRIDS:
            yield (values(shape, dtype),)


def of_lanes(dt: Any, x: Any) -> Any:
    cells, rows, columns = matrix(5, x.shape[-1], "i2")
    return dt.sparse_matmul((cells, rows, columns, (5, x.shape[-1])), x)


def of_grids(dt: Any, x: Any) -> Any:
    n = x.shape[1] * x.shape[2]
    return dt.sparse_matmul((*matrix(12, n, "f8"), (12, n)), x, (1, 2), (4, 3))


def grids_by_numpy(x: np.ndarray) -> np.ndarray:
    n = x.shape[1] * x.shape[2]
    return applied(x.reshape(len(x), n), matrix(12, n, "f8"), 12).reshape(len(x), 4, 3)


COMPARISONS = (
    Comparison(
        "sparse_matmul", of_lanes, lambda x: applied(x, matrix(5, x.shape[-1], "i2"), 5), lanes
    ),
    Comparison("sparse_matmul of grids", of_grids, grids_by_numpy, grids),
)
