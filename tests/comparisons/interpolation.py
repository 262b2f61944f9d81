"""Comparisons of interpolation by splines with SciPy's."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from scipy import ndimage

from tests.comparisons.table import Comparison, each, mild

SHAPES = ((7,), (1, 4), (6, 9), (2, 5, 3), (40, 50))
KINDS = ["i1", "u1", "i8", "f4", "f8", "c8", "c16"]
Call = Callable[[Any, Any], Any]
CALLS: dict[str, Sequence[Call]] = {
    "spline_filter1d": (
        lambda f, x: f(x, axis=0, output=x.dtype),
        lambda f, x: f(x, 5, output=x.dtype, mode="grid-wrap"),
    ),
    "spline_filter": (lambda f, x: f(x, output=x.dtype, mode="reflect"),),
    "zoom": (
        lambda f, x: f(x, 1.7, order=1),
        lambda f, x: f(x, 0.6, mode="grid-constant", cval=1),
    ),
    "shift": (lambda f, x: f(x, 0.7, order=2), lambda f, x: f(x, -3.5, mode="nearest")),
}


def _rows() -> Iterator[Comparison]:
    for name, calls in CALLS.items():
        for number, call in enumerate(calls):
            yield Comparison(
                f"ndimage.{name}" + (f" {number + 1}" if number else ""),
                lambda dt, x, name=name, call=call: call(getattr(dt.ndimage, name), x),
                lambda x, name=name, call=call: call(getattr(ndimage, name), x),
                each(1, KINDS, SHAPES, mild),
                None,
            )


COMPARISONS = tuple(_rows())
