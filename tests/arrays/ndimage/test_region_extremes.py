import numpy as np
import pytest
from scipy import ndimage

import dask_tapestry as dt

NAMES = ("minimum", "maximum", "minimum_position", "maximum_position")


@pytest.mark.parametrize("dtype", ["u1", "i4", "f4", "f8"])
@pytest.mark.parametrize("name", NAMES)
def test_regions_have_scipys_extremes(name, dtype):
    random = np.random.default_rng(1)
    x = random.permutation(240).reshape(8, 5, 6).astype(dtype)  # none twice
    labels = random.integers(0, 5, x.shape)
    for arguments in ((), (labels,), (labels, 3), (labels, [4, 1, 9])):
        expected = np.asarray(getattr(ndimage, name)(x, *arguments))
        found = getattr(dt.ndimage, name)(dt.asarray(x), *arguments).compute()
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected)


def test_of_equal_cells_the_first_is_taken():
    x = dt.asarray([[3, 1, 1], [3, 1, 3]])
    assert dt.ndimage.minimum_position(x, [1, 1, 1], [1]).compute().tolist() == [[0, 1]]
    assert dt.ndimage.maximum_position(x, [1, 1, 1], [1]).compute().tolist() == [[0, 0]]


def test_extremes_are_those_of_each_function():
    x, labels = dt.asarray([[3, 1, 7], [3, 9, 3]]), [[1, 1, 2], [2, 2, 0]]
    found = dt.compute(*dt.ndimage.extrema(x, labels, [2, 1]))
    alone = dt.compute(*[getattr(dt.ndimage, name)(x, labels, [2, 1]) for name in NAMES])
    for one, other in zip(found, alone, strict=True):
        np.testing.assert_array_equal(one, other)


def test_one_label_that_does_not_occur():
    assert int(dt.ndimage.minimum(dt.ones(3), [1, 1, 1], 5)) == 0
    assert dt.ndimage.maximum_position(dt.ones((3, 2)), [1, 1], 5).compute().tolist() == [0, 0]
