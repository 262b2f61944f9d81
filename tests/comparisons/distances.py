"""Comparisons of distances to the nearest zero with SciPy's."""

from __future__ import annotations

from collections.abc import Iterator

from scipy import ndimage

from tests.comparisons.table import Comparison, each, mild

SHAPES = ((7,), (1,), (0,), (3, 4), (6, 9), (0, 3), (2, 5, 3), (30, 40))
KINDS = ["?", "i4", "u1", "f4", "f8"]
CALLS = (("edt", {}), ("edt", {"sampling": 1.5}), ("cdt", {}), ("cdt", {"metric": "taxicab"}),
         ("bf", {}), ("bf", {"metric": "taxicab"}), ("bf", {"metric": "chessboard"}))  # fmt: skip


def _rows() -> Iterator[Comparison]:
    for number, (name, options) in enumerate(CALLS):
        call = f"distance_transform_{name}"
        yield Comparison(
            f"ndimage.{call}" + f" {number}" * bool(options),
            lambda dt, x, call=call, options=options: getattr(dt.ndimage, call)(
                x > x.dtype.type(0), **options
            ),
            lambda x, call=call, options=options: getattr(ndimage, call)(
                x > x.dtype.type(0), **options
            ),
            each(1, KINDS, SHAPES, mild),
            0,
        )
    yield Comparison(
        "ndimage.distance_transform_edt indices",
        lambda dt, x: dt.ndimage.distance_transform_edt(
            x > x.dtype.type(0), return_distances=False, return_indices=True
        ),
        lambda x: ndimage.distance_transform_edt(
            x > x.dtype.type(0), return_distances=False, return_indices=True
        ),
        each(1, KINDS, SHAPES, mild),
        0,
    )


COMPARISONS = tuple(_rows())
