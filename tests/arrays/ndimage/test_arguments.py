import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.ndimage.arguments import for_each

X = dt.ones((4, 5))


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (lambda: dt.ndimage.correlate1d(X, [1, 2], origin=1), ValueError, "correlate1d: invalid"),
        (lambda: dt.ndimage.correlate1d(X, [1, 2], axis=2), ValueError, "correlate1d: axis 2 is"),
        (lambda: dt.ndimage.gaussian_filter(X, [1, 2, 3]), RuntimeError, "sigma has 3 for 2"),
        (lambda: dt.ndimage.gaussian_filter(X, 1, axes=(0, -2)), ValueError, "axes must be unique"),
        (lambda: dt.ndimage.gaussian_filter(X, 1, axes=3), ValueError, "axis 3 is out of bounds"),
        (lambda: dt.ndimage.median_filter(X + 1j, 3), TypeError, "must be real numbers"),
        (lambda: dt.ndimage.laplace(dt.asarray(["a"])), TypeError, "laplace|correlate1d"),
        (lambda: dt.ndimage.laplace(X, np.ones((4, 5))), TypeError, "output must be a dtype or a"),
        (lambda: dt.ndimage.laplace(X, "M8[s]"), TypeError, "output must be of numbers"),
        (lambda: dt.ndimage.correlate(X, dt.placeholder((3, 3), "f8")), TypeError, "must be known"),
    ],
)  # fmt: skip
def test_errors_name_function_and_argument(call, kind, words):
    with pytest.raises(dt.TapestryError, match=words) as error:
        call()
    assert isinstance(error.value, kind)


def test_an_array_given_as_output_takes_the_value():
    out = dt.zeros((4, 5), "f4")
    assert dt.ndimage.gaussian_filter(X, 1, output=out) is out
    np.testing.assert_allclose(out.compute(), 1)
    with pytest.raises(ValueError, match="wrong shape"):
        dt.ndimage.gaussian_filter(X, 1, output=dt.zeros(3))


def test_a_real_dtype_of_a_complex_result_is_made_complex():
    with pytest.warns(UserWarning, match="promoting specified output"):
        assert dt.ndimage.correlate1d(X, [1j], output=np.float64).dtype == "c16"
    with pytest.raises(RuntimeError, match="complex dtype"):
        dt.ndimage.correlate1d(X, [1j], output="f8")


def test_one_for_all_or_one_each():
    assert for_each("f", "sigma", (1, 2), 2) == [1, 2]
    assert for_each("f", "mode", "wrap", 2) == ["wrap", "wrap"]
