import sys

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.stats.results import Significance, Special, sample, special


def test_both_are_computed_together():
    found = Significance(dt.ones(3).sum(), dt.zeros(2)).compute()
    assert found.statistic == 3
    assert isinstance(found.pvalue, np.ndarray)


def test_without_scipy_the_way_out_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy", None)
    monkeypatch.setitem(sys.modules, "scipy.special", None)
    with pytest.raises(ImportError, match=r"pip install dask_tapestry\[stats\]"):
        dt.stats.ttest_1samp(np.arange(5), 0)
    dt.stats.skewtest(np.arange(9))


def test_functions_broadcast(monkeypatch):
    module = type(sys)("scipy.special")
    module.stdtr = np.add
    monkeypatch.setitem(sys.modules, "scipy.special", module)
    assert special("stdtr", 2, np.arange(3)).compute().tolist() == [2, 3, 4]
    assert Special("stdtr")(np.ones(1), np.ones(1)) == 2


def test_samples_are_real():
    x, axis, count = sample([[1, 2, 3]], None)
    assert (x.shape, x.dtype, axis, count) == ((3,), np.float64, 0, 3)
    with pytest.raises(dt.DTypeError, match="real numbers"):
        sample([1j], 0)
    with pytest.raises(NotImplementedError, match="nan_policy"):
        sample([1.0], 0, "omit")
