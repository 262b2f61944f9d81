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


@pytest.mark.parametrize("name", ["dot", "inner"])
def test_shapes_that_are_not_aligned_are_named(name):
    with pytest.raises(dt.ShapeError, match=r"shapes \(2,3\) and \(4,5\) not aligned"):
        getattr(dt, name)(dt.ones((2, 3)), dt.ones((4, 5)))


def test_products_of_vectors_are_one_value_for_every_sharding():
    x = GENERATOR.normal(size=10_000) * 10.0 ** GENERATOR.integers(-8, 8, 10_000)
    values = {dt.dot(dt.asarray(x).rechunk(n), x).compute().tobytes() for n in (10_000, 999, 64)}
    assert len(values) == 1


def test_axes_of_tensordot():
    x, w = GENERATOR.normal(size=(2, 3, 4)), GENERATOR.normal(size=(4, 3, 2))
    for axes in (0, 1, ([1], [1]), ((0, 2), (2, 0)), (-1, 0), ([], [])):
        expected = np.tensordot(x, w, axes)
        made = np.tensordot(dt.asarray(x), w, axes)
        np.testing.assert_allclose(made.compute(), expected, rtol=1e-12, atol=1e-12)


def test_out_takes_the_product():
    out = dt.zeros((2, 2))
    assert dt.dot(dt.ones((2, 3)), dt.ones((3, 2)), out=out) is out
    assert np.outer(dt.ones(2), dt.ones(2), out=out) is out
    assert np.array_equal(out.compute(), np.ones((2, 2)))
