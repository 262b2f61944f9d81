"""`Generator`, `RandomState`, and functions of the one that the process shares."""

from __future__ import annotations

from typing import final

import numpy as np

from dask_tapestry.amounts import whole_number
from dask_tapestry.arrays.random.counts import RandomCounts
from dask_tapestry.arrays.random.legacy import RandomState
from dask_tapestry.arrays.random.multivariate import RandomVectors
from dask_tapestry.arrays.random.orders import RandomOrders
from dask_tapestry.arrays.random.parameters import Seed
from dask_tapestry.arrays.random.sampling_distributions import SamplingDistributions

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


@final
class Generator(SamplingDistributions, RandomCounts, RandomVectors, RandomOrders):
    """Random arrays of one seed, as `numpy.random.Generator`.

    {Parameters} seed: An integer, integers, a `numpy.random.SeedSequence`, or a generator of
        NumPy's, whose next 32 bytes are the seed; None for a seed of the system's.
    {See Also} default_rng
    {Examples}
    >>> dt.random.Generator(5).normal(size=3).shape
    (3,)
    """

    @property
    def bit_generator(self) -> np.random.Philox:
        """A generator of NumPy's with the key of which the random bits are made.

        Its state is its own: taking numbers from it changes none of ours.
        """
        return np.random.Philox(key=np.array(self._draws.key, np.uint64))

    def spawn(self, n_children: int) -> list[Generator]:
        """Return generators whose random numbers are independent of this one's.

        {Parameters} n_children: How many.
        {Returns} list of Generator: The generators.
        {Examples}
        >>> len(dt.random.default_rng(0).spawn(3))
        3
        """
        count = whole_number("n_children", n_children, 0)
        return [Generator(child) for child in self._draws.seeds.spawn(count)]


def default_rng(seed: Seed | Generator = None) -> Generator:
    """Return a generator of random arrays, as `numpy.random.default_rng`.

    {Parameters} seed: As of `Generator`; a `Generator` is returned as it is.
    {Returns} Generator: Generators of one seed give the same arrays, call by call.
    {Raises} TypeError, ValueError: If it is no seed.
    {Examples}
    >>> a, b = (dt.random.default_rng(1).random(3) for _ in range(2))
    >>> bool((a == b).all())
    True
    """
    return seed if isinstance(seed, Generator) else Generator(seed)


_default = RandomState()
beta = _default.beta
binomial = _default.binomial
bytes = _default.bytes
chisquare = _default.chisquare
choice = _default.choice
dirichlet = _default.dirichlet
exponential = _default.exponential
f = _default.f
gamma = _default.gamma
geometric = _default.geometric
get_state = _default.get_state
gumbel = _default.gumbel
hypergeometric = _default.hypergeometric
integers = _default.integers
laplace = _default.laplace
logistic = _default.logistic
lognormal = _default.lognormal
logseries = _default.logseries
multinomial = _default.multinomial
multivariate_normal = _default.multivariate_normal
negative_binomial = _default.negative_binomial
noncentral_chisquare = _default.noncentral_chisquare
noncentral_f = _default.noncentral_f
normal = _default.normal
pareto = _default.pareto
permutation = _default.permutation
poisson = _default.poisson
power = _default.power
rand = _default.rand
randint = _default.randint
randn = _default.randn
random = _default.random
random_integers = _default.random_integers
random_sample = _default.random_sample
ranf = _default.random_sample
rayleigh = _default.rayleigh
sample = _default.random_sample
seed = _default.seed
set_state = _default.set_state
shuffle = _default.shuffle
standard_cauchy = _default.standard_cauchy
standard_exponential = _default.standard_exponential
standard_gamma = _default.standard_gamma
standard_normal = _default.standard_normal
standard_t = _default.standard_t
triangular = _default.triangular
uniform = _default.uniform
vonmises = _default.vonmises
wald = _default.wald
weibull = _default.weibull
zipf = _default.zipf
