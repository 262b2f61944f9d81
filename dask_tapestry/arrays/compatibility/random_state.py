"""`RandomState`, of older names of NumPy's, and functions of the one that the process shares."""

from __future__ import annotations

from typing import final

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.chunks import Chunks
from dask_tapestry.arrays.core.docstrings import write_out
from dask_tapestry.arrays.core.shape_arguments import Shape
from dask_tapestry.arrays.random.counts import RandomCounts
from dask_tapestry.arrays.random.multivariate import RandomVectors
from dask_tapestry.arrays.random.orders import RandomOrders
from dask_tapestry.arrays.random.sampling_distributions import SamplingDistributions
from dask_tapestry.arrays.random.seeds import Draws, Seed

__all__ = [
    "RandomState",
    "beta",
    "binomial",
    "bytes",
    "chisquare",
    "choice",
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
class RandomState(SamplingDistributions, RandomCounts, RandomVectors, RandomOrders):
    """Random arrays of one seed, by the names of `numpy.random.RandomState`.

    {Parameters} {seed}
    {Examples}
    >>> dt.random.RandomState(5).randint(10, size=3).dtype
    dtype('int64')
    """

    def seed(self, seed: Seed = None) -> None:
        """Begin anew with the random numbers of `seed`.

        {Parameters} {seed}
        {Returns} None
        {Examples}
        >>> dt.random.seed(1)
        >>> x = dt.random.random(3)
        >>> dt.random.seed(1)
        >>> bool((x == dt.random.random(3)).all())
        True
        """
        self._draws = Draws(seed)

    def random_sample(self, size: Shape | None = None, chunks: Chunks = None) -> Array:
        """Return numbers evenly distributed in ``[0, 1)``: the older name of `random`.

        {Parameters} {size.none, chunks}
        {Returns} Array: Of shape `size`, float64.
        {Examples}
        >>> dt.random.random_sample(4).shape
        (4,)
        """
        return self.random(size, chunks=chunks)

    def randint(
        self,
        low: ArrayLike,
        high: ArrayLike | None = None,
        size: Shape | None = None,
        dtype: DTypeLike | None = int,
        chunks: Chunks = None,
    ) -> Array:
        """Return integers from `low` to ``high - 1``: the older name of `integers`.

        {Parameters}
            low, high: The bounds, integers or arrays of them; one bound is `high`, and `low` is 0.
            {size}
            dtype: An integer dtype or bool.
            {chunks}
        {Returns} Array: Of shape `size`, in `dtype`.
        {Raises} ValueError: If there is no such integer, or the bounds do not fit the dtype.
        {Examples}
        >>> int(dt.random.randint(3, size=100).max())
        2
        """
        return self.integers(low, high, size, dtype, chunks=chunks)

    def rand(self, *args: int, chunks: Chunks = None) -> Array:
        """Return numbers evenly distributed in ``[0, 1)``; the shape is given as arguments.

        {Parameters}
            d0, d1, ...: Lengths of the result; none for 0-d.
            {chunks}
        {Returns} Array: Of that shape, float64.
        {Examples}
        >>> dt.random.rand(2, 3).shape
        (2, 3)
        """
        return self.random(args, chunks=chunks)

    def randn(self, *args: int, chunks: Chunks = None) -> Array:
        """Return normally distributed numbers; the shape is given as arguments.

        {Parameters}
            d0, d1, ...: Lengths of the result; none for 0-d.
            {chunks}
        {Returns} Array: Of that shape, float64.
        {Examples}
        >>> dt.random.randn(2, 3).shape
        (2, 3)
        """
        return self.standard_normal(args, chunks=chunks)

    def random_integers(
        self,
        low: ArrayLike,
        high: ArrayLike | None = None,
        size: Shape | None = None,
        chunks: Chunks = None,
    ) -> Array:
        """Return integers from `low` to `high`, or from 1 to `low`.

        {Parameters}
            low, high: The bounds, both of which may come out.
            {size.none, chunks}
        {Returns} Array: Of shape `size`, int64.
        {Examples}
        >>> int(dt.random.random_integers(3, size=100).min())
        1
        """
        least, most = (1, low) if high is None else (low, high)
        return self.integers(least, most, size, endpoint=True, chunks=chunks)

    def tomaxint(self, size: Shape | None = None, chunks: Chunks = None) -> Array:
        """Return integers from 0 to the largest of int64.

        {Parameters} {size.none, chunks}
        {Returns} Array: Of shape `size`, int64.
        {Examples}
        >>> bool(dt.random.RandomState(0).tomaxint() >= 0)
        True
        """
        return self.integers(0, np.iinfo(np.int64).max, size, endpoint=True, chunks=chunks)

    def get_state(self) -> Draws:
        """Return which random numbers come next, for `set_state`.

        {Returns} Draws: The seed and the number of calls made with it.
        {Examples}
        >>> state = dt.random.get_state()
        >>> x = dt.random.random(3)
        >>> dt.random.set_state(state)
        >>> bool((x == dt.random.random(3)).all())
        True
        """
        return self._draws.copy()

    def set_state(self, state: Draws) -> None:
        """Go on with the random numbers that came next when `get_state` was called.

        {Parameters} state: What it returned.
        {Returns} None
        {Examples}
        >>> rng = dt.random.RandomState(0)
        >>> rng.set_state(rng.get_state())
        """
        self._draws = state.copy()


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

write_out(__name__)
