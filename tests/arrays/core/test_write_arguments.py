import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.core.write_arguments import resolve_region

SHAPE = (4, 5, 6)
ZEROS = np.zeros(SHAPE)


@pytest.mark.parametrize(
    "region",
    [
        None,
        slice(1, 3),
        (),
        (slice(1, 3),),
        (..., slice(1, 3)),
        (slice(1, 3), ..., 2),
        (-1, slice(None, None, 2), slice(2, -1)),
        (np.int64(2), ..., 1),
        (1, 2, 3),
        (slice(2, 2),),
    ],
)
def test_a_region_is_what_numpy_indexes(region):
    place = resolve_region(region, SHAPE)
    key = ... if region is None else region
    cells = np.arange(120.0).reshape(SHAPE)
    np.testing.assert_array_equal(cells[place.key], cells[key])
    assert cells[place.slices].ndim == 3
    target = ZEROS.copy()
    expected = ZEROS.copy()
    expected[key] = cells[key]
    dt.store(cells[key], target, regions=region)
    np.testing.assert_array_equal(target, expected)


def test_dimensions_by_name_or_number():
    assert (
        resolve_region({"b": slice(1, 3)}, SHAPE, ("a", "b", "c")).key
        == resolve_region({-2: slice(1, 3)}, SHAPE).key
    )
    assert resolve_region({0: 2}, SHAPE).pinned == (0,)
    with pytest.raises(dt.ShapeError, match="no dimension 'd'"):
        resolve_region({"d": 2}, SHAPE, ("a", "b", "c"))
    with pytest.raises(dt.ShapeError, match="out of bounds"):
        resolve_region({3: 2}, SHAPE)


@pytest.mark.parametrize("region", [([0, 1],), (None,), (np.array([True] * 4),), ("x",), (1.5,)])
def test_slices_and_integers_only(region):
    with pytest.raises(dt.IndexingError, match="slices and integers"):
        resolve_region(region, SHAPE)


def test_what_does_not_fit():
    for region, error in (
        ((0, 0, 0, 0), dt.ShapeError),
        ((4,), dt.IndexingError),
        ((True,), dt.IndexingError),
        ((..., ...), dt.IndexingError),
    ):
        with pytest.raises(error):
            resolve_region(region, SHAPE)
