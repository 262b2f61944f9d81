import numpy as np
import pytest

from dask_tapestry_kernels.parameters.fourier import TRANSFORMS


@pytest.mark.parametrize("name", TRANSFORMS)
def test_each_is_numpys(name):
    x = np.random.default_rng(0).random((3, 8))
    np.testing.assert_array_equal(TRANSFORMS[name](x), getattr(np.fft, name)(x))
