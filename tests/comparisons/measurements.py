"""Comparisons of measurements of labelled regions with SciPy's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy
from scipy import ndimage

from tests.comparisons.table import Comparison, each, mild

SHAPES = ((7,), (3, 4), (6, 9), (2, 5, 3), (40, 50))
KINDS = ["i4", "u1", "i8", "f4", "f8"]
DOUBLE = ["i4", "u1", "i8", "f8"]  # of one region of f4 SciPy adds up in single precision
SUMS = ("sum_labels", "mean", "variance", "standard_deviation", "center_of_mass")
EXTREMES = ("median", "minimum", "maximum")
PLACES = ("minimum_position", "maximum_position")


def _labels(x: Any) -> Any:
    return numpy.indices(x.shape).sum(axis=0) % 3


def _rows() -> Iterator[Comparison]:
    for name in (*SUMS, *EXTREMES):
        for text, chosen in (("", [2, 1]), (" 2", None), (" 3", [[0, 1], [1, 1]])):
            if name == "center_of_mass" and text == " 3":
                continue  # SciPy's is a list of tuples of rows
            yield Comparison(
                f"ndimage.{name}{text}",
                lambda dt, x, name=name, chosen=chosen: getattr(dt.ndimage, name)(
                    x, _labels(x), chosen
                ),
                lambda x, name=name, chosen=chosen: numpy.asarray(
                    getattr(ndimage, name)(x, _labels(x), chosen)
                ),
                each(1, DOUBLE if chosen is None else KINDS, SHAPES, mild),
                None if name in SUMS else 0,
            )
    for name in PLACES:
        yield Comparison(  # of one region: of several SciPy takes any of equal cells
            f"ndimage.{name}",
            lambda dt, x, name=name: getattr(dt.ndimage, name)(x, _labels(x), 1),
            lambda x, name=name: numpy.asarray(getattr(ndimage, name)(x, _labels(x), 1)),
            each(1, KINDS, SHAPES, mild),
            0,
        )
    yield Comparison(
        "ndimage.extrema",
        lambda dt, x: dt.ndimage.extrema(x, _labels(x), 2)[1],
        lambda x: numpy.asarray(ndimage.extrema(x, _labels(x), 2)[1]),
        each(1, KINDS, SHAPES, mild),
        0,
    )


COMPARISONS = tuple(_rows())
