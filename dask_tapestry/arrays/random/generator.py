"""`Generator`: random arrays of one seed."""

from __future__ import annotations

from typing import final

import numpy as np

from dask_tapestry.amounts import whole_number
from dask_tapestry.arrays.random.counts import RandomCounts
from dask_tapestry.arrays.random.multivariate import RandomVectors
from dask_tapestry.arrays.random.orders import RandomOrders
from dask_tapestry.arrays.random.sampling_distributions import SamplingDistributions
from dask_tapestry.arrays.random.seeds import Seed

__all__ = ["Generator", "default_rng"]


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
