"""Random arrays: every cell is a function of seed, call and coordinate.

So a cell has one value however the array is cut, sliced or computed again. The same seed and the
same calls give the same arrays, but not NumPy's: the distributions are made of the random bits by
other formulas.

Examples
--------
>>> import dask_tapestry as dt
>>> x = dt.random.default_rng(7).normal(size=(1000, 1000))
>>> again = dt.random.default_rng(7).normal(size=(1000, 1000))
>>> bool((x[::100, 5] == again.rechunk(100)[::100, 5]).all())
True
"""

from dask_tapestry.array.random.generator import *

__all__ = [
    "Generator",
    "RandomState",
    "choice",
    "default_rng",
    "exponential",
    "gumbel",
    "integers",
    "laplace",
    "logistic",
    "lognormal",
    "normal",
    "pareto",
    "permutation",
    "power",
    "randint",
    "random",
    "random_sample",
    "rayleigh",
    "seed",
    "standard_cauchy",
    "standard_exponential",
    "standard_normal",
    "triangular",
    "uniform",
    "weibull",
]
