"""Means of times, of groups too, in whole units: exact, however far the times are from 1970.

Xarray's own computes the extremes of all times when it is called.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Final

import numpy as np
from xarray.core import duck_array_ops

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.elementwise.ufuncs import isnat
from dask_tapestry.arrays.elementwise.where_and_clip import where
from dask_tapestry.arrays.tuning import LOWER_BITS

Fold = Callable[[Array, str], Array]
MEAN: Final[Callable[..., Any]] = duck_array_ops.mean


@wraps(MEAN)
def mean(array: Any, axis: Any = None, skipna: bool | None = None, **options: Any) -> Any:
    """Xarray's mean of cells, lazy of times too."""
    is_ours = isinstance(array, Array) and array.dtype.kind in "mM" and array.size
    if not is_ours or options:
        return MEAN(array, axis=axis, skipna=skipna, **options)

    def fold(cells: Array, name: str) -> Array:
        found: Array = getattr(np, name)(cells, axis=axis)
        return found

    return mean_of_times(array, fold, (), skipna is not False)


def mean_of_times(x: Array, fold: Fold, axes: tuple[int, ...], skipna: bool) -> Array:
    """The means of datetimes or timedeltas by group, in their own units.

    A fraction is cut off towards the middle of the times of the group, as xarray does: the year of
    dates.

    {Parameters}
        x: Of dtype ``datetime64`` or ``timedelta64``.
        fold: Folds an array by group, by the function that a text names.
        axes: Where `fold` has the groups.
        skipna: Whether NaT is left out; else the mean of cells with one is NaT.
    {Returns} Array: Of the dtype of `x`; NaT for groups without cells.
    """
    known = ~isnat(x)
    units = where(known, x.astype(np.int64), 0)
    count = fold(known, "sum")
    cells = where(count > 0, count, 1)
    high, low = fold(units >> LOWER_BITS, "sum"), fold(units & (2**LOWER_BITS - 1), "sum")
    rest = ((high % cells) << LOWER_BITS) + low
    mean = ((high // cells) << LOWER_BITS) + rest // cells
    mean = where((mean < _middle(x, fold, axes)) & (rest % cells > 0), mean + 1, mean)
    has_mean = count > 0 if skipna else (count > 0) & fold(known, "all")
    return where(has_mean, mean.astype(x.dtype), np.array("NaT", x.dtype))


def _middle(x: Array, fold: Fold, axes: tuple[int, ...]) -> Array:
    """The unit in the middle of each group, of all its cells; of dates where its year begins."""
    years = "M8[Y]" if x.dtype.kind == "M" else x.dtype
    first, last = (
        _over_others(fold(x, f"nan{name}"), getattr(np, f"nan{name}"), axes)
        .astype(years)
        .astype(np.int64)
        for name in ("min", "max")
    )
    middle = first + (last - first) // 2
    return middle.astype(years).astype(x.dtype).astype(np.int64)


def _over_others(table: Array, reduce: Callable[..., Array], axes: tuple[int, ...]) -> Array:
    """A table reduced over all axes but some, which keep their places."""
    kept = {axis % table.ndim for axis in axes}
    return reduce(table, axis=tuple({*range(table.ndim)} - kept), keepdims=True)
