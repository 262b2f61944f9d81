"""`Generator`, `RandomState`, and functions of the one that the process shares."""

from __future__ import annotations

from typing import final

from numpy.typing import ArrayLike, DTypeLike

from dask_tapestry.array.core.array import Array
from dask_tapestry.array.core.chunks import Chunks
from dask_tapestry.array.core.shapes import Shape
from dask_tapestry.array.random.counts import RandomCounts
from dask_tapestry.array.random.integers import RandomIntegers
from dask_tapestry.array.random.multivariate import RandomVectors
from dask_tapestry.array.random.parameters import Draws, Seed
from dask_tapestry.array.random.sampling_distributions import SamplingDistributions

__all__ = [
    "Generator",
    "RandomState",
    "beta",
    "binomial",
    "chisquare",
    "choice",
    "default_rng",
    "dirichlet",
    "exponential",
    "f",
    "gamma",
    "geometric",
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
    "randint",
    "random",
    "random_sample",
    "rayleigh",
    "seed",
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
class Generator(SamplingDistributions, RandomCounts, RandomVectors, RandomIntegers):
    """Random arrays of one seed, as `numpy.random.Generator`.

    Parameters
    ----------
    seed
        An integer, integers, or a `numpy.random.SeedSequence`; None for a seed of the system's.

    See Also
    --------
    default_rng

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.random.Generator(5).normal(size=3).shape
    (3,)
    """

    def spawn(self, n_children: int) -> list[Generator]:
        """Return generators whose random numbers are independent of this one's.

        Parameters
        ----------
        n_children
            How many.

        Returns
        -------
        list of Generator
            The generators.

        Examples
        --------
        >>> import dask_tapestry as dt
        >>> len(dt.random.default_rng(0).spawn(3))
        3
        """
        return [Generator(child) for child in self._draws.seeds.spawn(n_children)]


@final
class RandomState(SamplingDistributions, RandomCounts, RandomVectors, RandomIntegers):
    """Random arrays of one seed, by the names of `numpy.random.RandomState`.

    Parameters
    ----------
    seed
        An integer, integers, or a `numpy.random.SeedSequence`; None for a seed of the system's.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.random.RandomState(5).randint(10, size=3).dtype
    dtype('int64')
    """

    def seed(self, seed: Seed = None) -> None:
        """Begin anew with the random numbers of `seed`.

        Parameters
        ----------
        seed
            An integer, integers, or a `numpy.random.SeedSequence`; None for a seed of the system's.

        Returns
        -------
        None

        Examples
        --------
        >>> import dask_tapestry as dt
        >>> dt.random.seed(1)
        >>> x = dt.random.random(3)
        >>> dt.random.seed(1)
        >>> bool((x == dt.random.random(3)).all())
        True
        """
        self._draws = Draws(seed)

    def random_sample(self, size: Shape | None = None, chunks: Chunks = None) -> Array:
        """Return numbers evenly distributed in ``[0, 1)``: the older name of `random`.

        Parameters
        ----------
        size
            Shape of the result; by default 0-d.
        chunks
            Nominal chunks, in any form that Dask takes; by default those of a canonical grid.

        Returns
        -------
        Array
            Of shape `size`, float64.

        Examples
        --------
        >>> import dask_tapestry as dt
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

        Parameters
        ----------
        low, high
            The bounds, integers or arrays of them; one bound is `high`, and `low` is 0.
        size
            Shape of the result; by default that of the parameters.
        dtype
            An integer dtype or bool.
        chunks
            Nominal chunks, in any form that Dask takes; by default those of a canonical grid.

        Returns
        -------
        Array
            Of shape `size`, in `dtype`.

        Raises
        ------
        ValueError
            If there is no such integer, or the bounds do not fit the dtype.

        Examples
        --------
        >>> import dask_tapestry as dt
        >>> int(dt.random.randint(3, size=100).max())
        2
        """
        return self.integers(low, high, size, dtype, chunks=chunks)


def default_rng(seed: Seed | Generator = None) -> Generator:
    """Return a generator of random arrays, as `numpy.random.default_rng`.

    Parameters
    ----------
    seed
        An integer, integers, or a `numpy.random.SeedSequence`; None for a seed of the system's;
        a generator is returned as it is.

    Returns
    -------
    Generator
        Generators of one seed give the same arrays, call by call.

    Raises
    ------
    TypeError, ValueError
        If it is no seed.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> a, b = (dt.random.default_rng(1).random(3) for _ in range(2))
    >>> bool((a == b).all())
    True
    """
    return seed if isinstance(seed, Generator) else Generator(seed)


_default = RandomState()
beta = _default.beta
binomial = _default.binomial
chisquare = _default.chisquare
choice = _default.choice
dirichlet = _default.dirichlet
exponential = _default.exponential
f = _default.f
gamma = _default.gamma
geometric = _default.geometric
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
randint = _default.randint
random = _default.random
random_sample = _default.random_sample
rayleigh = _default.rayleigh
seed = _default.seed
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
