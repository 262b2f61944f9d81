"""Comparisons of labels of regions with SciPy's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy
from scipy import ndimage

from tests.comparisons.table import Comparison, each, mild

SHAPES = ((7,), (1,), (0,), (3, 4), (6, 9), (0, 3), (2, 5, 3), (40, 50))
KINDS = ["?", "i4", "u1", "i8", "f4", "f8"]


def _boxes(found: Any) -> Any:
    """Boxes as an array: slices are no cells."""
    rows = [(-1, -1) if box is None else (box[0].start, box[-1].stop) for box in found]
    return numpy.array(rows)


def _rows() -> Iterator[Comparison]:
    for text, wide in (("", False), (" 2", True)):
        for number, part in enumerate(("", " count")):
            yield Comparison(
                f"ndimage.label{part}{text}",
                lambda dt, x, wide=wide, number=number: dt.ndimage.label(
                    x > x.dtype.type(0), numpy.ones((3,) * x.ndim) if wide else None
                )[number],
                lambda x, wide=wide, number=number: numpy.asarray(
                    ndimage.label(x > x.dtype.type(0), numpy.ones((3,) * x.ndim) if wide else None)[
                        number
                    ]
                ),
                each(1, KINDS, SHAPES, mild),
                0,
            )
    yield Comparison(
        "ndimage.find_objects",
        lambda dt, x: dt.asarray(_boxes(dt.ndimage.find_objects(x, 4))),
        lambda x: _boxes(ndimage.find_objects(x, 4)),
        each(1, ["i4", "u1", "i8"], ((7,), (3, 4), (2, 5, 3), (40, 50)), mild),
        0,
    )


COMPARISONS = tuple(_rows())
