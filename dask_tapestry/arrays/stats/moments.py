"""Central moments, skewness and kurtosis."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.amounts import integer
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.axis_names import names_axes
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.declared_arguments import checked
from dask_tapestry.arrays.stats.results import sample
from dask_tapestry.errors import ArgumentError
from dask_tapestry.operators.cells.where import where

__all__ = ["kurtosis", "moment", "skew"]


@names_axes
def moment(
    a: ArrayLike, moment: int = 1, axis: int | None = 0, nan_policy: str = "propagate"
) -> Array:
    """Return the mean of powers of the distances from the mean.

    {Parameters}
        {a.samples}
        moment: The power, an integer from 0 on.
        {axis.samples, nan_policy}
    {Returns} Array: Without the axis.
    {Raises} ValueError: If the power is negative.
    {Examples}
    >>> dt.stats.moment([1.0, 2.0, 3.0, 4.0], 2).compute()
    np.float64(1.25)
    """
    power = integer(moment)
    if power < 0:
        raise ArgumentError(f"moment {power}: the order must be a non-negative integer")
    x, along, _ = sample(a, axis, nan_policy)
    middle = x.mean(axis=along, keepdims=True)
    if power < 2:
        gap = (middle - middle).squeeze(along)
        return gap if power else gap + 1
    return powers(x - middle, power).mean(axis=along)


@checked
def skew(
    a: ArrayLike, axis: int | None = 0, bias: bool = True, nan_policy: str = "propagate"
) -> Array:
    """Return the skewness of samples: 0 where both sides of the mean are alike.

    {Parameters}
        {a.samples, axis.samples}
        bias: Whether the samples' own moments are taken; else those that they are estimates of.
        {nan_policy}
    {Returns} Array: Without the axis; NaN where all cells are equal.
    {See Also} kurtosis, skewtest
    {Examples}
    >>> bool(dt.stats.skew([1.0, 2.0, 3.0]) == 0)
    True
    """
    x, along, n = sample(a, axis, nan_policy)
    second, third = _two_moments(x, along, 3)
    value = third / second**1.5
    if not bias and n > 2:
        value = value * (np.sqrt((n - 1.0) * n) / (n - 2.0))
    return value


@checked
def kurtosis(
    a: ArrayLike,
    axis: int | None = 0,
    fisher: bool = True,
    bias: bool = True,
    nan_policy: str = "propagate",
) -> Array:
    """Return the kurtosis of samples: how much of them lies far from the mean.

    {Parameters}
        {a.samples, axis.samples}
        fisher: Whether 3 is subtracted, so that normal samples have 0.
        bias: Whether the samples' own moments are taken; else those that they are estimates of.
        {nan_policy}
    {Returns} Array: Without the axis; NaN where all cells are equal.
    {See Also} skew, kurtosistest
    {Examples}
    >>> dt.stats.kurtosis([1.0, 2.0, 3.0, 4.0], fisher=False).compute()
    np.float64(1.64)
    """
    x, along, n = sample(a, axis, nan_policy)
    second, fourth = _two_moments(x, along, 4)
    value = fourth / (second * second)
    if not bias and n > 3:
        value = ((n * n - 1.0) * value - 3 * (n - 1.0) ** 2) / ((n - 2.0) * (n - 3.0)) + 3
    return value - 3 if fisher else value


def powers(x: Array, power: int) -> Array:
    """Integer powers by products, squares first."""
    value: Any = None
    while power:
        if power % 2:
            value = x if value is None else value * x
        power //= 2
        x = x * x if power else x
    return asarray(value)


def _two_moments(x: Array, axis: int, power: int) -> tuple[Array, Array]:
    """The second moment, NaN where it is nothing but rounding, and another one."""
    middle = x.mean(axis=axis, keepdims=True)
    off = x - middle
    second = (off * off).mean(axis=axis)
    least = (middle * np.finfo(x.dtype).resolution).squeeze(axis)
    flat = second <= least * least
    nan = (second * np.nan).node
    return Array(where(flat.node, nan, second.node)), powers(off, power).mean(axis=axis)
