"""Comparisons of reductions by group."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tests.comparisons.table import Arrays, Comparison, mild, values

SHAPES = ((13,), (3, 40), (2, 3, 700), (2, 0), (0, 4))
GROUPS = 4  # and one that is empty


def labels(extent: int) -> np.ndarray:
    return np.arange(extent) * 7 % 11 % GROUPS


def by_group(x: np.ndarray, function: Callable[..., Any], empty: Any) -> np.ndarray:
    """The function of the cells of each group by themselves."""
    found, of = [], labels(x.shape[-1])
    kind = np.asarray(function(np.ones((1,), x.dtype), axis=-1)).dtype
    kind = kind if kind.kind in "fc" or empty == empty else np.dtype("f8")
    for group in range(GROUPS + 1):
        own = x[..., of == group]
        with warnings.catch_warnings(action="ignore"), np.errstate(all="ignore"):
            some = function(own, axis=-1) if own.shape[-1] else np.full(x.shape[:-1], empty)
        found.append(np.asarray(some).astype(kind))
    return np.stack(found, -1)


def inputs(*dtypes: str, make: Any = values) -> Callable[[], Iterator[Arrays]]:
    def each() -> Iterator[Arrays]:
        for dtype in dtypes:
            for shape in SHAPES:
                yield (make(shape, dtype),)

    return each


def compared(
    func: str, numpy: Any, empty: Any, *dtypes: str, ulp: int | None = 0, make: Any = values
) -> Comparison:
    def ours(dt: Any, x: Any) -> Any:
        wanted = range(GROUPS + 1)
        return dt.groupby_reduce(x, labels(x.shape[-1]), func=func, expected_groups=wanted)[0]

    def reference(x: np.ndarray) -> np.ndarray:
        return by_group(x, numpy, empty)

    return Comparison(f"groupby_reduce {func}", ours, reference, inputs(*dtypes, make=make), ulp)


def number_of(x: np.ndarray, axis: int) -> Any:
    return np.count_nonzero(x == x, axis=axis)


def first(x: np.ndarray, axis: int) -> np.ndarray:
    return np.take(x, 0, axis)


def last_number(x: np.ndarray, axis: int) -> np.ndarray:
    def last(own: np.ndarray) -> Any:
        return [np.nan if own.dtype.kind == "f" else 0, *own[own == own]][-1]

    kept = np.moveaxis(x, axis, -1).reshape(-1, x.shape[axis])
    return np.array([last(row) for row in kept], x.dtype).reshape(np.delete(x.shape, axis))


REAL = ("i1", "u2", "i8", "f4", "f8")
COMPARISONS = (
    compared("sum", np.sum, 0, "?", "i1", "u2", "i8"),
    compared("nansum", np.nansum, 0, "f4", "f8", "c16", ulp=None, make=mild),
    compared("prod", np.prod, 1, "i1", "i8"),
    compared("mean", np.mean, np.nan, *REAL, "c16", ulp=None, make=mild),
    compared("nanmean", np.nanmean, np.nan, *REAL, ulp=None, make=mild),
    compared("var", np.var, np.nan, *REAL, ulp=None, make=mild),
    compared("nanstd", np.nanstd, np.nan, *REAL, ulp=None, make=mild),
    compared("min", np.min, np.nan, *REAL),
    compared("nanmax", np.nanmax, np.nan, *REAL),
    compared("count", number_of, 0, *REAL, "M8[s]"),
    compared("any", np.any, False, "?", *REAL),
    compared("all", np.all, True, "?", *REAL),
    compared("nanmedian", np.nanmedian, np.nan, *REAL, ulp=None),
    compared("nanlast", last_number, np.nan, *REAL),
    compared("first", first, np.nan, *REAL),
)
