"""xarray's `ffill` and `bfill`: missing cells filled here, without functions of blocks."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.statistics.forward_fill import push


def filling_here(fill: Callable[..., Any]) -> Callable[..., Any]:
    """Xarray's `push` of chunked arrays, which calls bottleneck's for each block."""

    @wraps(fill)
    def filled(array: Any, n: int | None, axis: int, **how: Any) -> Any:
        if not isinstance(array, Array):
            return fill(array, n, axis, **how)
        return push(array, None if n is None or n >= array.shape[axis] else n, axis)

    return filled
