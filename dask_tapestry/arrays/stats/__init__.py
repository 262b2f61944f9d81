"""Statistical tests, by the names and arguments of `dask.array.stats`: lazy, by our reductions.

Statistics are computed by this library alone. The p-values of tests that look at t, F and
chi-square distributions take their functions from SciPy: ``pip install dask_tapestry[stats]``.

Examples
--------
>>> import dask_tapestry as dt
>>> x = dt.random.default_rng(0).normal(size=10_000)
>>> bool(dt.stats.normaltest(x).compute().pvalue > 0.01)
True
"""

from dask_tapestry.arrays.core.docstrings import write_out
from dask_tapestry.arrays.stats.frequencies import *
from dask_tapestry.arrays.stats.mean_tests import *
from dask_tapestry.arrays.stats.moments import *
from dask_tapestry.arrays.stats.normality import *

__all__ = [
    "chisquare",
    "f_oneway",
    "kurtosis",
    "kurtosistest",
    "moment",
    "normaltest",
    "power_divergence",
    "skew",
    "skewtest",
    "ttest_1samp",
    "ttest_ind",
    "ttest_rel",
]

write_out(__name__)
