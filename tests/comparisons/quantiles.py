"""Comparisons of medians and quantiles."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from dask_tapestry.arrays.statistics.quantile_methods import METHODS
from tests.comparisons.sorting import cells
from tests.comparisons.table import Comparison, alike, each

RANKED = ((7,), (3, 4), (2, 3, 5), (1, 1), (12,), ())
FILLED = ((7,), (3, 4), (1, 1))
FLOATS = ("f2", "f4", "f8")
SOME = np.array([0, 0.1, 0.5, 0.73, 1])


def finite(shape: tuple[int, ...], dtype: str, seed: object = 0) -> np.ndarray:
    """Return cells without infinities, of which differences are NaN, and without NaN."""
    x = cells(shape, dtype, seed)
    return np.nan_to_num(x, nan=1, posinf=3, neginf=-3) if x.dtype.kind == "f" else x


def loads(shape: tuple[int, ...]) -> np.ndarray:
    """Return weights."""
    return np.random.default_rng(3).integers(1, 5, shape)


def medians() -> Iterator[Comparison]:
    kinds = ["?", "i1", "u8", *FLOATS, "c16", "m8[s]"]
    for options in ({}, {"axis": 0}, {"axis": (0, -1), "keepdims": True}):
        shapes = RANKED if not options else RANKED[1:4] if len(options) > 1 else FILLED
        call = partial(lambda np, x, **o: np.median(x, **o), **options)
        text = f"median {options}" if options else "median"
        yield alike(text, call, each(1, kinds, shapes, cells))
        call = partial(lambda np, x, **o: np.nanmedian(x, **o), **options)
        nans = ["i1", "f4", "f8", "m8[s]"]
        yield alike(text.replace("m", "nanm", 1), call, each(1, nans, shapes, cells))
    nothing = each(1, ["f4", "i2"], ((0,), (0, 3), (3, 0)), cells)
    yield alike("median of nothing", lambda np, x: np.median(x, axis=0), nothing)
    yield alike("nanmedian of nothing", lambda np, x: np.nanmedian(x, axis=0), nothing)


def quantile(name: str, q: Any, dtypes: Any, shapes: Any = FILLED, **options: Any) -> Comparison:
    """One function with one way to call it."""
    text = " ".join([name, f"q={np.shape(q)}{np.asarray(q).dtype}", *map(str, options.values())])
    call = partial(lambda name, np, x: getattr(np, name)(x, q, **options), name)
    return alike(text, call, each(1, [*dtypes], shapes, cells if name[0] == "q" else finite))


def quantiles() -> Iterator[Comparison]:
    for method in METHODS:
        yield quantile("quantile", 0.3, ["f4"], ((7,),), method=method)
    for method in ("inverted_cdf", "linear", "hazen", "midpoint"):
        yield quantile("quantile", SOME[::2], ["i2", "f8"], ((3, 4),), method=method, axis=0)
        yield quantile("nanquantile", SOME[1:4:2], ["f8"], ((3, 4),), method=method, axis=0)
    yield quantile("quantile", 0.3, ["u1", *FLOATS], RANKED)
    yield quantile("quantile", 1, ["i4", "f4"], axis=-1)
    yield quantile("quantile", SOME.astype("f4"), ["f2", "f4", "i8"], axis=0, keepdims=True)
    yield quantile("quantile", SOME[:4].reshape(2, 2), ["f4", "i8"], axis=(0,), keepdims=True)
    yield quantile("nanquantile", 0.3, [*FLOATS, "i2"])
    yield quantile("nanquantile", 0.5, ["m8[s]", "M8[s]"], method="higher", axis=0)
    yield quantile("nanquantile", SOME[:2], ["f8"], ((2, 3, 5),), axis=(0, 2), keepdims=True)
    for name in ("percentile", "nanpercentile"):
        yield quantile(name, 25, ["i2", *FLOATS])
        yield quantile(name, SOME[::2] * 100, ["f4"], axis=-1)
    for name in ("quantile", "nanquantile"):
        call = partial(
            lambda name, np, x: getattr(np, name)(
                x, SOME, axis=-1, method="inverted_cdf", weights=loads(x.shape)
            ),
            name,
        )
        yield alike(f"{name} weights", call, each(1, ["f8", "i2"], FILLED, cells))


COMPARISONS = (*medians(), *quantiles())
