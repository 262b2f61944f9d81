import numpy as np
import pytest
from scipy import ndimage

import dask_tapestry as dt
from tests.comparisons import same_bits

NAMES = ("sum_labels", "mean", "variance", "standard_deviation", "median", "center_of_mass")


def drawn(dtype="f8", side=60):
    random = np.random.default_rng(3)
    x = (random.random((side, side)) * 100).astype(dtype)
    return x, random.integers(0, 7, x.shape)


@pytest.mark.parametrize("dtype", ["i4", "f4", "f8"])
@pytest.mark.parametrize("name", NAMES)
def test_regions_are_measured_as_scipys_are(name, dtype):
    x, labels = drawn(dtype)
    for arguments in ((), (labels,), (labels, 3), (labels, [5, 1, 6])):
        expected = np.asarray(getattr(ndimage, name)(x, *arguments))
        found = getattr(dt.ndimage, name)(dt.asarray(x), *arguments).compute()
        assert found.shape == expected.shape
        np.testing.assert_allclose(found, expected, rtol=1e-5 if dtype == "f4" else 1e-11)


def test_labels_that_do_not_occur():
    x, labels = dt.asarray([1.0, 2.0, 4.0]), [1, 1, 2]
    found = {name: getattr(dt.ndimage, name)(x, labels, [1, 9]).compute() for name in NAMES}
    assert found["sum_labels"].tolist() == [3, 0]
    assert all(np.isnan(found[name][1]).all() for name in NAMES[1:])


def test_complex_cells():
    x, labels = np.array([1 + 2j, 3j, 5]), [1, 1, 2]
    assert dt.ndimage.sum_labels(x, labels, [2, 1]).compute().tolist() == [5, 1 + 5j]
    assert dt.ndimage.mean(x, labels, [1]).compute().tolist() == [0.5 + 2.5j]


@pytest.mark.parametrize("name", NAMES)
def test_every_sharding_has_one_value(name, shardings):
    x, labels = drawn()
    y = getattr(dt.ndimage, name)(dt.asarray(x), dt.asarray(labels), [2, 4])
    expected = y.compute()
    with shardings.tiny(3000, workers=3, threads=2):
        assert same_bits(y.compute(), expected)
