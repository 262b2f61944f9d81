from itertools import product

import numpy as np
import pytest

import dask_tapestry as dt
from tests.rules.alike_cells import names, require_numpys, stored


@pytest.fixture(scope="module")
def x(tmp_path_factory):
    return stored(tmp_path_factory.mktemp("stored") / "x")


@pytest.mark.parametrize("function", ["percentile", "nanpercentile"])
def test_percentiles_one_by_one_are_found_together(x, function):
    def written(numpy, x):
        return numpy.stack([getattr(numpy, function)(x, float(q), axis=0) for q in (5, 50, 90)])

    if function == "percentile":
        assert names(written(dt, x)).count("orderstatistics") == 1
    require_numpys(written, x)


def test_those_of_other_lanes_stay_apart(x):
    found = names(dt.median(x, axis=0), dt.median(x, axis=1), dt.quantile(x, 0.1, axis=0))
    assert found.count("orderstatistics") == 2


def test_ranks_that_lie_apart_are_taken():
    x = dt.asarray(np.random.default_rng(2).random((50, 3)))
    low, high = dt.quantile(x, [0.1, 0.9], axis=0), dt.median(x, axis=0)
    found = dt.compute(low, high)
    np.testing.assert_array_equal(found[0], np.quantile(x.compute(), [0.1, 0.9], axis=0))
    np.testing.assert_array_equal(found[1], np.median(x.compute(), axis=0))


def test_statistics_that_have_the_ranks_of_others_are_found_with_them():
    x = dt.asarray(np.random.default_rng(3).random((40, 3)))
    methods = ["nearest", "linear", "hazen", "lower", "midpoint"]
    for chosen in product(methods, repeat=2):
        asked = [dt.quantile(x, 0.3, axis=0, method=method) for method in chosen]
        assert names(*asked).count("orderstatistics") == 1
        for method, found in zip(chosen, dt.compute(*asked), strict=True):
            expected = np.quantile(x.compute(), 0.3, axis=0, method=method)
            np.testing.assert_allclose(found, expected, rtol=1e-14)
