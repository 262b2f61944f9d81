"""Order statistics of windows: `median_filter`, `percentile_filter`, `rank_filter`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.amounts import integer, real
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.axis_names import names_axes
from dask_tapestry.arrays.ndimage.arguments import Output, given_out, operand, result_dtype
from dask_tapestry.arrays.ndimage.boundary import padded
from dask_tapestry.arrays.ndimage.extremes import extreme_of
from dask_tapestry.arrays.ndimage.filter_error import FilterError
from dask_tapestry.arrays.ndimage.footprints import Footprint, footprint_of
from dask_tapestry.operators.cells.elementwise import astype
from dask_tapestry.operators.windows.window_rank import window_rank
from dask_tapestry_kernels.parameters.casts import from_double

__all__ = ["median_filter", "percentile_filter", "rank_filter"]

Axes = int | Iterable[int] | None


@names_axes
def rank_filter(
    input: ArrayLike,
    rank: int,
    size: int | Sequence[int] | None = None,
    footprint: ArrayLike | None = None,
    output: Output = None,
    mode: str | Sequence[str] = "reflect",
    cval: float = 0.0,
    origin: int | Sequence[int] = 0,
    *,
    axes: Axes = None,
) -> Array:
    """Cell of one rank of windows, as `scipy.ndimage.rank_filter`.

    A window with a NaN has NaN; SciPy's depends on where it is.

    {Parameters}
        input, size, footprint, output, mode, origin, axes: As of `minimum_filter`.
        cval: As of `correlate1d`, converted to the dtype of `input`.
        rank: From 0, the least cell; from -1, the greatest, downwards.
    {Returns} Array: Shape of `input`.
    {Raises}
        FilterError: For a rank that windows do not have, and as `minimum_filter` does.
        ArgumentError, AxisError, DTypeError: As `minimum_filter` does.
    {Examples}
    >>> dt.ndimage.rank_filter(dt.asarray([2, 8, 0, 4, 1, 9, 9, 0]), rank=1, size=3).compute()
    array([2, 2, 4, 1, 4, 9, 9, 0])
    """
    function, array = "rank_filter", operand("rank_filter", input)
    seen = footprint_of(function, size, footprint, mode, origin, axes, array.ndim)
    return _ranked(function, array, integer(rank), seen, output, cval)


@names_axes
def median_filter(
    input: ArrayLike,
    size: int | Sequence[int] | None = None,
    footprint: ArrayLike | None = None,
    output: Output = None,
    mode: str | Sequence[str] = "reflect",
    cval: float = 0.0,
    origin: int | Sequence[int] = 0,
    *,
    axes: Axes = None,
) -> Array:
    """Median of windows, as `scipy.ndimage.median_filter`: of an even number, the upper one.

    {Parameters} input, size, footprint, output, mode, cval, origin, axes: As of `minimum_filter`.
    {Returns} Array: Shape of `input`.
    {Raises} FilterError, ArgumentError, AxisError, DTypeError: As `minimum_filter` does.
    {Examples}
    >>> dt.ndimage.median_filter(dt.asarray([2, 8, 0, 4, 1, 9, 9, 0]), size=3).compute()
    array([2, 2, 4, 1, 4, 9, 9, 0])
    """
    function, array = "median_filter", operand("median_filter", input)
    seen = footprint_of(function, size, footprint, mode, origin, axes, array.ndim)
    return _ranked(function, array, seen.cells // 2, seen, output, cval)


@names_axes
def percentile_filter(
    input: ArrayLike,
    percentile: float,
    size: int | Sequence[int] | None = None,
    footprint: ArrayLike | None = None,
    output: Output = None,
    mode: str | Sequence[str] = "reflect",
    cval: float = 0.0,
    origin: int | Sequence[int] = 0,
    *,
    axes: Axes = None,
) -> Array:
    """Percentile of windows, as `scipy.ndimage.percentile_filter`: a cell, never between two.

    {Parameters}
        input, size, footprint, output, mode, cval, origin, axes: As of `minimum_filter`.
        percentile: From 0, the least cell, to 100; from -100 to 0 it is that much less than 100.
    {Returns} Array: Shape of `input`.
    {Raises}
        FilterError: For a percentile that is none, and as `minimum_filter` does.
        ArgumentError, AxisError, DTypeError: As `minimum_filter` does.
    {Examples}
    >>> x = dt.asarray([2, 8, 0, 4, 1, 9, 9, 0])
    >>> dt.ndimage.percentile_filter(x, 20, size=5).compute()
    array([2, 2, 1, 1, 1, 1, 0, 0])
    """
    function, array = "percentile_filter", operand("percentile_filter", input)
    neighbourhood = footprint_of(function, size, footprint, mode, origin, axes, array.ndim)
    share = real(f"{function}: percentile", percentile)
    share = share + 100.0 if share < 0 else share
    if not 0 <= share <= 100:
        raise FilterError(
            f"{function}: invalid percentile {percentile!r}: it must be between -100 and 100"
        )
    rank = (
        neighbourhood.cells - 1 if share == 100 else int(float(neighbourhood.cells) * share / 100.0)
    )
    return _ranked(function, array, rank, neighbourhood, output, cval)


def _ranked(
    function: str, x: Array, rank: int, seen: Footprint, output: Output, cval: Any
) -> Array:
    number = rank + seen.cells if rank < 0 else rank
    if not 0 <= number < seen.cells:
        raise FilterError(
            f"{function}: rank not within filter footprint size: {rank} of {seen.cells} cells"
        )
    dtype, fill = result_dtype(function, output, x.dtype), real(f"{function}: cval", cval)
    cell = float(from_double(np.array(fill), x.dtype))
    if number in (0, seen.cells - 1):
        filtered = extreme_of(x.node, seen, "maximum" if number else "minimum", fill, dtype)
    elif x.size:
        framed = padded(x.node, seen.reach, seen.modes, cell)
        filtered = window_rank(framed, seen.window, number, seen.places, dtype)
    else:
        filtered = astype(x.node, dtype)
    return given_out(output, filtered)
