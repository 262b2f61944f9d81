"""Tests of whether samples are normal; their p-values need no other library."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.axis_names import names_axes
from dask_tapestry.arrays.elementwise.special import erfc
from dask_tapestry.arrays.elementwise.ufuncs import arcsinh, cbrt, exp, sign
from dask_tapestry.arrays.stats.moments import kurtosis, skew
from dask_tapestry.arrays.stats.results import Significance, sample
from dask_tapestry.errors import ArgumentError

__all__ = ["kurtosistest", "normaltest", "skewtest"]
LEAST_SKEWED, LEAST_PEAKED = 8, 5  # samples that the approximations need


@names_axes
def skewtest(a: ArrayLike, axis: int | None = 0, nan_policy: str = "propagate") -> Significance:
    """Test whether the skewness of samples is that of a normal distribution.

    {Parameters}
        a: Samples, 8 or more along the axis.
        {axis.samples, nan_policy}
    {Returns} Significance: The z-score, and the probability of one as far from 0.
    {Raises} ValueError: For fewer samples.
    {See Also} skew, normaltest
    {Examples}
    >>> bool(dt.stats.skewtest([1, 2, 3, 4, 5, 6, 7, 80]).compute().pvalue < 0.01)
    True
    """
    x, along, count = sample(a, axis, nan_policy)
    if count < LEAST_SKEWED:
        raise ArgumentError(f"skewtest needs {LEAST_SKEWED} samples or more, not {count}")
    n = float(count)
    scaled = skew(x, along) * np.sqrt((n + 1) * (n + 3) / (6 * (n - 2)))
    peak = 3 * (n * n + 27 * n - 70) * (n + 1) * (n + 3)
    peak /= (n - 2) * (n + 5) * (n + 7) * (n + 9)
    width = np.sqrt(2 * (peak - 1)) - 1
    z = arcsinh(scaled / np.sqrt(2 / (width - 1))) / np.sqrt(0.5 * np.log(width))
    return Significance(z, two_sided(z))


@names_axes
def kurtosistest(a: ArrayLike, axis: int | None = 0, nan_policy: str = "propagate") -> Significance:
    """Test whether the kurtosis of samples is that of a normal distribution.

    {Parameters}
        a: Samples, 5 or more along the axis.
        {axis.samples, nan_policy}
    {Returns} Significance: The z-score, and the probability of one as far from 0.
    {Raises} ValueError: For fewer samples.

    Notes
    -----
    Source: Anscombe and Glynn, "Distribution of the kurtosis statistic b2 for normal samples",
    Biometrika 70 (1983).

    {See Also} kurtosis, normaltest

    Examples
    --------
    >>> import numpy as np, dask_tapestry as dt
    >>> bool(dt.stats.kurtosistest(np.arange(100)).compute().pvalue < 0.01)
    True
    """
    x, along, count = sample(a, axis, nan_policy)
    if count < LEAST_PEAKED:
        raise ArgumentError(f"kurtosistest needs {LEAST_PEAKED} samples or more, not {count}")
    n = float(count)
    variance = 24 * n * (n - 2) * (n - 3) / ((n + 1) ** 2 * (n + 3) * (n + 5))
    scaled = (kurtosis(x, along, fisher=False) - 3 * (n - 1) / (n + 1)) / np.sqrt(variance)
    root = 6 * (n * n - 5 * n + 2) / ((n + 7) * (n + 9))
    root *= np.sqrt(6 * (n + 3) * (n + 5) / (n * (n - 2) * (n - 3)))
    a_ = 6 + 8 / root * (2 / root + np.sqrt(1 + 4 / root**2))
    below = 1 + scaled * np.sqrt(2 / (a_ - 4))
    bent = sign(below) * cbrt((1 - 2 / a_) / abs(below))
    z = (1 - 2 / (9 * a_) - bent) / np.sqrt(2 / (9 * a_))
    return Significance(z, two_sided(z))


@names_axes
def normaltest(a: ArrayLike, axis: int | None = 0, nan_policy: str = "propagate") -> Significance:
    """Test whether samples are normal, by their skewness and kurtosis together.

    {Parameters}
        a: Samples, 8 or more along the axis.
        {axis.samples, nan_policy}
    {Returns} Significance: The sum of the squares of both z-scores, and the probability of a larger
        one.
    {Raises} ValueError: For fewer samples.
    {See Also} skewtest, kurtosistest
    {Examples}
    >>> x = dt.random.default_rng(0).exponential(size=1000)
    >>> bool(dt.stats.normaltest(x).compute().pvalue < 1e-6)
    True
    """
    first = skewtest(a, axis, nan_policy).statistic
    second = kurtosistest(a, axis, nan_policy).statistic
    total = first * first + second * second
    return Significance(total, exp(total * -0.5))  # of chi-square with two degrees of freedom


def two_sided(z: Array) -> Array:
    """The probability that a normal number is as far from 0 as `z`."""
    return erfc(abs(z) * np.sqrt(0.5))
