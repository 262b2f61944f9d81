"""xarray's windows that reach back to the first cell, as those of `cumulative`: running totals.

xarray views each window whole and reduces it, so that n cells are read n times. A running total is
the same value of the cells up to each one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from types import MappingProxyType
from typing import Any, Final

import numpy as np
from xarray.core import duck_array_ops

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.statistics.scans import cummax, cummin, cumprod, cumsum

Function = Callable[..., Any]
BY_NAME: Final = (("sum", cumsum), ("prod", cumprod), ("max", cummax), ("min", cummin))
RUNNING: Final[Mapping[Function, Function]] = MappingProxyType(
    {  # they are xarray's own, and may move
        getattr(duck_array_ops, name): running
        for name, running in BY_NAME
        if hasattr(duck_array_ops, name)
    }
)


def running_reductions(reduce: Function) -> Function:
    """Xarray's `reduce` of an array's windows."""

    @wraps(reduce)
    def reduced(self: Any, func: Function, keep_attrs: bool | None = None, **options: Any) -> Any:
        scan = RUNNING.get(func) if options.get("skipna") is False else None
        if scan is None or "fillna" not in options or not _reach_back(self):
            return reduce(self, func, keep_attrs=keep_attrs, **options)
        first = self.obj.isel({dim: slice(1) for dim in self.dim})
        alone = first.rolling(dict.fromkeys(self.dim, 1), min_periods=self.min_periods)
        example = reduce(alone, func, keep_attrs=keep_attrs, **options)
        totals = _scanned(self, self.obj.fillna(options["fillna"]), scan)
        found = totals.where(self._counts(keep_attrs=False) >= self.min_periods)
        cells = found.variable.astype(example.dtype, keep_attrs=False)
        return self.obj._replace(variable=cells._replace(attrs=example.attrs))

    return reduced


def running_counts(counts: Function) -> Function:
    """Xarray's count of what an array's windows hold that is not missing."""

    @wraps(counts)
    def counted(self: Any, keep_attrs: bool | None) -> Any:
        if not _reach_back(self):
            return counts(self, keep_attrs)
        return _scanned(self, self.obj.notnull(keep_attrs=keep_attrs), cumsum)

    return counted


def _reach_back(rolling: Any) -> bool:
    """Whether each window begins at the first cell or before, of an array of this library."""
    if not isinstance(rolling.obj.variable._data, Array) or any(rolling.center):
        return False
    sides = zip(rolling.dim, rolling.window, strict=True)
    return all(window >= rolling.obj.sizes[dim] > 1 for dim, window in sides)


def _scanned(rolling: Any, cells: Any, scan: Function) -> Any:
    """Running totals along the dimensions of windows; sums of floats in double precision."""
    found = cells.data
    if scan in (cumsum, cumprod) and found.dtype.kind == "f":
        found = found.astype(np.result_type(found.dtype, np.float64))
    for dim in rolling.dim:
        found = scan(found, axis=cells.get_axis_num(dim))
    return cells.copy(data=found)
