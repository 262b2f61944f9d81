"""Fits of polynomials to points, by least squares: `polyfit`."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.amounts import integer
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.creation.matrices import vander
from dask_tapestry.arrays.linalg.products import matmul
from dask_tapestry.arrays.linalg.singular_values import lstsq
from dask_tapestry.arrays.linalg.solving import inv
from dask_tapestry.arrays.statistics.reductions import sum as total
from dask_tapestry.errors import ArgumentError, ArgumentTypeError

__all__ = ["polyfit"]


@implements(np.polyfit)
def polyfit(
    x: ArrayLike,
    y: ArrayLike,
    deg: int,
    rcond: float | None = None,
    full: bool = False,
    w: ArrayLike | None = None,
    cov: bool | Literal["unscaled"] = False,
) -> Any:
    """Return the polynomial that lies nearest to points, as `numpy.polyfit`.

    Points that do not determine it are no warning, as that would be known when it is computed:
    `full` gives the rank.

    {Parameters}
        x: Where the points lie, a vector.
        y: Their values, a vector, or a matrix with a column for each polynomial.
        deg: The degree.
        rcond: Singular values up to this times the largest count as zero; by default the number of
            points times the distance of 1 to the next number.
        full: Whether to return what `numpy.linalg.lstsq` does as well.
        w: Weights of the points, as of their distances.
        cov: Whether to return the covariance of the coefficients too; ``"unscaled"`` takes the
            weights for the reciprocals of known deviations.
    {Returns} Array or tuple: The coefficients, that of the highest power first, of shape
        (deg + 1,) or (deg + 1, k); with `full` also residuals, rank, singular values and `rcond`,
        else with `cov` the covariance.
    {Raises}
        ArgumentError: For a negative degree, or too few points for a scaled covariance.
        ArgumentTypeError: For shapes that do not fit together, and no points.
    {See Also} polyval, linalg.lstsq
    {Examples}
    >>> x = dt.arange(100_000.0)
    >>> dt.polyfit(x, 2 * x + 1, 1).compute().round(6)
    array([2., 1.])
    """
    order = integer(deg) + 1
    at, values = asarray(x) + 0.0, asarray(y) + 0.0
    _check(order, at, values)
    weights = None if w is None else asarray(w) + 0.0
    share = at.size * np.finfo(at.dtype).eps if rcond is None else rcond
    powers = vander(at, order)
    if weights is not None:
        if weights.ndim != 1:
            raise ArgumentTypeError("expected a 1-d array for weights")
        if weights.shape[0] != at.size:
            raise ArgumentTypeError("expected w and y to have the same length")
        powers = powers * weights[:, None]
        values = values * (weights[:, None] if values.ndim == 2 else weights)
    scale = total(powers * powers, axis=0) ** 0.5
    powers = powers / scale
    found, residuals, rank, singular = lstsq(powers, values, share)
    made = (found.T / scale).T
    if full:
        return made, residuals, rank, singular, share
    if not cov:
        return made
    spread = inv(matmul(powers.T, powers)) / (scale[:, None] * scale[None, :])
    return made, _scaled(spread, residuals, at.size - order, cov, values.ndim)


def _check(order: int, at: Array, values: Array) -> None:
    if order < 1:
        raise ArgumentError("expected deg >= 0")
    if at.ndim != 1:
        raise ArgumentTypeError("expected 1D vector for x")
    if not at.size:
        raise ArgumentTypeError("expected non-empty vector for x")
    if values.ndim not in (1, 2):
        raise ArgumentTypeError("expected 1D or 2D array for y")
    if values.shape[0] != at.shape[0]:
        raise ArgumentTypeError("expected x and y to have same length")


def _scaled(spread: Array, residuals: Array, free: int, cov: bool | str, ndim: int) -> Array:
    """The covariance, by how far the points lie from the polynomial unless it is ``"unscaled"``."""
    if cov == "unscaled":
        return spread if ndim == 1 else spread[:, :, None] * asarray(1.0)
    if free <= 0:
        raise ArgumentError(
            "the number of data points must exceed order to scale the covariance matrix"
        )
    factor = residuals / free
    return spread * factor if ndim == 1 else spread[:, :, None] * factor
