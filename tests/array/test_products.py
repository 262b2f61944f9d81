import numpy as np
import pytest

import dask_tapestry as dt

GENERATOR = np.random.default_rng(0)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ((3, 4), (4, 5)),
        ((4,), (4, 5)),
        ((3, 4), (4,)),
        ((4,), (4,)),
        ((2, 3, 4), (2, 4, 5)),
        ((2, 3, 4), (4, 5)),
        ((2, 1, 3, 4), (6, 4, 5)),
        ((3, 0), (0, 5)),
        ((0, 4), (4, 5)),
    ],
)
def test_products_are_those_of_numpy(left, right):
    x, w = GENERATOR.normal(size=left), GENERATOR.normal(size=right)
    result = dt.matmul(x, w)
    assert (result.shape, result.dtype) == ((x @ w).shape, np.float64)
    np.testing.assert_allclose(result.compute(), x @ w, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(np.matmul(dt.asarray(x), w).compute(), x @ w, atol=1e-12)


@pytest.mark.parametrize("dtype", ["i4", "u1", "f2", "f4", "c8", "?"])
def test_dtypes_are_those_of_numpy(dtype):
    x, w = np.ones((2, 3), dtype), np.ones((3, 2), dtype)
    result = dt.matmul(x, w)
    assert result.dtype == (x @ w).dtype
    np.testing.assert_allclose(result.compute(), x @ w)


@pytest.mark.parametrize(
    ("left", "right"),
    [((3, 4), (3, 4)), ((), (3,)), ((3,), ()), ((3,), (4,)), ((2, 3, 4), (3, 4, 5))],
)
def test_shapes_must_fit(left, right):
    with pytest.raises(dt.ShapeError):
        dt.matmul(dt.ones(left), dt.ones(right))


def test_dtypes_must_have_a_product():
    with pytest.raises(dt.DTypeError, match="matmul"):
        dt.zeros((2, 2), "M8[s]") @ dt.zeros((2, 2), "M8[s]")
