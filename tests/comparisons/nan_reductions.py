"""Comparisons of reductions of numbers, of differences and norms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from tests.comparisons.table import Arrays, Comparison, alike, each, mild, untied, values

SHAPES = ((7,), (3, 4), (2, 3, 5))
FLOATS = ("f2", "f4", "f8", "c16")


def holed(shape: tuple[int, ...], dtype: str, seed: object = 0) -> np.ndarray:
    """Return mild cells of which some are NaN, and, of two dimensions or more, a line is."""
    cells = mild(shape, dtype, seed)
    if cells.dtype.kind in "fc":
        cells[values(shape, "?", "holes") & values(shape, "?", "fewer")] = np.nan
        if len(shape) > 1:
            cells[..., 0] = np.nan
    return cells


def numbers(shape: tuple[int, ...], dtype: str, seed: object = 0) -> np.ndarray:
    """Return special cells, with a number in every line."""
    cells = untied(shape, dtype, seed)
    cells[np.isnan(cells) & (np.indices(shape).sum(0) % 2 == 0)] = 1
    return cells


def folds() -> Iterator[Comparison]:
    for name in ("nansum", "nanprod", "nanmin", "nanmax", "nanmean", "nanvar", "nanstd"):
        exact = name in ("nanmin", "nanmax")
        dtypes = ("i4", *(FLOATS[:3] if exact else FLOATS))
        for options in ({}, {"axis": 0}, {"axis": -1, "keepdims": True}):
            call = partial(
                lambda name, options, np, x: getattr(np, name)(x, **options), name, options
            )
            text = " ".join([name, *options])
            made = alike(text, call, each(1, dtypes, SHAPES, holed))
            yield made if exact else made._replace(ulp=None)
    for name in ("nanargmin", "nanargmax"):
        for axis in (None, -1):
            call = partial(lambda name, axis, np, x: getattr(np, name)(x, axis), name, axis)
            yield alike(f"{name} axis={axis}", call, each(1, FLOATS, SHAPES, numbers))
        call = partial(lambda name, np, x: getattr(np, name)(x), name)
        yield alike(f"{name} of integers", call, each(1, ["i4", "?", "M8[s]"], SHAPES))
    for name in ("nanvar", "nanstd"):
        call = partial(lambda name, np, x: getattr(np, name)(x, axis=0, ddof=2), name)
        yield alike(f"{name} ddof", call, each(1, FLOATS, SHAPES, holed))._replace(ulp=None)


DIFFERENT = ("?", "i1", "u8", "f4", "c16", "M8[s]", "m8[s]")
DIFFERENCES = (
    alike("diff", lambda np, x: np.diff(x), each(1, DIFFERENT, SHAPES)),
    alike("diff twice", lambda np, x: np.diff(x, 2, 0), each(1, DIFFERENT[1:5], SHAPES)),
    alike("diff more often", lambda np, x: np.diff(x, 9, 0), each(1, ["f8"], SHAPES)),
    alike(
        "diff with ends",
        lambda np, x, y: np.diff(x, axis=-1, prepend=3, append=y),
        each(2, DIFFERENT[1:5], SHAPES),
    ),
    alike(
        "ediff1d", lambda np, x: np.ediff1d(x), each(1, DIFFERENT[1:5], [(), (0,), (1,), *SHAPES])
    ),
    alike(
        "ediff1d with ends",
        lambda np, x, y: np.ediff1d(x, y, y),
        each(2, DIFFERENT[1:5], SHAPES),
    ),
    alike(
        "trapezoid", lambda np, x: np.trapezoid(x), each(1, ["i4", "f4", "f8", "c16"], SHAPES, mild)
    )._replace(ulp=None),
    alike(
        "trapezoid uneven",
        lambda np, x, y: np.trapezoid(x, y, axis=0),
        each(2, ["f4", "f8"], SHAPES, mild),
    )._replace(ulp=None),
    alike("unwrap", lambda np, x: np.unwrap(x, axis=0, period=4), each(1, ["i4", "i8"], SHAPES)),
    alike("gradient", lambda np, x: np.gradient(x), each(1, ["i4", "f4", "f8"], [(7,), (3, 4)])),
    alike(
        "gradient uneven",
        lambda np, x: np.gradient(x, [0.0, 1, 3, 4], axis=1, edge_order=2),
        each(1, ["f4", "f8"], [(3, 4)], mild),
    )._replace(ulp=None),
)


def normed(
    name: str, shapes: Sequence[tuple[int, ...]], dtypes: Sequence[str], **options: Any
) -> Comparison:
    call = partial(
        lambda name, options, np, x: getattr(np.linalg, name)(x, **options), name, options
    )
    text = " ".join([f"linalg.{name}", *[f"{k}={v}" for k, v in options.items()]])

    def inputs() -> Iterator[Arrays]:
        for dtype in dtypes:
            for shape in shapes:
                yield (mild(shape, dtype),)

    return alike(text, call, inputs)._replace(ulp=None)


def norms() -> Iterator[Comparison]:
    kinds = ("i4", "f4", "f8", "c16")
    yield normed("norm", [(7,), (3, 4), (2, 3, 5)], kinds)
    yield normed("norm", [(3, 4), (1, 7)], kinds, ord="fro", keepdims=True)
    for ord in (None, 2, 1, 0, np.inf, -np.inf, -1, 3, 0.5):
        yield normed("norm", [(7,), (3, 4), (2, 3, 5)], kinds, ord=ord, axis=-1)
        if ord is not None:
            options = {"ord": ord, "axis": (0, -1), "keepdims": True}
            yield normed("vector_norm", [(3, 4), (2, 3, 5)], kinds, **options)
    for ord in ("fro", 1, -1, np.inf, -np.inf):
        yield normed("norm", [(3, 4), (2, 3, 5)], kinds, ord=ord, axis=(-1, 0))
        yield normed("matrix_norm", [(3, 4), (2, 3, 5)], kinds, ord=ord, keepdims=True)


COMPARISONS = (*folds(), *DIFFERENCES, *norms())
