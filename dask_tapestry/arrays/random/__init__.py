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

from typing import TYPE_CHECKING

from dask_tapestry.arrays.core.docstrings import write_out
from dask_tapestry.arrays.core.late_names import late_names
from dask_tapestry.arrays.random.generator import *

if TYPE_CHECKING:  # imported when one of its names is asked for
    from dask_tapestry.arrays.compatibility.random_state import *

__all__ = [
    "Generator",
    "RandomState",
    "beta",
    "binomial",
    "bytes",
    "chisquare",
    "choice",
    "default_rng",
    "dirichlet",
    "exponential",
    "f",
    "gamma",
    "geometric",
    "get_state",
    "gumbel",
    "hypergeometric",
    "integers",
    "laplace",
    "logistic",
    "lognormal",
    "logseries",
    "multinomial",
    "multivariate_normal",
    "negative_binomial",
    "noncentral_chisquare",
    "noncentral_f",
    "normal",
    "pareto",
    "permutation",
    "poisson",
    "power",
    "rand",
    "randint",
    "randn",
    "random",
    "random_integers",
    "random_sample",
    "ranf",
    "rayleigh",
    "sample",
    "seed",
    "set_state",
    "shuffle",
    "standard_cauchy",
    "standard_exponential",
    "standard_gamma",
    "standard_normal",
    "standard_t",
    "triangular",
    "uniform",
    "vonmises",
    "wald",
    "weibull",
    "zipf",
]

if not TYPE_CHECKING:
    __getattr__ = late_names("random", __all__)

    def __dir__() -> list[str]:
        """The public names, those that come late too."""
        return sorted({*globals(), *__all__})


write_out(__name__)
