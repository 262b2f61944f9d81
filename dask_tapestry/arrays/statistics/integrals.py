"""Integrals of samples, and phases without jumps: `trapezoid`, `unwrap`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.elementwise.where_and_clip import where
from dask_tapestry.arrays.statistics.differences import diff
from dask_tapestry.arrays.statistics.reductions import sum as total
from dask_tapestry.arrays.statistics.scans import cumsum
from dask_tapestry.operators.axes import normalize_axis
from dask_tapestry.operators.joins.concat import concat

__all__ = ["trapezoid", "unwrap"]


@implements(np.trapezoid)
def trapezoid(
    y: ArrayLike, x: ArrayLike | None = None, dx: ArrayLike = 1.0, axis: int = -1
) -> Array:
    """Integrate samples along an axis by the trapezoidal rule, as `numpy.trapezoid`.

    {Parameters}
        y: Samples.
        x: Where they were taken: a vector, or an array as `y`; by default `dx` apart.
        dx: Distance of the samples.
        axis: Axis to integrate along.
    {Returns} Array: Without `axis`.
    {Raises} ShapeError: If `x` does not fit `y`.
    {See Also} cumulative_sum, gradient
    {Examples}
    >>> dt.trapezoid([1.0, 2.0, 4.0], x=[0, 1, 3]).compute()
    np.float64(7.5)
    """
    samples = asarray(y)
    number = normalize_axis(axis, samples.ndim)
    before, after = _neighbours(samples, number)
    width: Any = dx if x is None else _widths(asarray(x), samples.ndim, number)
    return total(width * (after + before) / 2.0, axis=number)


def _widths(x: Array, rank: int, axis: int) -> Array:
    """Distances of neighbours, to broadcast with samples of a rank."""
    if x.ndim != 1:
        return diff(x, axis=axis)
    return diff(x).reshape([-1 if d == axis else 1 for d in range(rank)])


def _neighbours(x: Array, axis: int) -> tuple[Array, Array]:
    """All cells but the last along `axis`, and all but the first."""
    rest = (slice(None),) * axis
    return x[(*rest, slice(None, -1))], x[(*rest, slice(1, None))]


@implements(np.unwrap)
def unwrap(
    p: ArrayLike, discont: float | None = None, axis: int = -1, *, period: float = 2 * np.pi
) -> Array:
    """Take jumps of more than half a period out of phases, as `numpy.unwrap`.

    {Parameters}
        p: Phases.
        discont: What counts as a jump; by default, and at least, half of `period`.
        axis: Axis to go along.
        period: What phases repeat after; of whole numbers phases stay so.
    {Returns} Array: Of the shape of `p`; neighbours differ by multiples of `period` less.
    {Examples}
    >>> dt.unwrap([1, 5, 1, 6], period=8).compute()
    array([ 1,  5,  1, -2])
    """
    phases = asarray(p)
    number = normalize_axis(axis, phases.ndim)
    steps = diff(phases, axis=number)
    dtype = np.result_type(np.empty(0, steps.dtype), period)
    if dtype.kind in "iu":
        half, odd = divmod(period, 2)
    else:
        half, odd = period / 2, 0
    short = (steps + half) % period - half
    if not odd:  # half a period up is not half a period down
        short = where((short == -half) & (steps > 0), half, short)
    least = period / 2 if discont is None else discont
    turns = where(abs(steps) < least, 0, short - steps)
    first = (slice(None),) * number
    begin, rest = phases[(*first, slice(None, 1))], _neighbours(phases, number)[1]
    whole = [begin.astype(dtype), (rest + cumsum(turns, axis=number)).astype(dtype)]
    return Array(concat([part.node for part in whole], number))
