"""Windows of cells folded to one: `max_pool`, `sum_pool`, `avg_pool`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.nn.spatial_arguments import Padding, PerAxis, padded, pads, per_axis
from dask_tapestry.arrays.statistics.averages import mean
from dask_tapestry.arrays.statistics.extremes import max as largest
from dask_tapestry.arrays.statistics.reductions import sum as total
from dask_tapestry.cells.fixed_dtype import dtype_name
from dask_tapestry.errors import DTypeError, ShapeError
from dask_tapestry.operators.views.windows import windows
from dask_tapestry.teg import Tensor

__all__ = ["avg_pool", "max_pool", "sum_pool"]


def max_pool(
    x: ArrayLike, window: PerAxis, *, strides: PerAxis | None = None, padding: Padding = 0
) -> Array:
    """Take the greatest cell of each window of space.

    {Parameters}
        {x.images, window, strides.windows}
        padding: Cells before and after that are never the greatest, as of `conv`; fewer than a
            window has.
    {Returns} Array: Shape (batch, channels, windows...) and dtype of `x`; NaN where a window has
        one. Cells after the last whole window are left out.
    {Raises}
        ShapeError: If there is no dimension of space, a window does not fit, or one may have no
            cell.
        {ArgumentError.small, DTypeError.numbers}
    {See Also} avg_pool, sum_pool, conv
    {Examples}
    >>> dt.nn.max_pool(dt.arange(16).reshape(1, 1, 4, 4), 2).compute()
    array([[[[ 5,  7],
             [13, 15]]]])
    """
    cells = asarray(x).node
    fill = _least(cells.type.dtype)
    return largest(*_windows("max_pool", cells, window, strides, padding, fill))


def sum_pool(
    x: ArrayLike, window: PerAxis, *, strides: PerAxis | None = None, padding: Padding = 0
) -> Array:
    """Add up the cells of each window of space.

    {Parameters}
        {x.images, window, strides.windows}
        padding: Zeros before and after, as of `conv`.
    {Returns} Array: Shape (batch, channels, windows...), dtype and bits of `dt.sum` of windows: the
        same for every sharding.
    {Raises}
        ShapeError: If there is no dimension of space, or a window does not fit.
        {ArgumentError.small, DTypeError.numbers}
    {See Also} avg_pool, max_pool, conv
    {Examples}
    >>> dt.nn.sum_pool(dt.ones((1, 1, 5)), 3, strides=1, padding=1).compute()
    array([[[2., 3., 3., 3., 2.]]])
    """
    return total(*_windows("sum_pool", asarray(x).node, window, strides, padding))


def avg_pool(
    x: ArrayLike, window: PerAxis, *, strides: PerAxis | None = None, padding: Padding = 0
) -> Array:
    """Take the mean of each window of space; zeros that pad it count as its cells.

    {Parameters}
        {x.images, window, strides.windows}
        padding: Zeros before and after, as of `conv`. Every sum is divided by the cells of a whole
            window; to leave the zeros out, divide `sum_pool` of `x` by that of ones.
    {Returns} Array: Shape (batch, channels, windows...), dtype and bits of `dt.mean` of windows:
        the same for every sharding.
    {Raises}
        ShapeError: If there is no dimension of space, or a window does not fit.
        {ArgumentError.small, DTypeError.numbers}
    {See Also} sum_pool, max_pool, conv
    {Examples}
    >>> dt.nn.avg_pool(dt.arange(6).reshape(1, 1, 6), 2).compute()
    array([[[0.5, 2.5, 4.5]]])
    """
    return mean(*_windows("avg_pool", asarray(x).node, window, strides, padding))


def _windows(
    name: str,
    x: Tensor,
    window: PerAxis,
    strides: PerAxis | None,
    padding: Padding,
    fill: Any = 0,
) -> tuple[Array, tuple[int, ...]]:
    """The windows of `x`, a view, and the axes along which they are folded.

    An operator of its own, which folded windows along one dimension after the other, was as fast
    for windows of 2 and 3 cells and took half as long again for those of 7.
    """
    rank = x.type.ndim - 2
    if x.type.dtype.kind not in "biufc":
        raise DTypeError(f"{name} takes numbers, not cells of dtype {dtype_name(x.type.dtype)}")
    if rank < 1:
        raise ShapeError(f"{name} takes x (batch, channels, space...), not {x.type}")
    sides = per_axis("window", window, rank)
    pace = sides if strides is None else per_axis("strides", strides, rank)
    widths = pads(padding, x.type.shape[2:], sides, pace, (1,) * rank)
    if name == "max_pool" and any(max(p) >= w for p, w in zip(widths, sides, strict=True)):
        raise ShapeError(f"max_pool of {x.type}: windows {sides} may lie in the padding {widths}")
    around = padded(x, widths, "zeros", fill)
    for axis, (w, s) in enumerate(zip(sides, pace, strict=True), start=2):
        if w > around.type.shape[axis]:
            raise ShapeError(f"{name} of {x.type}, padding {widths}: no window {sides} fits")
        around = windows(around, axis, w, s)
    return Array(around), tuple(range(-rank, 0))


def _least(dtype: np.dtype[Any]) -> Any:
    """What is never greater than a cell; 0 of a dtype that is refused."""
    if dtype.kind in "fc":
        return -np.inf if dtype.kind == "f" else complex(-np.inf, -np.inf)
    return np.iinfo(dtype).min if dtype.kind in "iu" else 0
