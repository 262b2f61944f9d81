"""Comparisons of reductions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from tests.comparisons.table import DTYPES, Comparison, alike, each, mild, values

REDUCED = ((7,), (3, 4), (2, 3, 5), (1, 1))
SUMMABLE = ["?", "i1", "u8", "i8", "f2", "f4", "f8", "c16"]


def reduction(
    name: str, dtypes: Sequence[str], ulp: int | None, make: Any, **options: Any
) -> Comparison:
    """A reduction, with options that ours and NumPy's both take."""
    text = " ".join([name, *[f"{k}={v}" for k, v in options.items()]])
    ranks = [s for s in REDUCED if options.get("axis") != (0, -1) or len(s) > 1]
    shapes = ranks if "axis" in options else [(), *ranks]
    return Comparison(
        text,
        lambda dt, x: getattr(dt, name)(x, **options),
        lambda x: getattr(np, name)(x, **options),
        each(1, dtypes, shapes, make),
        ulp,
    )


def reduction_comparisons() -> Iterator[Comparison]:
    exact = {"min": DTYPES, "max": DTYPES, "any": DTYPES[:11], "all": DTYPES[:11]}
    exact |= {"argmin": DTYPES, "argmax": DTYPES}
    rounded = {"sum": [*SUMMABLE, "m8[s]"], "prod": SUMMABLE, "mean": SUMMABLE}
    rounded |= {"var": SUMMABLE, "std": SUMMABLE}
    for name, dtypes in (exact | rounded).items():
        ulp, make = (0, values) if name in exact else (None, mild)
        for options in ({}, {"axis": 0}, {"axis": -1, "keepdims": True}):
            yield reduction(name, dtypes, ulp, make, **options)
        if not name.startswith("arg"):
            yield reduction(name, dtypes, ulp, make, axis=(0, -1))
            yield reduction(name, dtypes[1:2], ulp, make, axis=())
    for name in ("sum", "prod", "mean", "var", "std"):
        yield reduction(name, ["i8", "f2", "f4"], None, mild, dtype="f8")
    for name in ("var", "std"):
        yield reduction(name, ["f4", "f8", "c16"], None, mild, ddof=1)
        yield reduction(name, ["f8"], None, mild, ddof=0.5, axis=0)
    for name in ("sum", "prod", "any", "all"):
        nothing = each(1, ["?", "i1", "f2", "f8", "c16"], [(0,), (0, 3), (3, 0), (0, 0)])
        folded = partial(lambda name, np, x: getattr(np, name)(x, axis=0), name)
        yield alike(f"{name} of nothing", folded, nothing)


COMPARISONS = (*reduction_comparisons(),)
