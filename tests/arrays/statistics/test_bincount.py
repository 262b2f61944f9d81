import numpy as np
import pytest

import dask_tapestry as dt
from tests.arrays.parity import agreed, refused

X = np.array([3, 0, 7, 3, 3])


@pytest.mark.parametrize("minlength", [0, 2, 12])
@pytest.mark.parametrize("dtype", ["i1", "u1", "i8", "u8"])
def test_the_length_is_counted(dtype, minlength):
    counts = dt.bincount(dt.asarray(X.astype(dtype)), minlength=minlength)
    expected = np.bincount(X, minlength=minlength)
    assert counts.dtype == expected.dtype
    assert counts.shape == expected.shape
    np.testing.assert_array_equal(counts.compute(), expected)


def test_it_can_be_computed_on():
    assert (dt.bincount(X) * 2).sum().compute() == 10
    assert np.bincount(dt.asarray(X)).shape == (8,)


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "?"])
def test_weights(dtype):
    weights = np.array([1, 2, 0, 4, 5]).astype(dtype)
    ours, expected = dt.bincount(X, weights), np.bincount(X, weights)
    assert ours.dtype == expected.dtype
    np.testing.assert_array_equal(ours.compute(), expected)


def test_nothing():
    for minlength in (0, 3):
        for weights in (None, []):
            expected = np.bincount(np.zeros(0, int), weights, minlength)
            ours = dt.bincount(np.zeros(0, int), weights, minlength)
            assert (ours.shape, ours.dtype) == (expected.shape, expected.dtype)


@pytest.mark.parametrize(
    ("error", "text", "arguments"),
    [
        (TypeError, "safe", (np.ones(1),)),
        (TypeError, "safe", ([1], [1j])),
        (ValueError, "one dimension", ([[1]],)),
        (ValueError, "one dimension", (1,)),
        (ValueError, "minlength", ([1], None, -1)),
        (ValueError, "same length", ([1], [1, 2])),
    ],
)
def test_wrong_arguments(error, text, arguments):
    with pytest.raises(error, match=text):
        dt.bincount(*arguments)
    with pytest.raises(error):
        np.bincount(*arguments)


def test_negative_numbers_are_refused_when_computed():
    with pytest.raises(ValueError, match="negative"):
        dt.bincount(np.array([1, -1])).compute()


def test_an_empty_list_has_no_dtype():
    agreed(lambda np, a: np.bincount([]))
    agreed(lambda np, a: np.bincount((), minlength=3))
    refused(lambda np, a: np.bincount(a(np.zeros(0))))


@pytest.mark.few(2)  # as unlike as so many can be
@pytest.mark.parametrize(
    ("dtype", "minlength"), [("u1", 256), ("i1", 128), ("?", 2), ("u2", 2**16)]
)
def test_a_length_that_the_dtype_bounds_is_known(dtype, minlength):
    image = dt.placeholder((10**5, 10**4), dtype, stored_chunks=(1000, 1000))
    counts = dt.bincount(image.ravel(), minlength=minlength)
    assert counts.shape == (minlength,)  # a placeholder has no cells that could be counted
    dt.cumsum(counts)[counts[:2]].plan(resources=dt.Resources(workers=4)).verify()
    cells = np.array([1, 0, 1], dtype)
    agreed(lambda np, a: np.bincount(a(cells), minlength=minlength))


@pytest.mark.parametrize(
    "labels",
    [
        lambda x: x.argmin(axis=1),
        lambda x: (x[:, 0] * 100).astype("i8") % 30,
        lambda x: dt.digitize(x[:, 0], np.linspace(-2, 2, 30)),
    ],
)
def test_nothing_is_computed_for_a_length_that_no_cell_can_exceed(labels):
    x = dt.placeholder((1000, 30), "f8", (100, 30))
    assert dt.bincount(labels(x), minlength=31).shape == (31,)
