"""Resampling along each axis by itself: `zoom` and `shift`."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from warnings import warn

from numpy.typing import ArrayLike

from dask_tapestry.amounts import reading
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.ndimage.arguments import Output, for_each, given_out, result_dtype
from dask_tapestry.arrays.ndimage.filter_error import FilterError
from dask_tapestry.arrays.ndimage.interpolation_arguments import Interpolation, truth
from dask_tapestry.arrays.ndimage.splines import DType
from dask_tapestry.operators.cells.elementwise import astype
from dask_tapestry.operators.images.resample import resample
from dask_tapestry.teg import Tensor
from dask_tapestry_kernels.parameters.splines import SplineAxis

__all__ = ["shift", "zoom"]


def zoom(
    input: ArrayLike,
    zoom: float | Sequence[float],
    output: Output = None,
    order: int = 3,
    mode: str = "constant",
    cval: complex = 0.0,
    prefilter: bool = True,
    *,
    grid_mode: bool = False,
) -> Array:
    """Interpolate an array on a finer or a coarser grid, as `scipy.ndimage.zoom`.

    A block, or a slice, of the result reads the cells near its own; those of a spline that is found
    first (`prefilter`) are whole lines.

    {Parameters}
        input: The array, of real or complex numbers.
        zoom: How many times as many cells the result has, along all axes or one each; numbers of
            cells are rounded, halves to even.
        output: Dtype of the result, or an `Array` that is given its value; by default that of
            `input`. Integers are rounded to the nearest of their range, halves away from zero.
        order: Of the spline, 0 (the nearest cell) to 5; 1 is linear.
        mode: What lies beyond the ends: ``"constant"`` (nothing is interpolated there), or
            ``"grid-constant"``, ``"reflect"``, ``"grid-mirror"``, ``"nearest"``, ``"mirror"``,
            ``"grid-wrap"`` or ``"wrap"`` (whose first and last cell are one).
        cval: What is there in modes ``"constant"`` and ``"grid-constant"``.
        prefilter: Whether the coefficients of the spline are to be found (order 2 and above); False
            for an `input` that `spline_filter` has made.
        grid_mode: Whether cells are intervals whose edges the first and the last coordinate are;
            else centres of the first and the last cell are kept.
    {Returns} Array: As many dimensions as `input`.
    {Raises}
        FilterError: For an order or a mode that is none, factors of another number, or an array
            without dimensions: a `ValueError` and a `RuntimeError`.
        ArgumentError: For a complex `cval` of real cells.
        {DTypeError.numbers}

    Notes
    -----
    Source: Unser, Aldroubi and Eden, "Fast B-spline transforms for continuous image representation
    and interpolation" (1991); coordinates, weights and the order of sums are those of SciPy, and so
    are the bits, where SciPy is built without fused multiplications.

    {Examples}
    >>> dt.ndimage.zoom(dt.asarray([0.0, 10, 20]), 2, order=1).compute()
    array([ 0.,  4.,  8., 12., 16., 20.])
    >>> dt.ndimage.zoom(dt.asarray([1, 9]), 2, order=1, mode="nearest", grid_mode=True).compute()
    array([1, 3, 7, 9])
    """
    how = Interpolation.of("zoom", order, mode, cval, prefilter)
    array = how.operand(input)
    edges = truth("zoom", "grid_mode", grid_mode)
    factors = _numbers("zoom", "zoom", zoom, array.ndim)
    counts = [round(n * factor) for n, factor in zip(array.shape, factors, strict=True)]
    if min(counts) < 0:
        raise FilterError(f"zoom: factors must not be negative, here {zoom!r}")
    if how.prefilter and all(factor == 1 for factor in factors):
        dtype = result_dtype("zoom", output, array.dtype)
        return given_out(output, astype(array.node, dtype))
    if edges and how.mode in ("constant", "wrap"):
        warn(
            f"It is recommended to use mode = grid-{how.mode} instead of {how.mode} when grid_mode "
            "is True.",
            stacklevel=2,
        )
    less = 0 if edges else 1
    ratios = [
        (n - less) / (count - less) if count != less else 1.0
        for n, count in zip(array.shape, counts, strict=True)
    ]

    def read(x: Tensor, pad: int, fill: float, own: DType) -> Tensor:
        lines = [
            SplineAxis(n, pad, None, ratio, edges)
            for n, ratio in zip(x.type.shape, ratios, strict=True)
        ]
        return resample(x, lines, counts, how.order, how.mode, fill, own)

    return how.interpolated(array, output, counts, range(array.ndim), read)


def shift(
    input: ArrayLike,
    shift: float | Sequence[float],
    output: Output = None,
    order: int = 3,
    mode: str = "constant",
    cval: complex = 0.0,
    prefilter: bool = True,
) -> Array:
    """Shift an array by whole cells or parts of them, as `scipy.ndimage.shift`.

    {Parameters}
        input, output, order, mode, cval, prefilter: As of `zoom`.
        shift: Cells by which all is moved towards the end, along all axes or one each.
    {Returns} Array: Shape of `input`.
    {Raises} FilterError, ArgumentError, DTypeError: As `zoom` does.
    {Examples}
    >>> dt.ndimage.shift(dt.asarray([1.0, 3, 5, 7]), 1.5, order=1, cval=-1).compute()
    array([-1., -1.,  2.,  4.])
    """
    how = Interpolation.of("shift", order, mode, cval, prefilter)
    array = how.operand(input)
    ways = [-way for way in _numbers("shift", "shift", shift, array.ndim)]

    def read(x: Tensor, pad: int, fill: float, own: DType) -> Tensor:
        lines = [SplineAxis(n, pad, way) for n, way in zip(x.type.shape, ways, strict=True)]
        return resample(x, lines, array.shape, how.order, how.mode, fill, own)

    return how.interpolated(array, output, array.shape, range(array.ndim), read)


def _numbers(function: str, name: str, given: float | Sequence[float], count: int) -> list[float]:
    """A finite number for each axis."""
    with reading(f"{function}: {name}"):
        numbers = [float(one) for one in for_each(function, name, given, count)]
    if not all(isfinite(one) for one in numbers):
        raise FilterError(f"{function}: {name} must be finite, not {given!r}")
    return numbers
