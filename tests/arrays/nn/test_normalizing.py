import numpy as np
import pytest

import dask_tapestry as dt
from tests.comparisons import same_bits
from tests.comparisons.layers import layer_norm, softmax

X = np.random.default_rng(10).normal(size=(7, 5, 6)) * 30


@pytest.mark.parametrize("axis", [-1, 0, (0, 2), None])
@pytest.mark.parametrize("dtype", ["i4", "f2", "f4", "f8"])
def test_exponentials_add_up_to_one(axis, dtype, shardings):
    x = X.astype(dtype)
    made = dt.nn.softmax(x, axis)
    assert made.dtype == ("f8" if dtype == "i4" else dtype)
    whole = made.compute()
    np.testing.assert_allclose(whole, softmax(x, axis), rtol=2e-3 if dtype == "f2" else 1e-5)
    with shardings.tiny(300):
        assert same_bits(dt.nn.softmax(dt.asarray(x).rechunk((2, 5, 4)), axis).compute(), whole)


def test_large_cells_do_not_overflow_and_nothing_is_nan():
    x = np.array([[1e4, 1e4, -np.inf], [-np.inf, -np.inf, -np.inf], [0, np.nan, 1]])
    made = dt.nn.softmax(x).compute()
    np.testing.assert_array_equal(made[0], [0.5, 0.5, 0])
    assert np.isnan(made[1:]).all()


@pytest.mark.parametrize("shape", [None, 6, (6,), (5, 6), (7, 5, 6)])
@pytest.mark.parametrize("dtype", ["i4", "f2", "f4", "f8"])
def test_last_axes_are_brought_to_one_scale(shape, dtype, shardings):
    x = X.astype(dtype)
    count = len(shape) if isinstance(shape, tuple) else 1
    expected = layer_norm(x, tuple(range(-count, 0)))
    made = dt.nn.layer_norm(x, shape)
    assert made.dtype == expected.dtype
    whole = made.compute()
    np.testing.assert_allclose(whole, expected, rtol=2e-3, atol=1e-3 if dtype == "f2" else 1e-5)
    with shardings.tiny(300):
        cut = dt.nn.layer_norm(dt.asarray(x).rechunk((2, 3, 4)), shape)
        assert same_bits(cut.compute(), whole)


def test_weight_and_bias_tell_the_axes():
    weight, bias = X[0] + 1, X[1]
    made = dt.nn.layer_norm(X, weight=weight, bias=bias, eps=0.5).compute()
    np.testing.assert_allclose(made, layer_norm(X, (-2, -1), 0.5) * weight + bias, rtol=1e-10)
    half = dt.nn.layer_norm(X.astype("f2"), bias=bias.astype("f2"))
    assert half.dtype == "f2"
    assert dt.nn.layer_norm(X.astype("f2"), bias=bias.astype("f4")).dtype == "f4"


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: dt.nn.layer_norm(X, 5), dt.ShapeError, r"last axes \(5,\)"),
        (lambda: dt.nn.layer_norm(X, ()), dt.ShapeError, "last axes"),
        (lambda: dt.nn.layer_norm(X, 6, np.ones(5)), dt.ShapeError, "weight has shape"),
        (lambda: dt.nn.layer_norm(X, weight=X[0], bias=X[0, 0]), dt.ShapeError, "bias has shape"),
        (lambda: dt.nn.layer_norm(1.0), dt.ShapeError, "last axes"),
        (lambda: dt.nn.layer_norm(X * 1j), dt.DTypeError, "real numbers"),
        (lambda: dt.nn.softmax(X, 3), dt.AxisError, "3"),
        (lambda: dt.nn.softmax(np.ones((2, 0))), dt.ShapeError, "zero-size"),
        (lambda: dt.nn.softmax(X.astype("M8[s]")), dt.DTypeError, "real numbers"),
    ],
)
def test_what_does_not_fit_is_refused(call, error, says):
    with pytest.raises(error, match=says):
        call()
