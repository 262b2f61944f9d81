import numpy as np
import pytest

import dask_tapestry as dt


@pytest.mark.parametrize("name", ["bartlett", "blackman", "hamming", "hanning", "kaiser"])
@pytest.mark.parametrize("count", [-3, 0, 0.5, 1, 2, 3, 3.5, 50, np.float32(7)])
def test_windows_are_numpys(name, count):
    for more in [(0,), (2.5,), (-3,)] if name == "kaiser" else [()]:
        with np.errstate(all="ignore"):
            expected = getattr(np, name)(count, *more)
        found = getattr(dt, name)(count, *more)
        assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
        np.testing.assert_allclose(found.compute(), expected, rtol=1e-13, atol=1e-15)


def test_a_part_of_a_window_is_all_that_is_computed():
    window = dt.hanning(10**12)
    assert float(window[5 * 10**11]) == 1.0


def test_numbers_alone_are_taken():
    with pytest.raises((TypeError, ValueError), match="M"):
        dt.hamming("many")
