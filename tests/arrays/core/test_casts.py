import warnings

import numpy as np
import pytest

import dask_tapestry as dt

LOST = pytest.warns(np.exceptions.ComplexWarning, match="discards the imaginary part")


@pytest.mark.parametrize("dtype", ["f2", "f8", "i4", "u1"])
def test_lost_imaginary_parts_are_told_where_the_array_is_built(dtype):
    x = dt.asarray([1 + 2j, 3])
    with LOST as told:
        y = x.astype(dtype)
    assert told[0].filename == __file__
    np.testing.assert_array_equal(y.compute(), np.array([1, 3], dtype))


def test_other_ways_to_cast():
    c, x = np.array([1 + 2j, 3]), dt.zeros(2)
    with LOST:
        dt.asarray(c, dtype=float)
    with LOST:
        x[:] = c
    np.testing.assert_array_equal(x.compute(), [1, 3])


@pytest.mark.parametrize("dtype", ["?", "c8", object])
def test_conversions_that_lose_nothing_are_silent(dtype):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        dt.asarray([1 + 2j]).astype(dtype).compute()
        dt.asarray([1 + 2j]).real.astype("f4").compute()
