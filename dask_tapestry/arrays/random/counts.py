"""Distributions of counts."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.chunks import Chunks
from dask_tapestry.arrays.core.shape_arguments import Shape
from dask_tapestry.arrays.random.bounds import (
    ABOVE_ONE,
    AT_LEAST_ZERO,
    FEW_BALLS,
    FEW_ENOUGH,
    MOST_EVENTS,
    NO_DEBT,
    NO_NAN,
    POSITIVE,
    POSITIVE_PROBABILITY,
    PROBABILITY,
    PROBABILITY_BELOW_ONE,
    Apply,
    checked_together,
    count_parameter,
    real_parameter,
)
from dask_tapestry.arrays.random.distributions import in_chunks
from dask_tapestry.arrays.random.gammas import GammaVariates
from dask_tapestry.arrays.random.parameters import output_shape
from dask_tapestry.operators.random import distributions


class RandomCounts(GammaVariates):
    """Distributions of counts: methods have the names and arguments of NumPy's."""

    def poisson(
        self,
        lam: ArrayLike = 1.0,
        size: Shape | None = None,
        chunks: Chunks = None,
    ) -> Array:
        """Return counts of events of which `lam` are expected.

        {Parameters}
            lam: The mean, a number or an array.
            {size, chunks}
        {Returns} Array: Of shape `size`, int64.
        {Raises} ValueError: If a mean is negative, no number, or too large for int64; where
            parameters are computed later, then.
        {Examples}
        >>> dt.random.default_rng(0).poisson(4, 3).shape
        (3,)
        """
        parameters = (real_parameter(lam, "lam", AT_LEAST_ZERO, FEW_ENOUGH),)
        return in_chunks(self._variates("poisson", size, *parameters), chunks)

    def binomial(
        self,
        n: ArrayLike,
        p: ArrayLike,
        size: Shape | None = None,
        chunks: Chunks = None,
    ) -> Array:
        """Return numbers of successes in `n` trials.

        {Parameters}
            n: Trials, an integer or an array of them.
            p: How likely a success is, a number or an array.
            {size, chunks}
        {Returns} Array: Of shape `size`, int64.
        {Raises} ValueError: If an `n` is negative, or a `p` no probability; where parameters are
            computed later, then.
        {See Also} multinomial, negative_binomial
        {Examples}
        >>> x = dt.random.default_rng(0).binomial(10, 0.5, size=10_000)
        >>> bool(abs(x.mean() - 5) < 0.1)
        True
        """
        trials = count_parameter(n, "n", NO_DEBT)
        return in_chunks(
            self._variates("binomial", size, trials, real_parameter(p, "p", PROBABILITY)), chunks
        )

    def negative_binomial(
        self,
        n: ArrayLike,
        p: ArrayLike,
        size: Shape | None = None,
        chunks: Chunks = None,
    ) -> Array:
        """Return numbers of failures before `n` successes.

        {Parameters}
            n: Successes, a number or an array.
            p: How likely a success is, a number or an array.
            {size, chunks}
        {Returns} Array: Of shape `size`, int64.
        {Raises} ValueError: If an `n` is not positive, or a `p` no probability above 0, or counts
            too large; where parameters are computed later, then.
        {See Also} binomial, geometric
        {Examples}
        >>> dt.random.default_rng(0).negative_binomial(5, 0.5, 3).shape
        (3,)
        """
        parameters = (
            real_parameter(n, "n", NO_NAN, POSITIVE),
            real_parameter(p, "p", POSITIVE_PROBABILITY),
        )
        text = "n too large or p too small: counts do not fit int64"
        checked = checked_together((n, p), parameters, _fits, text)
        return in_chunks(self._variates("negative_binomial", size, *checked), chunks)

    def geometric(
        self,
        p: ArrayLike,
        size: Shape | None = None,
        chunks: Chunks = None,
    ) -> Array:
        """Return numbers of trials until the first success.

        {Parameters}
            p: How likely a success is, a number or an array.
            {size, chunks}
        {Returns} Array: Of shape `size`, int64.
        {Raises} ValueError: If a `p` is no probability above 0; where parameters are computed
            later, then.
        {See Also} negative_binomial
        {Examples}
        >>> dt.random.default_rng(0).geometric(0.25, 3).shape
        (3,)
        """
        share = real_parameter(p, "p", POSITIVE_PROBABILITY)
        shape = output_shape(size, share)
        return in_chunks(distributions.geometric(shape, self._draws.next(), share), chunks)

    def hypergeometric(
        self,
        ngood: ArrayLike,
        nbad: ArrayLike,
        nsample: ArrayLike,
        size: Shape | None = None,
        chunks: Chunks = None,
    ) -> Array:
        """Return numbers of good ones among `nsample` that are drawn without replacement.

        {Parameters}
            ngood, nbad: How many there are of either kind, integers or arrays of them, below 10**9.
            nsample: How many are drawn, an integer or an array of them.
            {size, chunks}
        {Returns} Array: Of shape `size`, int64.
        {Raises} ValueError: If a number is negative or too large; where parameters are computed
            later, then.
        {See Also} multivariate_hypergeometric
        {Examples}
        >>> dt.random.default_rng(0).hypergeometric(10, 20, 5, 3).shape
        (3,)
        """
        arguments = (ngood, nbad, nsample)
        parameters = (
            count_parameter(ngood, "ngood", NO_DEBT, FEW_BALLS),
            count_parameter(nbad, "nbad", NO_DEBT, FEW_BALLS),
            count_parameter(nsample, "nsample", NO_DEBT),
        )
        checked = checked_together(arguments, parameters, _enough, "ngood + nbad < nsample")
        return in_chunks(self._variates("hypergeometric", size, *checked), chunks)

    def logseries(
        self,
        p: ArrayLike,
        size: Shape | None = None,
        chunks: Chunks = None,
    ) -> Array:
        """Return integers from 1 on of the logarithmic distribution.

        {Parameters}
            p: The parameter, from 0 to below 1, a number or an array.
            {size, chunks}
        {Returns} Array: Of shape `size`, int64.
        {Raises} ValueError: If a `p` is out of its range; where parameters are computed later,
            then.
        {Examples}
        >>> dt.random.default_rng(0).logseries(0.5, 3).shape
        (3,)
        """
        parameters = (real_parameter(p, "p", PROBABILITY_BELOW_ONE),)
        return in_chunks(self._variates("logseries", size, *parameters), chunks)

    def zipf(
        self,
        a: ArrayLike,
        size: Shape | None = None,
        chunks: Chunks = None,
    ) -> Array:
        """Return integers from 1 on, of which k has a probability as ``k**-a``.

        {Parameters}
            a: The exponent, above 1, a number or an array.
            {size, chunks}
        {Returns} Array: Of shape `size`, int64.
        {Raises} ValueError: If an `a` is not above 1; where parameters are computed later, then.
        {Examples}
        >>> dt.random.default_rng(0).zipf(2, 3).shape
        (3,)
        """
        parameters = (real_parameter(a, "a", ABOVE_ONE),)
        return in_chunks(self._variates("zipf", size, *parameters), chunks)


def _fits(apply: Apply, n: Any, p: Any) -> Any:
    """Whether numbers of failures that are far above the expected one fit int64."""
    mean = apply("multiply", apply("divide", apply("subtract", 1.0, p), p), n)
    far = apply("multiply", apply("sqrt", apply("divide", mean, p)), 10.0)
    return apply("less_equal", apply("add", mean, far), MOST_EVENTS)


def _enough(apply: Apply, good: Any, bad: Any, drawn: Any) -> Any:
    """Whether there are as many as are drawn."""
    return apply("greater_equal", apply("add", good, bad), drawn)
