import numpy as np
import pytest

import dask_tapestry as dt

GENERATOR = np.random.default_rng(0)
X, W, B = (GENERATOR.normal(size=shape) for shape in ((7, 5), (5, 3), (3,)))


def test_linear_is_a_product_and_a_sum():
    np.testing.assert_allclose(dt.nn.linear(X, W, B).compute(), X @ W + B, rtol=1e-12)
    np.testing.assert_allclose(dt.nn.linear(dt.asarray(X), W).compute(), X @ W, rtol=1e-12)


def test_names_of_dimensions():
    x, w = dt.asarray(X).rename("batch", "in"), dt.asarray(W).rename("in", "out")
    assert dt.nn.linear(x, w, B).dims == ("batch", "out")


@pytest.mark.parametrize(
    "shapes",
    [((7, 4), (5, 3), (3,)), ((7, 5), (5, 3), (4,)), ((7,), (7, 3)), ((7, 5), (5, 3), (3, 1))],
)
def test_shapes_must_fit(shapes):
    with pytest.raises(dt.ShapeError, match="linear"):
        dt.nn.linear(*[dt.ones(shape) for shape in shapes])


def test_relu():
    x = np.array([-1.0, -0.0, 2.0, np.nan, np.inf, -np.inf])
    np.testing.assert_array_equal(dt.nn.relu(x).compute(), np.maximum(x, 0))
    assert dt.nn.relu([-3, 3]).compute().tolist() == [0, 3]
    assert dt.nn.relu(dt.ones(2, "f4")).dtype == np.float32


@pytest.mark.parametrize("block", [100, 400, 10_000])
def test_a_network_in_any_sharding(block):
    with dt.config(block_bytes=block, resources=dt.Resources(1, 4, "1 GiB")):
        result = dt.nn.relu(dt.nn.linear(dt.nn.relu(dt.nn.linear(X, W, B)), W.T)).compute()
    np.testing.assert_allclose(result, np.maximum(np.maximum(X @ W + B, 0) @ W.T, 0), atol=1e-12)
