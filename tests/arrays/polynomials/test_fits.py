import numpy as np
import pytest

import dask_tapestry as dt

rng = np.random.default_rng(0)
X = rng.normal(size=40)
Y = 3 * X**2 + X + rng.normal(size=40) / 10


@pytest.mark.parametrize("dtype", ["f8", "f4", "i4"])
@pytest.mark.parametrize("columns", [False, True])
@pytest.mark.parametrize("weighed", [False, True])
@pytest.mark.parametrize(
    "kwargs", [{}, {"full": True}, {"cov": True}, {"cov": "unscaled"}], ids=str
)
def test_fits_are_numpys(dtype, columns, weighed, kwargs):
    x = (10 * X).astype(dtype)
    y = (np.stack([Y, 2 * Y], 1) if columns else Y).astype("f4" if dtype == "f4" else "f8")
    w = np.abs(X) + 0.5 if weighed else None
    expected = np.polyfit(x, y, 2, w=w, **kwargs)
    found = dt.polyfit(dt.asarray(x), dt.asarray(y), 2, w=w, **kwargs)
    pairs = zip(found, expected, strict=True) if kwargs else [(found, expected)]
    near = 1e-3 if dtype == "f4" else 1e-8
    for one, other in pairs:
        np.testing.assert_allclose(np.asarray(one), other, rtol=near, atol=near)
        if isinstance(other, np.ndarray):
            assert (one.dtype, one.shape) == (other.dtype, other.shape)


@pytest.mark.parametrize(
    ("x", "y", "degree", "kwargs", "error"),
    [
        (X, Y, -1, {}, ValueError),
        (X, Y[:3], 1, {}, TypeError),
        (X[None], Y, 1, {}, TypeError),
        (X, Y[:, None, None], 1, {}, TypeError),
        (X[:0], Y[:0], 1, {}, TypeError),
        (X, Y, 1, {"w": X[:3]}, TypeError),
        (X, Y, 1, {"w": X[None]}, TypeError),
        (X[:3], Y[:3], 2, {"cov": True}, ValueError),
    ],
)
def test_errors_are_numpys(x, y, degree, kwargs, error):
    with pytest.raises(error):
        np.polyfit(x, y, degree, **kwargs)
    with pytest.raises(error):
        dt.polyfit(dt.asarray(x), dt.asarray(y), degree, **kwargs)
