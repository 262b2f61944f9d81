"""Comparisons of what puts cells in order, and of what stands on that."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from tests.comparisons.table import DTYPES, Arrays, Comparison, alike, each, untied, values

RANKED = ((7,), (3, 4), (2, 3, 5), (1, 1), (0,), (3, 0), (40,))
TEXTS = ("S2", "U3")
WIDE = ("S8192",)  # four cells are worth a task: lanes of twenty are sorted by exchange too


def cells(shape: tuple[int, ...], dtype: str, seed: object = 0) -> np.ndarray:
    """Return cells with ties; -0.0 is left out, as NumPy's sort does not keep signs of zeros."""
    if dtype[0] in "SU":
        return values(shape, "i1", seed).astype(dtype)
    return untied(shape, dtype, seed)


def ordered(shape: tuple[int, ...], dtype: str, seed: object = 0) -> np.ndarray:
    """Return cells in ascending order."""
    return np.sort(cells(shape, dtype, seed))


def stable(np_: Any, x: Any, **options: Any) -> Any:
    """Return NumPy's stable argsort, or ours, which is always stable."""
    return np_.argsort(x, **options, **({"kind": "stable"} if np_ is np else {}))


def top(np_: Any, x: Any, k: int, name: str = "topk") -> Any:
    """Return the largest cells by their definition in NumPy."""
    if np_ is not np:
        return getattr(np_, name)(x, k)
    inner = np.sort(x) if name == "topk" else np.argsort(x, kind="stable")
    return inner[..., ::-1][..., :k] if k > 0 else inner[..., :-k]


def with_table(
    dtypes: tuple[str, ...], tables: tuple[tuple[int, ...], ...] = ((5,), (1,), (9,))
) -> Callable[[], Iterator[Arrays]]:
    """Cells of several shapes, each with a sorted vector."""

    def inputs() -> Iterator[Arrays]:
        for dtype in dtypes:
            for number, shape in enumerate(((7,), (3, 4), (), (0,), (2, 3, 2))):
                table = ordered(tables[number % len(tables)], dtype, "table")
                yield cells(shape, dtype, number), table

    return inputs


def row(name: str, call: Callable[..., Any], dtypes: Any = DTYPES, **options: Any) -> Comparison:
    """One call on cells of every dtype."""
    return alike(name, call, each(1, [*dtypes], options.get("shapes", RANKED), cells))


def sorts() -> Iterator[Comparison]:
    every = [*DTYPES, *TEXTS]
    yield row("sort", lambda np, x: np.sort(x), every)
    yield row("sort axis=0", lambda np, x: np.sort(x, axis=0, kind="stable"), every)
    yield row("sort axis=None", lambda np, x: np.sort(x, axis=None), ["f4"])
    yield row("sort part", lambda np, x: np.sort(x)[..., 1:3], ["f8", "i2"])
    yield row("argsort", stable, every)
    yield row("argsort axis=0", partial(stable, axis=0), every)
    yield row("argsort axis=None", partial(stable, axis=None), ["f4"])
    yield row("sort of wide cells", lambda np, x: np.sort(x), WIDE, shapes=((20,), (2, 17)))
    yield row("argsort of wide cells", stable, WIDE, shapes=((17,), (2, 20)))
    yield row("partition", lambda np, x: np.sort(np.partition(x, 0))[..., :1], ["i4", "f8"])
    yield row("argpartition", lambda np, x: np.sort(np.argpartition(x, [0, -1], 0), 0), ["f8"])
    yield row("topk", partial(top, k=3), ["f8", "i2", "M8[s]"])
    yield row("topk negative", partial(top, k=-2), ["f8", "u1"])
    yield row("argtopk", partial(top, k=2, name="argtopk"), ["f8", "i2"])
    for axis in (0, -1):
        yield alike(
            f"lexsort axis={axis}",
            lambda np, *keys, axis=axis: np.lexsort(keys, axis=axis),
            each(3, ["i1", "f4", "?"], ((20,), (3, 8), (0,))),
        )


def lookups() -> Iterator[Comparison]:
    for side in ("left", "right"):
        yield alike(
            f"searchsorted side={side}",
            lambda np, v, x, side=side: np.searchsorted(x, v, side=side),
            with_table((*DTYPES, *TEXTS)),
        )
    yield alike(
        "searchsorted sorter",
        lambda np, v, x: np.searchsorted(x[::-1], v, sorter=np.argsort(x[::-1])),
        with_table(("i2", "f8")),
    )
    for right in (False, True):
        yield alike(
            f"digitize right={right}",
            lambda np, v, x, right=right: np.digitize(v, x, right),
            with_table(("i2", "f8", "u8")),
        )
    yield alike(
        "digitize descending", lambda np, v, x: np.digitize(v, x[::-1]), with_table(("i2", "f4"))
    )
    for invert in (False, True):
        yield alike(
            f"isin invert={invert}",
            lambda np, v, x, invert=invert: np.isin(v, x, invert=invert),
            with_table((*DTYPES, *TEXTS), ((5,), (2, 3), (0,))),
        )
    yield alike("interp", lambda np, v, x: np.interp(v, x, x * 2 + 1), with_table(("i2", "f8")))
    yield alike(
        "interp period",
        lambda np, v, x: np.interp(v, x, x * 1j, left=-1, right=2, period=3),
        with_table(("f4",)),
    )
    yield alike(
        "interp sides",
        lambda np, v, x: np.interp(v, x, x + 1, left=-1, right=2),
        with_table(("f8",)),
    )


COMPARISONS = (*sorts(), *lookups())
