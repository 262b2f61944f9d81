import numpy as np
import pytest

import dask_tapestry as dt

from .conftest import f_above, t_below

ONE = np.array([[1.0, 4.0], [2.0, 7.0], [6.0, 3.0]])
OTHER = np.array([[2.0, 4.0], [5.0, 1.0], [4.0, 4.5]])


def agrees(found, statistic, pvalue):
    values = found.compute()
    np.testing.assert_allclose(values.statistic, statistic, rtol=1e-12)
    np.testing.assert_allclose(values.pvalue, pvalue, rtol=1e-9)


def of_t(t):
    return t, 2 * t_below(2, -abs(t))


def test_the_mean_of_samples(special, shardings):
    t = (ONE.mean(0) - 2) / (ONE.std(0, ddof=1) / 3**0.5)
    agrees(dt.stats.ttest_1samp(ONE, 2.0), *of_t(t))
    with shardings.tiny(16):
        agrees(dt.stats.ttest_1samp(dt.asarray(ONE).T, [2.0, 2.0], axis=-1), *of_t(t))


def test_pairs(special):
    off = ONE - OTHER
    agrees(dt.stats.ttest_rel(ONE, OTHER), *of_t(off.mean(0) / (off.std(0, ddof=1) / 3**0.5)))
    with pytest.raises(ValueError, match="not pairs"):
        dt.stats.ttest_rel([1, 2, 3], [1, 2])


def test_independent_samples(special):
    a, b = ONE[:2], OTHER[1:]
    spread = (a.var(0, ddof=1) + b.var(0, ddof=1)) / 2
    agrees(dt.stats.ttest_ind(a, b), *of_t((a.mean(0) - b.mean(0)) / np.sqrt(spread)))
    alike = np.array([1.0, 3.0]), np.array([4.0, 6.0])
    agrees(dt.stats.ttest_ind(*alike, equal_var=False), *of_t(np.float64(-3 / 2**0.5)))


def test_several_samples(special):
    groups = [ONE[:, 0], ONE[:, 1], np.append(OTHER[:, 0], 9.0)]
    cells = np.concatenate(groups)
    between = sum(len(g) * (g.mean() - cells.mean()) ** 2 for g in groups)
    within = sum(((g - g.mean()) ** 2).sum() for g in groups)
    value = (between / 2) / (within / 7)
    agrees(dt.stats.f_oneway(*groups), value, f_above(2, 7, value))
    with pytest.raises(TypeError, match="at least two"):
        dt.stats.f_oneway(ONE)
