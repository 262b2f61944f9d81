"""xarray's windows that reach back to the first cell, as those of `cumulative`: running totals.

xarray views each window whole and reduces it, so that n cells are read n times. A running total is
the same value of the cells up to each one. A variance is a total too: the k-th cell `x` adds
`(x - m) ** 2 * k / (k - 1)` to the sum of squares about the mean, where `m` is the mean of the
first `k` (Welford's step). No step is negative: no digits cancel but those that the mean lacks.
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
SPREADS: Final[Mapping[Function, float]] = MappingProxyType(
    {  # the power of a variance that each is
        getattr(duck_array_ops, name): power
        for name, power in (("var", 1.0), ("std", 0.5))
        if hasattr(duck_array_ops, name)
    }
)


def running_reductions(reduce: Function) -> Function:
    """Xarray's `reduce` of an array's windows."""

    @wraps(reduce)
    def reduced(self: Any, func: Function, keep_attrs: bool | None = None, **options: Any) -> Any:
        totals = _totals(self, func, options) if _reach_back(self) else None
        if totals is None:
            return reduce(self, func, keep_attrs=keep_attrs, **options)
        first = self.obj.isel({dim: slice(1) for dim in self.dim})
        alone = first.rolling(dict.fromkeys(self.dim, 1), min_periods=self.min_periods)
        example = reduce(alone, func, keep_attrs=keep_attrs, **options)
        found = totals.where(self._counts(keep_attrs=False) >= self.min_periods)
        cells = found.variable.astype(example.dtype, keep_attrs=False)
        return self.obj._replace(variable=cells._replace(attrs=example.attrs))

    return reduced


def _totals(rolling: Any, func: Function, options: Mapping[str, Any]) -> Any:
    """What a function makes of all cells up to each; None if no totals tell it."""
    scan, power = RUNNING.get(func), SPREADS.get(func)
    if scan is not None and "fillna" in options and options.get("skipna") is False:
        return _scanned(rolling, rolling.obj.fillna(options["fillna"]), scan)
    real = rolling.obj.dtype.kind in "iuf" and len(rolling.dim) == 1
    if power is None or not real or options.keys() - {"ddof", "sliding_window_view_kwargs"}:
        return None
    return _running_variance(rolling, options.get("ddof", 0)) ** power


def _running_variance(rolling: Any, ddof: int) -> Any:
    """The variance of all cells up to each one, in double precision."""
    known, counts = rolling.obj.notnull(), rolling._counts(keep_attrs=False)
    cells = rolling.obj.astype(np.float64)
    mean = _scanned(rolling, cells.fillna(0), cumsum) / counts.where(counts > 0)
    share = counts / (counts - 1).where(counts > 1)
    step = ((cells - mean) ** 2 * share).where(known & (counts > 1), 0)
    left = counts - ddof
    return _scanned(rolling, step, cumsum) / left.where(left > 0)


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
