"""Comparisons of filters with SciPy's."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy
from scipy import ndimage

from tests.comparisons.table import Comparison, each, mild

SHAPES = ((7,), (0,), (1, 4), (3, 0), (6, 9), (2, 5, 3), (40, 50))
REAL = ["i1", "u1", "i2", "i8", "f4", "f8"]
KINDS = [*REAL, "c8", "c16"]
CROSS = ((0, 1, 0), (1, 1, 1), (0, 1, 0))


def _cross(x: Any, corner: Any = 0) -> Any:
    """A cross of as many dimensions as an array has."""
    made: Any = ndimage.generate_binary_structure(x.ndim, 1) * 1
    made[(0,) * x.ndim] = corner
    return made


Call = Callable[[Any, Any], Any]
LINES: dict[str, Sequence[Call]] = {
    "correlate1d": (
        lambda f, x: f(x, [1, 2, 4], 0),
        lambda f, x: f(x, [1, 2, 0.5, 7], mode="constant", cval=3, origin=1),
    ),
    "convolve1d": (lambda f, x: f(x, [1.5, 2, 4], mode="wrap"),),
    "correlate": (lambda f, x: f(x, _cross(x, 3), mode="nearest"),),
    "convolve": (lambda f, x: f(x, _cross(x, 3), mode="mirror"),),
    "gaussian_filter1d": (
        lambda f, x: f(x, 1.5, axis=0, mode="mirror"),
        lambda f, x: f(x, 0.8, order=2),
    ),
    "gaussian_filter": (lambda f, x: f(x, 1), lambda f, x: f(x, 0.7, radius=2, mode="wrap")),
    "uniform_filter1d": (lambda f, x: f(x, 4, 0), lambda f, x: f(x, 70, mode="wrap")),
    "uniform_filter": (lambda f, x: f(x, 3, mode="constant", cval=1),),
    "sobel": (lambda f, x: f(x, 0),),
    "prewitt": (lambda f, x: f(x, -1, mode="nearest"),),
    "laplace": (lambda f, x: f(x),),
    "gaussian_laplace": (lambda f, x: f(x, 1.2),),
    "gaussian_gradient_magnitude": (lambda f, x: f(x, 1.2),),
}
ORDERED: dict[str, Sequence[Call]] = {
    "minimum_filter1d": (lambda f, x: f(x, 3, 0, origin=1), lambda f, x: f(x, 6, mode="wrap")),
    "maximum_filter1d": (lambda f, x: f(x, 4, mode="constant", cval=2),),
    "minimum_filter": (lambda f, x: f(x, 3), lambda f, x: f(x, footprint=_cross(x))),
    "maximum_filter": (lambda f, x: f(x, 4), lambda f, x: f(x, footprint=_cross(x))),
    "median_filter": (lambda f, x: f(x, 3), lambda f, x: f(x, footprint=_cross(x, 1))),
    "rank_filter": (lambda f, x: f(x, 1, 3, mode="wrap"), lambda f, x: f(x, -2, size=2)),
    "percentile_filter": (lambda f, x: f(x, 30, 3, mode="nearest"),),
}
GREY: dict[str, Sequence[Call]] = {
    name: (lambda f, x: f(x, 3, mode="mirror"), lambda f, x: f(x, footprint=_cross(x, 1)))
    for name in (
        "grey_erosion grey_dilation grey_opening grey_closing morphological_gradient "
        "morphological_laplace white_tophat black_tophat"
    ).split()
}
BINARY: dict[str, Sequence[Call]] = {
    "binary_erosion": (lambda f, x: f(x > 1, border_value=1),),
    "binary_dilation": (lambda f, x: f(x > 1, iterations=2),),
    "binary_opening": (lambda f, x: f(x > 1),),
    "binary_closing": (lambda f, x: f(x > 1),),
    "binary_hit_or_miss": (lambda f, x: f(x > 1),),
    "binary_propagation": (lambda f, x: f(x > 3, mask=x > 0),),
    "binary_fill_holes": (lambda f, x: f(x > 0),),
}
ORDERED |= GREY | BINARY


def _kinds(name: str) -> list[str]:
    if name == "gaussian_gradient_magnitude":
        return ["f4", "f8"]  # SciPy's derivatives of integers are cut off, their squares wrap
    if name in BINARY:
        return ["i1", "f8"]
    return KINDS if name in LINES else REAL


def _rows() -> Iterator[Comparison]:
    for name, calls in {**LINES, **ORDERED}.items():
        for number, call in enumerate(calls):
            yield Comparison(
                f"ndimage.{name}" + (f" {number + 1}" if number else ""),
                lambda dt, x, name=name, call=call: call(getattr(dt.ndimage, name), x),
                lambda x, name=name, call=call: call(getattr(ndimage, name), x),
                each(1, _kinds(name), SHAPES, mild),
                None if name in LINES else 0,
            )


def _second(f: Any) -> Any:
    def second(x: Any, axis: int, output: Any, mode: str, cval: float) -> Any:
        return f(x, [1, -2, 1], axis, output, mode, cval)

    return second


def _doubled(line: Any, result: Any) -> None:
    result[:] = line[1:] - 2 * line[:-1]


COMPARISONS = (
    *_rows(),
    Comparison(
        "ndimage.generic_filter",
        lambda dt, x: dt.ndimage.generic_filter(x, numpy.ptp, 2, mode="wrap"),
        lambda x: ndimage.generic_filter(x, numpy.ptp, 2, mode="wrap"),
        each(1, ["i4", "f4", "f8"], SHAPES[:-1], mild),
    ),
    Comparison(
        "ndimage.generic_filter1d",
        lambda dt, x: dt.ndimage.generic_filter1d(x, _doubled, 2, mode="nearest"),
        lambda x: ndimage.generic_filter1d(x, _doubled, 2, mode="nearest"),
        each(1, ["i4", "f4", "f8"], SHAPES, mild),
    ),
    Comparison(
        "ndimage.generic_laplace",
        lambda dt, x: dt.ndimage.generic_laplace(x, _second(dt.ndimage.correlate1d)),
        lambda x: ndimage.generic_laplace(x, _second(ndimage.correlate1d)),
        each(1, ["i4", "f8"], SHAPES, mild),
        None,
    ),
    Comparison(
        "ndimage.generic_gradient_magnitude",
        lambda dt, x: dt.ndimage.generic_gradient_magnitude(x, dt.ndimage.sobel, mode="wrap"),
        lambda x: ndimage.generic_gradient_magnitude(x, ndimage.sobel, mode="wrap"),
        each(1, ["f4", "f8"], SHAPES, mild),
        None,
    ),
)
