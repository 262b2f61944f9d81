"""Medians of shown cells."""

import numpy as np
import pytest

import dask_tapestry as dt

from .masked_samples import agree, ours, sample


@pytest.mark.few(5)  # as unlike as so many can be
@pytest.mark.covering
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("kind", ["u8", "i4", "f4", "f8"])
@pytest.mark.parametrize("axis", [None, 0, 1, (0, 1)])
@pytest.mark.parametrize("hidden", [None, 0.3, 0.7])
def test_medians_are_those_of_numpy(kind, axis, hidden):
    x = sample(kind, mask=hidden)
    agree(dt.ma.median(ours(x), axis), np.ma.median(x, axis))
    agree(dt.ma.median(ours(x), axis, keepdims=True), np.ma.median(x, axis, keepdims=True))


def test_a_lane_of_hidden_cells_is_hidden_and_does_not_warn():
    x = np.ma.masked_array([[1.0, 2.0], [3.0, np.nan]], [[1, 1], [0, 0]])
    agree(dt.median(ours(x), axis=1), np.ma.masked_array([0, np.nan], [1, 0]))


@pytest.mark.covering
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("kind", ["c8", "c16"])
@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("hidden", [None, 0.3, 0.7])
def test_medians_of_complex_numbers(kind, axis, hidden):
    x = sample(kind, mask=hidden)
    x.data[np.isinf(x.data)] = 3j  # NumPy makes NaN of complex infinities when it halves sums
    agree(dt.ma.median(ours(x), axis), np.ma.median(x, axis))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_complex_nan_is_the_last_that_is_shown():
    rows = np.array([[np.nan, complex(np.nan, 1), complex(3, np.nan), 2j], [1, 2, 3, np.nan]])
    x = np.ma.masked_array(rows, [[0, 0, 0, 0], [0, 0, 0, 1]])
    found, wanted = dt.ma.median(ours(x), axis=1).filled(0).compute(), np.ma.median(x, axis=1)
    np.testing.assert_array_equal(found.real, wanted.data.real)
    np.testing.assert_array_equal(found.imag, wanted.data.imag)


@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("unit", ["s", "ms"])
def test_medians_of_times(axis, unit):
    rows = np.arange(20).reshape(4, 5)[::-1].astype(f"m8[{unit}]")
    x = np.ma.masked_array(rows, rows.astype(int) % 3 == 0)
    found, wanted = dt.ma.median(ours(x), axis), np.ma.median(x, axis)
    assert found.dtype == wanted.dtype
    agree(found.astype(int), wanted.astype(int))
    rows[1, 1] = "NaT"  # which NumPy takes for the last of times here, for missing in np.median
    assert np.isnat(dt.ma.median(ours(x), axis=1).filled(0).compute()).tolist() == [0, 1, 0, 0]


@pytest.mark.parametrize("hidden", [np.ma.nomask, [True, False]])
def test_datetimes_have_no_median(hidden):
    with pytest.raises(dt.DTypeError, match="mean"):
        dt.ma.median(dt.ma.masked_array(np.zeros(2, "M8[s]"), hidden))
