"""Comparisons of interpolation by splines with SciPy's."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy
from scipy import ndimage

from tests.comparisons.table import Comparison, each, mild

SHAPES = ((7,), (1, 4), (6, 9), (2, 5, 3), (40, 50))
KINDS = ["i1", "u1", "i8", "f4", "f8", "c8", "c16"]


def _turned(rank: int) -> Any:
    return numpy.eye(rank) * 0.8 + 0.1 * numpy.arange(rank)


def _places(x: Any) -> Any:
    random = numpy.random.default_rng(x.size)
    return random.uniform(-2, max(x.shape) + 1, (x.ndim, 6, 9))


def _moved(place: tuple[int, ...]) -> tuple[float, ...]:
    return tuple(0.7 * number - 0.4 for number in reversed(place))


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
    "affine_transform": (
        lambda f, x: f(x, [0.7] * x.ndim, 1.3, order=1, mode="reflect"),
        lambda f, x: f(x, _turned(x.ndim), 0.4, output_shape=(5,) * x.ndim, mode="grid-wrap"),
    ),
    "rotate": (lambda f, x: f(x, 30, order=1) if x.ndim > 1 else f(x[None], 90),),
    "map_coordinates": (
        lambda f, x: f(x, _places(x), order=1, cval=2),
        lambda f, x: f(x, _places(x), mode="nearest"),
    ),
    "geometric_transform": (lambda f, x: f(x, _moved, (4,) * x.ndim, order=1, mode="mirror"),),
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
