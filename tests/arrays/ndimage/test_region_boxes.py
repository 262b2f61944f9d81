import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import ndimage

import dask_tapestry as dt


@given(st.data())
def test_boxes_are_scipys(data):
    shape = tuple(data.draw(st.lists(st.integers(0, 6), max_size=3)))
    random = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    dtype = data.draw(st.sampled_from(["u1", "i2", "i4", "i8", "u8"]))
    labels = random.integers(-3 * (dtype[0] == "i"), 6, shape).astype(dtype)
    most = data.draw(st.integers(0, 8))
    if not labels.size and most < 1:
        with pytest.raises(ValueError, match="no labels"):
            dt.ndimage.find_objects(labels, most)
        return
    assert dt.ndimage.find_objects(labels, most) == ndimage.find_objects(labels, most)


def test_bools_are_labels():
    assert dt.ndimage.find_objects(dt.asarray([False, True, True])) == [(slice(1, 3),)]


def test_other_cells_are_refused():
    for dtype in ("f8", "c8"):
        with pytest.raises(TypeError, match="find_objects: "):
            dt.ndimage.find_objects(dt.ones(3, dtype))


def test_labels_beyond_any_list_are_refused():
    with pytest.raises(ValueError, match="max_label must be at most 2147483648"):
        dt.ndimage.find_objects(dt.ones(3, int), 2**70)


def test_every_sharding_has_one_value(shardings):
    labels = np.random.default_rng(0).integers(0, 9, (60, 50))
    expected = ndimage.find_objects(labels)
    with shardings.tiny(1000, workers=3, threads=2):
        assert dt.ndimage.find_objects(dt.asarray(labels).rechunk((7, 50))) == expected
