from math import erfc, exp

import numpy as np
import pytest

import dask_tapestry as dt

X = np.array([3.1, -0.4, 0.2, 7.7, 1.0, -2.5, 0.3, 0.9, 4.2, 1.7])  # with scipy.stats 1.17:
SKEWED, PEAKED = 1.4698767647717648, 1.241789513752409


def test_scores_are_scipys():
    found = [getattr(dt.stats, n)(X).compute() for n in ("skewtest", "kurtosistest", "normaltest")]
    total = SKEWED**2 + PEAKED**2
    np.testing.assert_allclose([f.statistic for f in found], [SKEWED, PEAKED, total], rtol=1e-9)
    chances = [erfc(SKEWED / 2**0.5), erfc(PEAKED / 2**0.5), exp(-total / 2)]
    np.testing.assert_allclose([f.pvalue for f in found], chances, rtol=1e-8)


@pytest.mark.few(2)  # as unlike as so many can be
@pytest.mark.parametrize("name", ["skewtest", "kurtosistest", "normaltest"])
def test_scores_along_each_axis(name):
    x = np.random.default_rng(2).normal(size=(9, 12))
    test = getattr(dt.stats, name)
    rows = test(x, axis=1).compute()
    for n, row in enumerate(x):
        one = test(row).compute()
        np.testing.assert_allclose([rows.statistic[n], rows.pvalue[n]], one, rtol=1e-10)
    np.testing.assert_allclose(test(x, None).compute(), test(x.ravel()).compute())
    stats = pytest.importorskip("scipy.stats")
    np.testing.assert_allclose(test(x, 1).compute(), getattr(stats, name)(x, 1), rtol=1e-9)


def test_too_few_samples_are_refused():
    for name, least in (("skewtest", 8), ("kurtosistest", 5), ("normaltest", 8)):
        with pytest.raises(ValueError, match=f"needs {least} samples"):
            getattr(dt.stats, name)(np.arange(least - 1))
