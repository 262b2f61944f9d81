import warnings

import numpy as np
import pytest

import dask_tapestry as dt

X = np.arange(24.0).reshape(2, 3, 4)
pytestmark = pytest.mark.usefixtures("sync")
FUNCTIONS = [
    lambda v: v.sum(),
    lambda v: v[::-1],
    lambda v: np.outer(v, [1, 2]),
    lambda v: len(v),
    lambda v: v > 3,
]


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_slices_along_an_axis(function, axis, shardings):
    expected = np.apply_along_axis(function, axis, X)
    made = dt.apply_along_axis(function, axis, dt.asarray(X).rechunk(2))
    assert (made.shape, made.dtype) == (expected.shape, expected.dtype)
    assert np.array_equal(made.compute(), expected)
    with shardings.tiny(8):
        assert np.array_equal(made.compute(), expected)


def test_other_arguments_are_passed_on():
    made = np.apply_along_axis(lambda v, a, b=0: v * a + b, 0, dt.asarray(X), 2, b=1)
    assert isinstance(made, dt.Array)
    assert np.array_equal(made.compute(), 2 * X + 1)


def test_dtype_and_shape_may_be_given():
    def picky(v):
        if not v[0] != 1:
            raise ValueError("ones")
        return v[:2]

    with pytest.raises(ValueError, match="ones; give"):
        dt.apply_along_axis(picky, 2, X + 5)
    made = dt.apply_along_axis(picky, 2, X + 5, dtype="f8", shape=(2,))
    assert np.array_equal(made.compute(), X[..., :2] + 5)


def test_no_slices_are_refused_as_by_numpy():
    with pytest.raises(ValueError, match="iteration dimensions are 0"):
        dt.apply_along_axis(np.sum, 0, np.ones((3, 0)))


@pytest.mark.parametrize("axes", [0, (0, 2), [-1], (1, 1)])
@pytest.mark.parametrize("function", [np.sum, np.cumsum, np.max])
def test_over_axes(function, axes):
    expected = np.apply_over_axes(function, X, axes)
    made = dt.apply_over_axes(function, dt.asarray(X), axes)
    assert (made.shape, made.dtype) == (expected.shape, expected.dtype)
    assert np.array_equal(made.compute(), expected)
    assert np.array_equal(np.apply_over_axes(function, dt.asarray(X), axes).compute(), expected)


@pytest.mark.parametrize("name", ["sum", "cumsum", "max", "median"])
def test_over_axes_calls_functions_of_ours_with_the_array(name):
    expected = np.apply_over_axes(getattr(np, name), X, (0, 2))
    made = dt.apply_over_axes(getattr(dt, name), dt.asarray(X), (0, 2))
    assert (made.shape, made.dtype) == (expected.shape, expected.dtype)
    assert "useroperator" not in str(made.teg)
    with warnings.catch_warnings(action="error"):
        assert np.array_equal(made.compute(), expected)


def test_over_axes_takes_no_other_shapes():
    with pytest.raises(ValueError, match="correct shape"):
        dt.apply_over_axes(lambda a, axis: a[None], X, 0)
    with pytest.raises(ValueError, match="correct shape"):
        dt.apply_over_axes(dt.expand_dims, X, 0)
