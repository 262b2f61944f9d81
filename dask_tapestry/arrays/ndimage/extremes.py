"""Extremes of windows: `minimum_filter`, `maximum_filter`, and both along one axis."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.amounts import real
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.axis_names import names_axes
from dask_tapestry.arrays.ndimage.arguments import Output, given_out, operand, result_dtype
from dask_tapestry.arrays.ndimage.boundary import padded
from dask_tapestry.arrays.ndimage.footprints import Footprint, footprint_of
from dask_tapestry.operators.axes import normalize_axis
from dask_tapestry.operators.cells.elementwise import astype
from dask_tapestry.operators.windows.window_extreme import Extreme, window_extreme
from dask_tapestry.operators.windows.window_fold import window_fold
from dask_tapestry.teg import Tensor

__all__ = ["maximum_filter", "maximum_filter1d", "minimum_filter", "minimum_filter1d"]

Axes = int | Iterable[int] | None


@names_axes
def minimum_filter1d(
    input: ArrayLike,
    size: int,
    axis: int = -1,
    output: Output = None,
    mode: str = "reflect",
    cval: float = 0.0,
    origin: int = 0,
) -> Array:
    """Least cell of the windows along an axis, as `scipy.ndimage.minimum_filter1d`.

    A window with a NaN has NaN; SciPy's depends on where it is.

    {Parameters}
        input, axis, output, mode, cval, origin: As of `correlate1d`, of real numbers.
        size: Cells of a window.
    {Returns} Array: Shape of `input`.
    {Raises} FilterError, ArgumentError, AxisError, DTypeError: As `uniform_filter1d` does, and for
        complex cells.
    {Examples}
    >>> dt.ndimage.minimum_filter1d(dt.asarray([2, 8, 0, 4, 1, 9, 9, 0]), size=3).compute()
    array([2, 0, 0, 0, 1, 1, 0, 0])
    """
    return _line("minimum_filter1d", "minimum", input, size, axis, output, mode, cval, origin)


@names_axes
def maximum_filter1d(
    input: ArrayLike,
    size: int,
    axis: int = -1,
    output: Output = None,
    mode: str = "reflect",
    cval: float = 0.0,
    origin: int = 0,
) -> Array:
    """Greatest cell of the windows along an axis, as `scipy.ndimage.maximum_filter1d`.

    {Parameters} input, size, axis, output, mode, cval, origin: As of `minimum_filter1d`.
    {Returns} Array: Shape of `input`.
    {Raises} FilterError, ArgumentError, AxisError, DTypeError: As `minimum_filter1d` does.
    {Examples}
    >>> dt.ndimage.maximum_filter1d(dt.asarray([2, 8, 0, 4, 1, 9, 9, 0]), size=3).compute()
    array([8, 8, 8, 4, 9, 9, 9, 9])
    """
    return _line("maximum_filter1d", "maximum", input, size, axis, output, mode, cval, origin)


@names_axes
def minimum_filter(
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
    """Least cell of windows, as `scipy.ndimage.minimum_filter`.

    {Parameters}
        input, output, cval: As of `minimum_filter1d`.
        size: Cells of a window, one number for all axes or one each.
        footprint: Which cells of a window count, instead of `size`: as many dimensions as there are
            axes.
        mode, origin: As of `correlate1d`, one for all axes or one each.
        axes: Along which windows reach; None for all.
    {Returns} Array: Shape of `input`.
    {Raises} FilterError, ArgumentError, AxisError, DTypeError: As `minimum_filter1d` does; also for
        a footprint that does not fit or has no cell.
    {Examples}
    >>> x = dt.asarray([[5, 2, 9], [4, 7, 1]])
    >>> dt.ndimage.minimum_filter(x, footprint=[[0, 1, 0], [1, 1, 1], [0, 1, 0]]).compute()
    array([[2, 2, 1],
           [4, 1, 1]])
    """
    return box_extreme(
        "minimum_filter", "minimum", input, size, footprint, output, mode, cval, origin, axes
    )


@names_axes
def maximum_filter(
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
    """Greatest cell of windows, as `scipy.ndimage.maximum_filter`.

    {Parameters} input, size, footprint, output, mode, cval, origin, axes: As of `minimum_filter`.
    {Returns} Array: Shape of `input`.
    {Raises} FilterError, ArgumentError, AxisError, DTypeError: As `minimum_filter` does.
    {Examples}
    >>> dt.ndimage.maximum_filter(dt.asarray([[5, 2, 9], [4, 7, 1]]), size=(1, 3)).compute()
    array([[5, 9, 9],
           [7, 7, 7]])
    """
    return box_extreme(
        "maximum_filter", "maximum", input, size, footprint, output, mode, cval, origin, axes
    )


def _line(
    function: str,
    fold: Extreme,
    x: ArrayLike,
    size: int,
    axis: int,
    output: Output,
    mode: str,
    cval: float,
    origin: int,
) -> Array:
    array = operand(function, x)
    along = normalize_axis(axis, array.ndim, f"{function}: axis")
    return box_extreme(function, fold, array, size, None, output, mode, cval, origin, along)


def box_extreme(
    function: str,
    fold: Extreme,
    x: ArrayLike,
    size: Any,
    footprint: ArrayLike | None,
    output: Output,
    mode: str | Sequence[str],
    cval: float,
    origin: int | Sequence[int],
    axes: Axes,
) -> Array:
    """The minimum or maximum of windows, for the `function` that errors name."""
    array = operand(function, x)
    seen = footprint_of(function, size, footprint, mode, origin, axes, array.ndim)
    dtype, fill = result_dtype(function, output, array.dtype), real(f"{function}: cval", cval)
    return given_out(output, extreme_of(array.node, seen, fold, fill, dtype))


def extreme_of(
    x: Tensor, seen: Footprint, fold: Extreme, cval: float, dtype: np.dtype[Any]
) -> Tensor:
    """The minimum or maximum of the cells of each window that count.

    A result of another dtype is converted after each axis, as SciPy's is.
    """
    if not x.type.size:
        return astype(x, dtype)
    if seen.places is not None:
        framed = padded(x, seen.reach, seen.modes, cval)
        return window_extreme(framed, seen.window, fold, seen.places, dtype=dtype)
    if x.type.dtype == dtype:
        framed = padded(x, seen.reach, seen.modes, cval)
        return window_fold(framed, seen.window, fold, dtype)
    wide = [axis for axis, n in enumerate(seen.window) if n > 1]
    for axis in wide:
        widths = [own if a == axis else (0, 0) for a, own in enumerate(seen.reach)]
        window = [n if a == axis else 1 for a, n in enumerate(seen.window)]
        x = window_fold(padded(x, widths, seen.modes, cval), window, fold, dtype)
    return x if wide else astype(x, dtype)
