"""Tests of whether means are equal: t-tests, and the analysis of variance."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.axis_names import names_axes
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.declared_arguments import checked
from dask_tapestry.arrays.elementwise.ufuncs import isnan, sqrt
from dask_tapestry.arrays.stats.results import Significance, sample, special
from dask_tapestry.errors import ArgumentTypeError, ShapeError
from dask_tapestry.operators.cells.where import where

__all__ = ["f_oneway", "ttest_1samp", "ttest_ind", "ttest_rel"]


@names_axes
def ttest_1samp(
    a: ArrayLike, popmean: ArrayLike, axis: int | None = 0, nan_policy: str = "propagate"
) -> Significance:
    """Test whether the mean of samples is `popmean`.

    {Parameters}
        {a.samples}
        popmean: The mean, a number or an array of the result's shape.
        {axis.samples, nan_policy}
    {Returns} Significance: The t statistic, and the probability of one as far from 0.
    {Raises} ImportError: Without SciPy.
    {See Also} ttest_ind, ttest_rel
    {Examples}
    >>> x = dt.random.default_rng(0).normal(5, 1, size=1000)
    >>> bool(dt.stats.ttest_1samp(x, 5.0).compute().pvalue > 0.01)  # doctest: +SKIP
    True
    """
    x, along, n = sample(a, axis, nan_policy)
    off = x.mean(axis=along) - asarray(popmean)
    return _of_t(off / sqrt(x.var(axis=along, ddof=1) / n), n - 1)


@names_axes
def ttest_rel(
    a: ArrayLike, b: ArrayLike, axis: int | None = 0, nan_policy: str = "propagate"
) -> Significance:
    """Test whether the means of two samples of pairs are equal.

    {Parameters}
        a, b: Samples, of one shape.
        {axis.samples, nan_policy}
    {Returns} Significance: The t statistic, and the probability of one as far from 0.
    {Raises}
        ShapeError: If there are not as many of either.
        ImportError: Without SciPy.
    {See Also} ttest_ind
    {Examples}
    >>> dt.stats.ttest_rel([1, 2, 3], [2, 3, 5]).compute().statistic  # doctest: +SKIP
    np.float64(-4.0)
    """
    x, along, n = sample(a, axis, nan_policy)
    y, _, m = sample(b, axis, nan_policy)
    if n != m:
        raise ShapeError(f"unequal length arrays: {n} and {m} samples are not pairs")
    return ttest_1samp(x - y, 0.0, along)


@checked
def ttest_ind(
    a: ArrayLike, b: ArrayLike, axis: int | None = 0, equal_var: bool = True
) -> Significance:
    """Test whether the means of two independent samples are equal.

    {Parameters}
        a, b: Samples, which may be of different lengths along the axis.
        {axis.samples}
        equal_var: Whether the variances of both are taken to be equal; else the test is Welch's.
    {Returns} Significance: The t statistic, and the probability of one as far from 0.
    {Raises} ImportError: Without SciPy.
    {See Also} ttest_rel, f_oneway
    {Examples}
    >>> dt.stats.ttest_ind([1, 2, 3], [1, 2, 3]).compute().statistic  # doctest: +SKIP
    np.float64(0.0)
    """
    x, first, n = sample(a, axis)
    y, second, m = sample(b, axis)
    variance_x, variance_y = x.var(axis=first, ddof=1), y.var(axis=second, ddof=1)
    freedom: Any = n + m - 2
    if equal_var:
        pooled = (variance_x * (n - 1) + variance_y * (m - 1)) / freedom
        with np.errstate(divide="ignore"):  # of samples without cells, which have no mean either
            error = sqrt(pooled * float(np.divide(1, n) + np.divide(1, m)))
    else:
        variance_x, variance_y = variance_x / n, variance_y / m
        error = sqrt(variance_x + variance_y)
        shared = (variance_x + variance_y) ** 2 / (
            variance_x * variance_x / (n - 1) + variance_y * variance_y / (m - 1)
        )
        alone = asarray(np.ones(())).node
        freedom = Array(where(isnan(shared).node, alone, shared.node))
    return _of_t((x.mean(axis=first) - y.mean(axis=second)) / error, freedom)


def f_oneway(*args: ArrayLike) -> Significance:
    """Test whether the means of several independent samples are equal.

    {Parameters} *args: Two or more samples along the first axis, which may be of different lengths.
    {Returns} Significance: The F statistic, and the probability of a larger one.
    {Raises}
        TypeError: For fewer than two samples.
        ImportError: Without SciPy.
    {See Also} ttest_ind
    {Examples}
    >>> dt.stats.f_oneway([1, 2, 3], [2, 3, 4]).compute().statistic  # doctest: +SKIP
    np.float64(1.5)
    """
    if len(args) < 2:
        raise ArgumentTypeError(f"at least two inputs are required; got {len(args)}")
    samples = [sample(one, 0)[0] for one in args]
    means = [x.mean(axis=0) for x in samples]
    count = sum(len(x) for x in samples)
    pairs = list(zip(samples, means, strict=True))
    middle: Any = sum(mean * (len(x) / count) for x, mean in pairs)
    between: Any = sum((mean - middle) ** 2 * len(x) for x, mean in pairs)
    within: Any = sum(((x - mean) ** 2).sum(axis=0) for x, mean in pairs)
    above, below = len(args) - 1, count - len(args)
    value = (between / above) / (within / below)
    return Significance(value, special("fdtrc", above, below, value))


def _of_t(t: Array, freedom: Any) -> Significance:
    """A t statistic with the probability of one as far from 0."""
    return Significance(t, special("stdtr", freedom, -abs(t)) * 2)
