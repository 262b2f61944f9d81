import numpy as np
import pytest

import dask_tapestry as dt
from tests.comparisons import same_bits

RANDOM = np.random.default_rng(9)
X = RANDOM.normal(size=(60, 5, 300))
T, V = RANDOM.normal(size=60), RANDOM.normal(size=300)

PRODUCTS = {  # of an array and a vector, along the axis that the reduction beside it folds
    "tensordot": (lambda x, xp: xp.tensordot(T, x, (0, 0)), 0),
    "einsum": (lambda x, xp: xp.einsum("tyx,t->xy", x, T), 0),
    "last axis": (lambda x, xp: x @ V, 2),
    "a vector a place": (lambda x, xp: xp.einsum("tyx,yt->yx", x, np.outer(V[:5], T)), 0),
    "of a formula": (lambda x, xp: xp.tensordot(T, x * x + 1, (0, 0)), 0),
}


def names(*arrays):
    return [node.operator.name for node in dt.plan(*arrays).teg.nodes]


@pytest.fixture
def stored(tmp_path):
    dt.to_zarr(dt.asarray(X), tmp_path / "x", chunks=(20, 5, 300))
    return dt.from_zarr(tmp_path / "x")


@pytest.mark.few(4)  # as unlike as so many can be
@pytest.mark.parametrize("name", PRODUCTS)
@pytest.mark.parametrize("dtype", ["f8", "f4", "c16", "i8"])
def test_a_product_beside_a_mean_is_a_sum(stored, name, dtype):
    product, axis = PRODUCTS[name]
    x, cells = stored.astype(dtype), X.astype(dtype)
    found, mean = product(x, dt), x.mean(axis)
    assert "matmul" not in names(found, mean)
    value, beside = dt.compute(found, mean)
    tolerance = 1e-4 if dtype == "f4" else 1e-10
    np.testing.assert_allclose(value, product(cells, np), rtol=tolerance, atol=tolerance)
    assert value.dtype == product(cells, np).dtype
    assert same_bits(beside, mean.compute())


def test_dimensions_that_a_reshape_joined_stay_apart(stored):
    found, most = T @ stored.reshape(60, 1500), stored.max(0)
    assert "matmul" not in names(found, most)
    value, beside = dt.compute(found, most)
    np.testing.assert_allclose(value, T @ X.reshape(60, 1500), rtol=1e-10, atol=1e-10)
    np.testing.assert_array_equal(beside, X.max(0))


def test_the_pass_is_shared(stored):
    x = dt.placeholder((14_610, 721, 1440), "f4", (24, 721, 1440))
    days = np.arange(14_610, dtype="f4")
    cost = dt.plan(
        dt.tensordot(days, x, (0, 0)), x.mean(0), resources=dt.Resources(8, 4, "8 GiB")
    ).cost
    assert cost["bytes_read"] < 1.05 * x.nbytes


def test_other_products_are_left_to_blas(stored):
    assert "matmul" in names(stored @ V)  # by itself
    assert "matmul" in names(stored @ V, stored.mean(0))  # another axis is folded
    assert "matmul" in names(dt.asarray(X) @ V, dt.asarray(X).mean(2))  # it is in memory
    assert "matmul" in names(stored @ np.stack([V, V], 1), stored.mean(2))  # of two vectors
    some = stored > 0
    assert "matmul" in names(some @ (V > 0), some.any(2))  # booleans are no numbers


def test_products_that_come_later_are_left_to_blas(stored):
    first = dt.tensordot(T, stored, (0, 0))  # shares the pass of the mean
    later = dt.tensordot(T + first[0, 0], stored, (0, 0))
    assert names(first, later, stored.mean(0)).count("matmul") == 1
    needed = dt.tensordot(T * stored.mean(0)[0, 0], stored, (0, 0))
    assert "matmul" in names(needed)
    for found, given in (
        (later, T + np.tensordot(T, X, (0, 0))[0, 0]),
        (needed, T * X[:, 0, 0].mean()),
    ):
        np.testing.assert_allclose(found.compute(), np.tensordot(given, X, (0, 0)), rtol=1e-9)
