import numpy as np
import pytest

from dask_tapestry_kernels.cpu import KERNELS
from dask_tapestry_kernels.parameters.fourier import TRANSFORMS

X = np.random.default_rng(0).random((3, 8, 2))


@pytest.mark.parametrize("length", [5, 8, 11])
@pytest.mark.parametrize("name", list(TRANSFORMS))
def test_into_memory_that_is_given_and_into_its_own(name, length):
    kernel = KERNELS["fourier"]
    arguments = {"function": name, "axis": 1, "length": length, "norm": "ortho"}
    expected = getattr(np.fft, name)(X, length, 1, "ortho")
    out = np.full_like(expected, np.nan)
    assert kernel(out, X, **arguments) is out
    np.testing.assert_array_equal(out, expected)
    np.testing.assert_array_equal(kernel(None, X, **arguments), expected)


def test_a_lane_has_one_value_in_any_block():
    kernel, arguments = KERNELS["fourier"], {"function": "fft", "length": 8, "norm": "forward"}
    whole = kernel(None, X, axis=1, **arguments)
    for block in (X[:1], X[1:, :, ::-1][..., ::-1], np.asfortranarray(X)):
        found = kernel(None, np.asarray(block), axis=1, **arguments)
        rows = slice(3 - len(block), None) if len(block) == 2 else slice(len(block))
        assert found.tobytes() == np.ascontiguousarray(whole[rows]).tobytes()
