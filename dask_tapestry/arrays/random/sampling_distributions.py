"""Distributions of statistics of normal samples: chi-square, F and t."""

from __future__ import annotations

from numpy.typing import ArrayLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.chunks import Chunks
from dask_tapestry.arrays.core.shape_arguments import Shape
from dask_tapestry.arrays.random.bounds import NOT_NEGATIVE, POSITIVE, real_parameter
from dask_tapestry.arrays.random.distributions import in_chunks
from dask_tapestry.arrays.random.gammas import GammaVariates


class SamplingDistributions(GammaVariates):
    """Chi-square, F and t: methods have the names and arguments of NumPy's."""

    def chisquare(
        self,
        df: ArrayLike,
        size: Shape | None = None,
        chunks: Chunks = None,
    ) -> Array:
        """Return numbers of the chi-square distribution: sums of squares of normal numbers.

        {Parameters}
            df: Degrees of freedom, a number or an array.
            {size, chunks}
        {Returns} Array: Of shape `size`, float64.
        {Raises} ValueError: If a `df` is not positive; where parameters are computed later, then.
        {See Also} noncentral_chisquare
        {Examples}
        >>> dt.random.default_rng(0).chisquare(4, 3).shape
        (3,)
        """
        parameters = (real_parameter(df, "df", POSITIVE),)
        return in_chunks(self._variates("chisquare", size, *parameters), chunks)

    def noncentral_chisquare(
        self,
        df: ArrayLike,
        nonc: ArrayLike,
        size: Shape | None = None,
        chunks: Chunks = None,
    ) -> Array:
        """Return numbers of the chi-square distribution that is not centred.

        {Parameters}
            df: Degrees of freedom, a number or an array.
            nonc: The sum of squares of the means, a number or an array.
            {size, chunks}
        {Returns} Array: Of shape `size`, float64.
        {Raises} ValueError: If a `df` is not positive, or a `nonc` negative; where parameters are
            computed later, then.
        {See Also} chisquare
        {Examples}
        >>> dt.random.default_rng(0).noncentral_chisquare(4, 1, 3).shape
        (3,)
        """
        parameters = (
            real_parameter(df, "df", POSITIVE),
            real_parameter(nonc, "nonc", NOT_NEGATIVE),
        )
        return in_chunks(self._variates("noncentral_chisquare", size, *parameters), chunks)

    def f(
        self,
        dfnum: ArrayLike,
        dfden: ArrayLike,
        size: Shape | None = None,
        chunks: Chunks = None,
    ) -> Array:
        """Return numbers of the F distribution: quotients of two chi-square means.

        {Parameters}
            dfnum, dfden: Degrees of freedom above and below, numbers or arrays.
            {size, chunks}
        {Returns} Array: Of shape `size`, float64.
        {Raises} {ValueError.positive}
        {See Also} noncentral_f
        {Examples}
        >>> dt.random.default_rng(0).f(4, 7, 3).shape
        (3,)
        """
        parameters = (
            real_parameter(dfnum, "dfnum", POSITIVE),
            real_parameter(dfden, "dfden", POSITIVE),
        )
        return in_chunks(self._variates("f", size, *parameters), chunks)

    def noncentral_f(
        self,
        dfnum: ArrayLike,
        dfden: ArrayLike,
        nonc: ArrayLike,
        size: Shape | None = None,
        chunks: Chunks = None,
    ) -> Array:
        """Return numbers of the F distribution of which the upper part is not centred.

        {Parameters}
            dfnum, dfden: Degrees of freedom above and below, numbers or arrays.
            nonc: The sum of squares of the means above, a number or an array.
            {size, chunks}
        {Returns} Array: Of shape `size`, float64.
        {Raises} ValueError: If degrees of freedom are not positive, or a `nonc` negative; where
            parameters are computed later, then.
        {See Also} f
        {Examples}
        >>> dt.random.default_rng(0).noncentral_f(4, 7, 1, 3).shape
        (3,)
        """
        parameters = (
            real_parameter(dfnum, "dfnum", POSITIVE),
            real_parameter(dfden, "dfden", POSITIVE),
            real_parameter(nonc, "nonc", NOT_NEGATIVE),
        )
        return in_chunks(self._variates("noncentral_f", size, *parameters), chunks)

    def standard_t(
        self,
        df: ArrayLike,
        size: Shape | None = None,
        chunks: Chunks = None,
    ) -> Array:
        """Return numbers of Student's t distribution.

        {Parameters}
            df: Degrees of freedom, a number or an array.
            {size, chunks}
        {Returns} Array: Of shape `size`, float64.
        {Raises} ValueError: If a `df` is not positive; where parameters are computed later, then.
        {Examples}
        >>> dt.random.default_rng(0).standard_t(4, 3).shape
        (3,)
        """
        parameters = (real_parameter(df, "df", POSITIVE),)
        return in_chunks(self._variates("standard_t", size, *parameters), chunks)
