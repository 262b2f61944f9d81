"""Comparisons of indexing and assignment by places and masks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.comparisons.selectors import SELECTED, selector
from tests.comparisons.table import NUMBERS, Comparison, alike, each, values

MATRICES = ((3, 4), (1, 4), (0, 4), (5, 1))
PLACES = values((2, 3), "u1", "places")


def assigned(key: Any, value: Any) -> Callable[..., Any]:
    """A call that assigns to a copy and returns it."""

    def call(np: Any, x: Any) -> Any:
        copy = np.asarray(x)[...] if np.__name__ == "dask_tapestry" else x.copy()
        copy[key] = value
        return copy

    return call


def put(np: Any, x: Any, values: Any) -> Any:
    copy = np.asarray(x)[...] if np.__name__ == "dask_tapestry" else x.copy()
    np.put_along_axis(copy, np.argmax(x != x[:, :1], axis=1, keepdims=True), 1, 1)
    return copy


def by_mask(name: str, call: Callable[..., Any], shapes: Any = MATRICES) -> Comparison:
    """A call whose result has as many cells as some are non-zero."""
    return alike(name, call, each(1, ["?", "i1", "f8", "c8", "m8[s]"], shapes))


COMPARISONS = (
    alike(
        "piecewise",
        lambda np, x: np.piecewise(x, [x < 0, x > 1], [lambda cells: -cells, 3]),
        each(1, ("i1", "f8", "f4"), ((3, 4), (5,), (2, 0, 3))),
    ),
    alike(
        "unravel_index",
        lambda np, x: np.stack(np.unravel_index(np.abs(x), (3, 7), "F")),
        each(1, ("i1", "i8"), ((3, 4), (5,), (0,))),
    ),
    alike(
        "ravel_multi_index",
        lambda np, x, y: np.ravel_multi_index((x, y), (4, 5), ("wrap", "clip")),
        each(2, ("i1", "i8"), ((3, 4), (5,), (0,))),
    ),
    selector("getitem places", lambda np, x: x[[0, -1, 0]], MATRICES[:2]),
    selector("getitem mesh", lambda np, x: x[:, [3, 0, 0]], MATRICES[:3]),
    selector("getitem pairs", lambda np, x: x[[0, 0], [1, -1]], MATRICES[:2]),
    selector("getitem mixed", lambda np, x: x[[[0], [0]], None, ..., 2:0:-1], MATRICES[:2]),
    by_mask("getitem mask", lambda np, x: x[x != 0]),
    by_mask("getitem rows", lambda np, x: x[x[:, 0] != 0]),
    by_mask("getitem columns", lambda np, x: x[:, np.any(x != 0, axis=0)]),
    selector("setitem slice", assigned((slice(None), slice(None, None, -2)), 1), MATRICES),
    selector("setitem places", assigned(([0, 0, -1], [1, 2, 3]), 1), MATRICES[:2]),
    alike(
        "setitem mask",
        lambda np, x: assigned(x != 0, 1)(np, x),
        each(1, NUMBERS, MATRICES),
    ),
    by_mask("nonzero", lambda np, x: np.nonzero(x)),
    by_mask("where nonzero", lambda np, x: np.where(x)),
    by_mask("argwhere", lambda np, x: np.argwhere(x), (*MATRICES, ())),
    by_mask("flatnonzero", lambda np, x: np.flatnonzero(x), (*MATRICES, ())),
    by_mask("compress", lambda np, x: np.compress(x[0] != 0, x, axis=1), MATRICES[:2]),
    by_mask("extract", lambda np, x: np.extract(x != 0, x)),
    selector("take", lambda np, x: np.take(x, [[0, -1]], 1), MATRICES),
    selector("take flat", lambda np, x: np.take(x, [1, 0]), MATRICES[:2]),
    selector("take wrap", lambda np, x: np.take(x, PLACES, 1, mode="wrap"), MATRICES),
    selector(
        "take_along_axis",
        lambda np, x: np.take_along_axis(x, np.asarray([[0], [1]]) % x.shape[0], 0),
        MATRICES[:2],
    ),
    alike("put_along_axis", lambda np, x: put(np, x, 1), each(1, NUMBERS, MATRICES)),
    alike(
        "choose",
        lambda np, x, y: np.choose(np.asarray([0, 1, 1, 0]), [x, y]),
        each(2, SELECTED, MATRICES[:3]),
    ),
    alike(
        "select",
        lambda np, x, y: np.select([x > 1, y > 1], [x, y], 3),
        each(2, [d for d in NUMBERS if d[0] != "c"], MATRICES),
    ),
    Comparison(
        "shuffle",
        lambda dt, x: dt.shuffle(x, [[0, -1], [0]], 0),
        lambda x: np.take(x, [0, -1, 0], 0),
        each(1, SELECTED, MATRICES[:2]),
    ),
)
