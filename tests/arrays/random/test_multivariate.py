import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.random.multivariate import covariance_factor

from .samples import COUNT, rng

COV = np.array([[2.0, 1.0, 0.0], [1.0, 3.0, 0.5], [0.0, 0.5, 1.0]])


def test_shares_have_the_moments_of_dirichlets():
    alpha = np.array([2.0, 3.0, 5.0])
    x = rng().dirichlet(alpha, COUNT).compute()
    np.testing.assert_allclose(x.sum(axis=1), 1)
    np.testing.assert_allclose(x.mean(axis=0), alpha / 10, atol=0.002)
    np.testing.assert_allclose(x.var(axis=0), alpha / 10 * (1 - alpha / 10) / 11, rtol=0.02)


def test_shares_of_tiny_and_no_parameters():
    x = rng().dirichlet([1e-300, 1e-300], 1000).compute()
    assert set(x.ravel()) == {0.0, 1.0}
    assert abs(x[:, 0].mean() - 0.5) < 0.1
    assert not rng().dirichlet([0, 0], 3).compute().any()
    assert np.isnan(rng().dirichlet([np.nan, 1], 3).compute()).all()
    assert rng().dirichlet([]).shape == (0,)
    assert rng().dirichlet(dt.ones((4, 3)) + 1).compute().shape == (4, 3)
    with pytest.raises(ValueError, match="no axis"):
        rng().dirichlet(3.0)


@pytest.mark.parametrize(
    ("given", "size"),
    [
        ((5, [0.5, 0.3, 0.2]), (2,)),
        ((5, [0.5, 0.3, 0.2]), None),
        (([5, 6], [[0.5, 0.5], [0.1, 0.9]]), None),
        (([5, 6], [0.5, 0.5]), (3, 2)),
        ((5, [0.5, 0.5, 0.5]), 4),
    ],
)
def test_rows_have_numpys_shapes_and_their_sums(given, size):
    x = rng().multinomial(*given, size).compute()
    assert x.shape == np.random.default_rng().multinomial(*given, size).shape
    np.testing.assert_array_equal(x.sum(axis=-1), np.broadcast_to(given[0], x.shape[:-1]))


def test_trials_and_shares_that_are_computed_later():
    n, p = dt.arange(6), dt.ones((6, 4)) / 4
    known = rng().multinomial(np.arange(6), np.ones((6, 4)) / 4).compute()
    np.testing.assert_array_equal(rng().multinomial(n, p).compute(), known)


def test_balls_by_colour():
    x = rng().multivariate_hypergeometric([5, 7, 9], 6, (50, 40)).compute()
    assert x.shape == (50, 40, 3)
    assert (x.sum(axis=2) == 6).all()
    np.testing.assert_allclose(x.mean(axis=(0, 1)), np.array([5, 7, 9]) * 6 / 21, atol=0.15)
    assert rng().multivariate_hypergeometric([3], 2).compute() == 2


@pytest.mark.parametrize("method", ["svd", "eigh", "cholesky"])
def test_covariances_are_those_asked_for(method):
    x = rng().multivariate_normal([1, 2, 3], COV, COUNT, method=method).compute()
    np.testing.assert_allclose(x.mean(axis=0), [1, 2, 3], atol=0.02)
    np.testing.assert_allclose(np.cov(x.T), COV, atol=0.05)
    factor = covariance_factor(COV, "raise", 1e-8, method)
    np.testing.assert_allclose(factor.T @ factor, COV, atol=1e-12)
    assert rng().multivariate_normal([1, 2, 3], COV, (2, 4), method=method).shape == (2, 4, 3)
    assert rng().multivariate_normal([1, 2, 3], COV).shape == (3,)


def test_what_is_no_covariance():
    for method in ("svd", "eigh"):
        with pytest.warns(RuntimeWarning, match="positive-semidefinite"):
            rng().multivariate_normal([0, 0], [[1, 2], [2, 1]], method=method)
        with pytest.raises(ValueError, match="positive-semidefinite"):
            rng().multivariate_normal([0, 0], [[1, 2], [2, 1]], 2, "raise", method=method)
        rng().multivariate_normal([0, 0], [[1, 2], [2, 1]], 2, "ignore", method=method)


REFUSED = [
    (lambda g: g.multinomial(-1, [0.5, 0.5]), ValueError, "n < 0"),
    (lambda g: g.multinomial(1, [0.6, 0.6, 0.2]), ValueError, "> 1.0"),
    (lambda g: g.multinomial(1, []), ValueError, "greater than 0"),
    (lambda g: g.multinomial(1, 0.5), ValueError, "at least 1 dimension"),
    (lambda g: g.multinomial([1, 2], [0.5, 0.5], 3), ValueError, "broadcast"),
    (lambda g: g.multinomial([1, 2], [0.5, 0.5], (2, 1)), ValueError, "not compatible"),
    (lambda g: g.multivariate_hypergeometric([1, -1], 1), ValueError, "nonnegative integers"),
    (lambda g: g.multivariate_hypergeometric([1, 1], 3), ValueError, "nsample > sum"),
    (lambda g: g.multivariate_hypergeometric([1, 1], -1), ValueError, "must be nonnegative"),
    (lambda g: g.multivariate_hypergeometric([10**9], 1), ValueError, "less than"),
    (lambda g: g.multivariate_hypergeometric([1], 1, method="no"), ValueError, "method must"),
    (lambda g: g.multivariate_hypergeometric(dt.ones(2, "i8"), 1), TypeError, "compute"),
    (lambda g: g.multivariate_normal([0], COV), ValueError, "same length"),
    (lambda g: g.multivariate_normal([0, 0], [1, 2]), ValueError, "2 dimensional and square"),
    (lambda g: g.multivariate_normal([[0]], [[1]]), ValueError, "1 dimensional"),
    (lambda g: g.multivariate_normal([0], [[1]], method="no"), ValueError, "method must"),
    (lambda g: g.multivariate_normal([0], dt.ones((1, 1))), TypeError, "cholesky"),
]


@pytest.mark.parametrize(("call", "error", "text"), REFUSED)
def test_what_numpy_refuses_is_refused_when_it_is_built(call, error, text):
    with pytest.raises(error, match=text):
        call(rng())
