import numpy as np
import pytest

import dask_tapestry as dt

X = np.array([[0.5, -1.0, 3.0], [np.inf, np.nan, 0.0]])


@pytest.mark.parametrize(
    "p", [[], [3], [1, 0, -2], np.array([0.5, 2.0], "f4"), [[1, 2, 3], [4, 5, 6]]]
)
@pytest.mark.parametrize("dtype", ["?", "i2", "f4", "f8", "c16"])
def test_values_are_numpys(p, dtype):
    with np.errstate(all="ignore"):
        x = X[:1].astype(dtype) if np.dtype(dtype).kind in "bi" else X.astype(dtype)
        expected = np.polyval(p, x)
        for weights in (p, dt.asarray(p)) if len(p) else (p,):
            found = dt.polyval(weights, dt.asarray(x))
            assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
            np.testing.assert_array_equal(found.compute(), expected)


def test_numpys_function_leads_here():
    assert isinstance(np.polyval([1, 2], dt.arange(3)), dt.Array)


def test_a_number_is_no_polynomial():
    with pytest.raises(TypeError, match="0-d"):
        dt.polyval(3, [1.0])
