import numpy as np
import pytest

import dask_tapestry as dt

from .samples import COUNT, deviates, rng

MOMENTS = {
    "poisson": ((4.0,), 4, 4),
    "binomial": ((10, 0.3), 3, 2.1),
    "negative_binomial": ((5.0, 0.5), 5, 10),
    "geometric": ((0.25,), 4, 12),
    "hypergeometric": ((20, 30, 8), 3.2, 8 * 0.24 * 42 / 49),
    "logseries": ((0.5,), 0.5 / np.log(2) / 0.5, 0.8),
    "zipf": ((6.0,), 1.0193, 0.026),
}


@pytest.mark.parametrize("name", MOMENTS)
def test_moments(name):
    given, mean, variance = MOMENTS[name]
    x = getattr(rng(), name)(*given, size=COUNT).compute()
    assert x.dtype == np.int64
    assert abs(x.mean() - mean) < 6 * (variance / COUNT) ** 0.5
    assert abs(x.var() / variance - 1) < 0.3


def test_trials_until_a_success():
    x = rng().geometric(0.4, COUNT).compute()
    share = 0.4 * 0.6 ** np.arange(9)
    counts = np.bincount(np.minimum(x - 1, 9), minlength=10)
    assert deviates(counts, COUNT * np.append(share, 1 - share.sum())) < 5
    assert (rng().geometric(1.0, 9).compute() == 1).all()
    assert (rng().geometric(1e-300, 9).compute() > 2**62).all()
    lazy = rng().geometric(dt.asarray(np.array([0.4])), COUNT)
    np.testing.assert_array_equal(lazy.compute(), x)
