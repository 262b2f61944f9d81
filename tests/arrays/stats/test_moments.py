import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.stats.moments import powers

X = np.random.default_rng(5).gamma(2, size=(300, 4))


def central(x, power, axis=0):
    return ((x - x.mean(axis, keepdims=True)) ** power).mean(axis)


@pytest.mark.parametrize("power", range(6))
@pytest.mark.parametrize("axis", [0, -1])
def test_moments_are_means_of_powers(power, axis, shardings):
    found = dt.stats.moment(X, power, axis)
    whole = found.compute()
    expected = np.zeros_like(central(X, 1, axis)) if power == 1 else central(X, power, axis)
    np.testing.assert_allclose(whole, expected, rtol=1e-12, atol=1e-13)
    with shardings.tiny(4096):
        np.testing.assert_array_equal(found.compute(), whole)


def test_moments_of_all_cells_and_of_other_dtypes():
    assert np.isclose(dt.stats.moment(X, 3, None).compute(), central(X.ravel(), 3))
    assert dt.stats.moment(X.astype("f4"), 2).dtype == np.float32
    assert dt.stats.moment([1, 2, 3, 4], 2).compute() == 1.25
    assert np.isnan(dt.stats.moment([1.0, np.nan], 1).compute())
    for power, error in ((-1, ValueError), (1.5, TypeError)):
        with pytest.raises(error):
            dt.stats.moment(X, power)


def test_skewness_and_kurtosis():
    skewed = central(X, 3) / central(X, 2) ** 1.5
    peaked = central(X, 4) / central(X, 2) ** 2
    np.testing.assert_allclose(dt.stats.skew(X).compute(), skewed, rtol=1e-12)
    np.testing.assert_allclose(dt.stats.kurtosis(X).compute(), peaked - 3, rtol=1e-12)
    n = len(X)
    np.testing.assert_allclose(
        dt.stats.skew(X, bias=False).compute(), skewed * (n * (n - 1)) ** 0.5 / (n - 2), rtol=1e-12
    )
    unbiased = ((n + 1) * (peaked - 3) + 6) * (n - 1) / ((n - 2) * (n - 3))
    np.testing.assert_allclose(dt.stats.kurtosis(X, bias=False).compute(), unbiased, rtol=1e-10)
    for function in (dt.stats.skew, dt.stats.kurtosis):
        assert np.isnan(function(np.full(9, 0.1)).compute())


def test_powers_are_products():
    x = dt.asarray(np.arange(4.0))
    for power in range(1, 8):
        np.testing.assert_array_equal(powers(x, power).compute(), np.arange(4.0) ** power)
