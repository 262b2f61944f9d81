import numpy as np
import pytest

import dask_tapestry as dt

X = np.random.default_rng(0).random((3, 4, 5))
NAMES = ["fft2", "ifft2", "rfft2", "irfft2"]


@pytest.mark.parametrize("options", [{}, {"axes": (0, 1)}, {"s": (3, -1)}, {"norm": "forward"}])
@pytest.mark.parametrize("name", NAMES)
def test_values_are_numpys(name, options):
    expected = getattr(np.fft, name)(X, **options)
    for x in (dt.asarray(X), dt.asarray(X).rechunk(2)):
        found = getattr(dt.fft, name)(x, **options)
        np.testing.assert_array_equal(found.compute(), expected, strict=True)
    np.testing.assert_array_equal(getattr(np.fft, name)(dt.asarray(X), **options), expected)


@pytest.mark.parametrize("name", NAMES)
def test_a_vector_has_no_two_axes(name):
    with pytest.raises(dt.AxisError):
        getattr(dt.fft, name)(dt.ones(3))
