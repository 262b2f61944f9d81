"""Comparisons of padding, in every mode."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy

from tests.comparisons.selectors import selector
from tests.comparisons.table import NUMBERS, Comparison, alike, each, mild

PADDED = ((3, 4), (1, 2), (5,))
WIDTHS = (2, ((1, 3), (2, 0)), ((0, 9), (7, 1)))
KINDS = ("i1", "u2", "f2", "f8", "c8")


def padded(mode: str, **options: Any) -> Iterator[Comparison]:
    """A mode with widths shorter and longer than the array."""
    words = " ".join(f"{key}={value}" for key, value in options.items())
    for width in WIDTHS:
        shapes = PADDED if isinstance(width, int) else PADDED[:2]
        call = partial(_pad, width=width, mode=mode, options=options)
        yield selector(f"pad {mode} {words} {width}", call, shapes)


def _pad(np: Any, x: Any, width: Any, mode: str, options: dict[str, Any]) -> Any:
    return np.pad(x, width, mode=mode, **options)


def arithmetic(name: str, call: Callable[..., Any], kinds: Any = KINDS, ulp: int | None = 0) -> Any:
    return Comparison(name, call, partial(call, numpy), each(1, kinds, PADDED, make=mild), ulp)


def halved(vector: Any, widths: Any, axis: int, options: Any) -> None:
    vector[: widths[0]] = vector[widths[0]] + axis
    vector[len(vector) - widths[1] :] = options.get("last", 7)


def statistics() -> Iterator[Comparison]:
    for mode in ("maximum", "minimum", "mean", "median"):
        ulp = None if mode == "mean" else 0
        kinds = ("f4", "f8") if mode in ("mean", "median") else ("i1", "f8", "M8[s]")
        for length in (None, 1, ((2, 9),)):
            call = partial(_pad, width=(2, 3), mode=mode, options={"stat_length": length})
            yield arithmetic(f"pad {mode} {length}", call, kinds, ulp)
    rounded = partial(_pad, width=(2, 3), mode="mean", options={})
    yield arithmetic("pad mean rounded", rounded, ("i1", "u8"))


COMPARISONS = (
    *padded("edge"),
    *padded("wrap"),
    *padded("reflect"),
    *padded("symmetric"),
    alike("pad", lambda np, x: np.pad(x, 2), each(1, ["i1", "f8", "c8", "m8[s]"], (*PADDED, ()))),
    alike("pad nothing", lambda np, x: np.pad(x, ((2, 1), (0, 3))), each(1, ["f4"], ((0, 2),))),
    alike(
        "pad constant",
        lambda np, x: np.pad(x, ((1, 2), (0, 3)), constant_values=((1, 2.7), (3, 4))),
        each(1, NUMBERS, PADDED[:2]),
    ),
    alike("pad axis", lambda np, x: np.pad(x, {-1: (1, 2)}, mode="edge"), each(1, ["f4"], PADDED)),
    alike(
        "pad times",
        lambda np, x: np.pad(x, 1, constant_values=numpy.timedelta64(9, "s")),
        each(1, ["m8[s]"], PADDED),
    ),
    *[
        arithmetic(
            f"pad {mode} odd {width}",
            partial(_pad, width=width, mode=mode, options={"reflect_type": "odd"}),
        )
        for mode in ("reflect", "symmetric")
        for width in ((2, 1), (9, 4))
    ],
    arithmetic("pad linear_ramp", lambda np, x: np.pad(x, (3, 2), "linear_ramp"), ("i1", "f8")),
    arithmetic(
        "pad linear_ramp ends",
        lambda np, x: np.pad(x, (3, 2), "linear_ramp", end_values=(-4, 5.5)),
        ("i2", "f4", "f8"),
    ),
    *statistics(),
    arithmetic("pad function", lambda np, x: np.pad(x, (2, 1), halved, last=3)),
)
