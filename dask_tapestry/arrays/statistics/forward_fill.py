"""Forward fill of missing cells by the last one before them: `push`."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.amounts import integer
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.axis_names import names_axes
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.creation.filled import full
from dask_tapestry.arrays.elementwise.predicates import isnull, notnull
from dask_tapestry.arrays.elementwise.where_and_clip import where
from dask_tapestry.arrays.statistics.scans import cummax
from dask_tapestry.arrays.tuning import CELLS_A_LIMIT
from dask_tapestry.errors import ArgumentError
from dask_tapestry.operators.axes import normalize_axis
from dask_tapestry.operators.generators.coordinates import coordinates
from dask_tapestry.operators.joins.concat import concat
from dask_tapestry.operators.scans.scan import scan_later

__all__ = ["push"]


@names_axes
def push(array: ArrayLike, n: int | None, axis: int) -> Array:
    """Fill NaN with the last cell before it along an axis that is not NaN, as ``bottleneck.push``.

    {Parameters}
        array: The array; NaT is filled too.
        n: The most cells in a row that are filled; None fills all.
        {axis.one}
    {Returns} Array: Shape and dtype of `array`. Cells before the first that is not NaN stay.
    {Raises}
        ArgumentError: For a negative `n`.
        {AxisError}
    {See Also} dask.array.push
    {Examples}
    >>> x = dt.asarray([dt.nan, 1, dt.nan, dt.nan, 2])
    >>> dt.push(x, None, 0).compute(), dt.push(x, 1, 0).compute()
    (array([nan,  1.,  1.,  1.,  2.]), array([nan,  1.,  1., nan,  2.]))
    """
    x = asarray(array)
    number = normalize_axis(axis, x.ndim)
    if n is not None and integer(n) < 0:
        raise ArgumentError(f"n must be the most cells to fill, not {n}")
    if x.dtype.kind not in "fcmM" or not x.size:
        return x
    if n is not None and n <= x.shape[number] // CELLS_A_LIMIT:
        return _from_nearby(x, integer(n), number)
    filled = Array(scan_later(x.node, number))
    if n is None:
        return filled
    here = Array(coordinates(x.shape, number))
    last = cummax(where(notnull(x), here, -1), number)
    return where(here - last <= n, filled, x)


def _from_nearby(x: Array, n: int, axis: int) -> Array:
    """... by moves that reach twice as far each time: a block reads `n` cells before its own."""
    reach = 0
    while reach < n:
        step = min(reach + 1, n - reach)  # what is this far back was filled from `reach` before it
        x = where(isnull(x), _moved(x, step, axis), x)
        reach += step
    return x


def _moved(x: Array, step: int, axis: int) -> Array:
    """The cells `step` further along an axis, after some that are missing."""
    before = [step if a == axis else n for a, n in enumerate(x.shape)]
    null = np.array("NaT" if x.dtype.kind in "mM" else np.nan, x.dtype)
    kept = x[(slice(None),) * axis + (slice(x.shape[axis] - step),)]
    return Array(concat([full(before, null, x.dtype).node, kept.node], axis))
