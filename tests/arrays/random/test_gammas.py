import numpy as np
import pytest

from .samples import COUNT, rng

MOMENTS = {  # of which mean and variance
    "standard_gamma": ((2.5,), 2.5, 2.5),
    "gamma": ((2.0, 3.0), 6, 18),
    "beta": ((2.0, 3.0), 0.4, 0.04),
    "wald": ((2.0, 3.0), 2, 8 / 3),
    "vonmises": ((1.0, 1e4), 1, 1e-4),
}


@pytest.mark.parametrize("name", MOMENTS)
def test_moments(name):
    given, mean, variance = MOMENTS[name]
    x = getattr(rng(), name)(*given, size=COUNT).compute()
    assert x.dtype == np.float64
    assert abs(x.mean() - mean) < 5 * (variance / COUNT) ** 0.5
    assert abs(x.var() / variance - 1) < 0.1


@pytest.mark.parametrize("dtype", ["f2", "f4"])
def test_other_dtypes_are_rounded(dtype):
    double = rng().standard_gamma(2.5, 100).compute()
    found = rng().standard_gamma(2.5, 100, dtype).compute()
    np.testing.assert_array_equal(found, double.astype(dtype))
    with pytest.raises(TypeError, match="Unsupported dtype"):
        rng().standard_gamma(2.5, 3, "i4")


def test_parameters_broadcast():
    x = rng().gamma(np.ones((3, 1)), np.ones(4))
    assert x.shape == (3, 4)
    assert rng().beta(1, 2).shape == ()
    with pytest.raises(ValueError, match="broadcast"):
        rng().beta(np.ones(3), 2, size=(3, 2))
