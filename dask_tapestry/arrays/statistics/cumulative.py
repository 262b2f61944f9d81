"""Running sums and products as the Array API writes them: `cumulative_sum` and its kind."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.core.out_argument import assigned_to_out
from dask_tapestry.arrays.statistics.scans import scanned
from dask_tapestry.errors import ShapeError
from dask_tapestry.operators.cells.elementwise import scalar_of
from dask_tapestry.operators.generators.full import full
from dask_tapestry.operators.joins.concat import concat
from dask_tapestry.operators.views.reshape import reshape

__all__ = ["cumulative_prod", "cumulative_sum"]


IDENTITY = {"add": 0, "multiply": 1}


@implements(np.cumulative_sum)
def cumulative_sum(
    x: ArrayLike,
    /,
    *,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
    include_initial: bool = False,
) -> Array:
    """Return the running sum along `axis`, as `numpy.cumulative_sum`.

    {Parameters}
        {x.given}
        axis: Axis to go along; may be left out if there is one.
        {dtype.sum, out}
        include_initial: Put a zero first, the sum of no cells.
    {Returns} Array: Shape of `x`; one cell longer along `axis` if `include_initial`.
    {Raises} ShapeError: If `x` has several dimensions and no axis is given.
    {See Also} cumsum, cumulative_prod
    {Examples}
    >>> dt.cumulative_sum(dt.arange(1, 4), include_initial=True).compute()
    array([0, 1, 3, 6])
    """
    return _cumulative("add", x, axis, dtype, out, include_initial)


@implements(np.cumulative_prod)
def cumulative_prod(
    x: ArrayLike,
    /,
    *,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
    include_initial: bool = False,
) -> Array:
    """Return the running product along `axis`, as `numpy.cumulative_prod`.

    {Parameters}
        {x.given}
        axis: Axis to go along; may be left out if there is one.
        {dtype.product, out}
        include_initial: Put a one first, the product of no cells.
    {Returns} Array: Shape of `x`; one cell longer along `axis` if `include_initial`.
    {Raises} ShapeError: If `x` has several dimensions and no axis is given.
    {See Also} cumprod, cumulative_sum
    {Examples}
    >>> dt.cumulative_prod(dt.arange(1, 4), include_initial=True).compute()
    array([1, 1, 2, 6])
    """
    return _cumulative("multiply", x, axis, dtype, out, include_initial)


def _cumulative(
    function: str,
    x: ArrayLike,
    axis: int | None,
    dtype: DTypeLike | None,
    out: Array | None,
    include_initial: bool,
) -> Array:
    """Scan as the Array API's functions do: with an axis, and with an initial value if asked."""
    cells = asarray(x).node
    if not cells.type.ndim:
        cells = reshape(cells, (1,))
    if axis is None and cells.type.ndim > 1:
        raise ShapeError(
            "For arrays which have more than one dimension ``axis`` argument is required."
        )
    along = 0 if axis is None else axis
    if not include_initial:
        return scanned(function, cells, along, dtype, out)
    if dtype is None and isinstance(out, Array):
        dtype = out.dtype
    totals = scanned(function, cells, along, dtype).node
    shape = list(totals.type.shape)
    shape[along] = 1
    first = full(tuple(shape), scalar_of(IDENTITY[function], totals.type.dtype))
    return assigned_to_out(out, Array(concat([first, totals], along)))
