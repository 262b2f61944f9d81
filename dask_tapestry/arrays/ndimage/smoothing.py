"""Smoothing: `gaussian_filter`, `uniform_filter`, and both along one axis."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.amounts import integer, reading
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.axis_names import names_axes
from dask_tapestry.arrays.ndimage.arguments import (
    Output,
    axes_of,
    checked_size,
    for_each,
    given_out,
    operand,
    reach,
    result_dtype,
)
from dask_tapestry.arrays.ndimage.boundary import Widths, checked_mode, padded
from dask_tapestry.arrays.ndimage.window_sums import Block, DType, by_parts, line_sum
from dask_tapestry.arrays.tuning import CELLS_ADDED_ONE_BY_ONE, LEAST_SIGMA, MOST_WINDOW_CELLS
from dask_tapestry.errors import ArgumentError
from dask_tapestry.operators.axes import normalize_axis
from dask_tapestry.operators.cells.elementwise import astype
from dask_tapestry.operators.windows.window_fold import window_fold
from dask_tapestry.teg import Tensor

__all__ = ["gaussian_filter", "gaussian_filter1d", "uniform_filter", "uniform_filter1d"]


@names_axes
def gaussian_filter1d(
    input: ArrayLike,
    sigma: float,
    axis: int = -1,
    order: int = 0,
    output: Output = None,
    mode: str = "reflect",
    cval: complex = 0.0,
    truncate: float = 4.0,
    *,
    radius: int | None = None,
) -> Array:
    """Correlate lines with a Gaussian, or a derivative of one, as SciPy's `gaussian_filter1d`.

    {Parameters}
        input, axis, output, mode, cval: As of `correlate1d`.
        sigma: Standard deviation of the Gaussian.
        order: Of the derivative; 0 for the Gaussian itself.
        truncate: Standard deviations after which it ends.
        radius: Cells on each side, instead of `truncate`.
    {Returns} Array: Shape of `input`.
    {Raises}
        ArgumentError: For a `sigma` that is not positive, or a negative `order` or `radius`.
        FilterError, AxisError, DTypeError: As `correlate1d` does.
    {Examples}
    >>> dt.ndimage.gaussian_filter1d(dt.asarray([0.0, 0, 1, 0, 0]), 1).compute().round(3)
    array([0.058, 0.242, 0.399, 0.242, 0.058])
    """
    function = "gaussian_filter1d"
    array = operand(function, input, complex_too=True)
    number = normalize_axis(axis, array.ndim, f"{function}: axis")
    weights = _gaussian(function, sigma, order, truncate, radius)
    dtype, fill = result_dtype(function, output, array.dtype), checked_mode(function, mode)
    made = _smoothed(function, array.node, weights, number, fill, cval, dtype)
    return given_out(output, made)


@names_axes
def gaussian_filter(
    input: ArrayLike,
    sigma: float | Sequence[float],
    order: int | Sequence[int] = 0,
    output: Output = None,
    mode: str | Sequence[str] = "reflect",
    cval: complex = 0.0,
    truncate: float = 4.0,
    *,
    radius: int | Sequence[int] | None = None,
    axes: int | Iterable[int] | None = None,
) -> Array:
    """Correlate an array with a Gaussian, axis by axis, as `scipy.ndimage.gaussian_filter`.

    Between axes values have the dtype of the result, so a result of integers is cut off after each.

    {Parameters}
        input, output, cval: As of `correlate1d`.
        sigma, order, mode, radius: As of `gaussian_filter1d`, one for all axes or one each; nothing
            is done along axes of which `sigma` is 0.
        truncate: As of `gaussian_filter1d`.
        {axes}
    {Returns} Array: Shape of `input`.
    {Raises} ArgumentError, FilterError, AxisError, DTypeError: As `gaussian_filter1d` does.
    {Examples}
    >>> x = dt.arange(0, 50, 2).reshape(5, 5)
    >>> dt.ndimage.gaussian_filter(x, sigma=1).compute()
    array([[ 4,  6,  8,  9, 11],
           [10, 12, 14, 15, 17],
           [20, 22, 24, 25, 27],
           [29, 31, 33, 34, 36],
           [35, 37, 39, 40, 42]])
    """
    function = "gaussian_filter"
    array = operand(function, input, complex_too=True)
    along = axes_of(function, axes, array.ndim)
    dtype, node = result_dtype(function, output, array.dtype), array.node
    each = [
        for_each(function, name, given, len(along))
        for name, given in (
            ("sigma", sigma), ("order", order), ("mode", mode), ("radius", radius)
        )
    ]  # fmt: skip
    for axis, own_sigma, own_order, own_mode, own_radius in zip(along, *each, strict=True):
        fill = checked_mode(function, own_mode)
        if not _number(function, "sigma", own_sigma) > LEAST_SIGMA:
            _not_negative(function, "sigma", own_sigma)
            continue
        weights = _gaussian(function, own_sigma, own_order, truncate, own_radius)
        node = _smoothed(function, node, weights, axis, fill, cval, dtype)
    return given_out(output, node if node.type.dtype == dtype else astype(node, dtype))


@names_axes
def uniform_filter1d(
    input: ArrayLike,
    size: int,
    axis: int = -1,
    output: Output = None,
    mode: str = "reflect",
    cval: complex = 0.0,
    origin: int = 0,
) -> Array:
    """Mean of the windows along an axis, as `scipy.ndimage.uniform_filter1d`.

    Each window is summed by itself, in double precision: SciPy adds the cell that comes in and
    subtracts the one that goes out, so that a NaN or a large cell is felt by all cells after it.

    {Parameters}
        input, axis, output, mode, cval, origin: As of `correlate1d`.
        size: Cells of a window.
    {Returns} Array: Shape of `input`.
    {Raises}
        FilterError: For a `size` below 1, or an unknown mode.
        ArgumentError, AxisError, DTypeError: As `correlate1d` does.
    {Examples}
    >>> dt.ndimage.uniform_filter1d(dt.asarray([2, 8, 0, 4, 1, 9, 9, 0]), size=3).compute()
    array([4, 3, 4, 1, 4, 6, 6, 3])
    """
    function = "uniform_filter1d"
    array = operand(function, input, complex_too=True)
    number = normalize_axis(axis, array.ndim, f"{function}: axis")
    length = checked_size(function, size)
    cells, fill = reach(function, length, origin), checked_mode(function, mode)
    dtype = result_dtype(function, output, array.dtype)
    return given_out(output, _mean(function, array.node, length, number, cells, fill, cval, dtype))


@names_axes
def uniform_filter(
    input: ArrayLike,
    size: int | Sequence[int] = 3,
    output: Output = None,
    mode: str | Sequence[str] = "reflect",
    cval: complex = 0.0,
    origin: int | Sequence[int] = 0,
    *,
    axes: int | Iterable[int] | None = None,
) -> Array:
    """Mean of box windows, axis by axis, as `scipy.ndimage.uniform_filter`.

    {Parameters}
        input, output, cval: As of `correlate1d`.
        size, mode, origin: As of `uniform_filter1d`, one for all axes or one each; nothing is done
            along axes of which `size` is below 2.
        {axes}
    {Returns} Array: Shape of `input`.
    {Raises} FilterError, ArgumentError, AxisError, DTypeError: As `uniform_filter1d` does.
    {Examples}
    >>> dt.ndimage.uniform_filter(dt.arange(9.0).reshape(3, 3), 3).compute().round(2)
    array([[1.33, 2.  , 2.67],
           [3.33, 4.  , 4.67],
           [5.33, 6.  , 6.67]])
    """
    function = "uniform_filter"
    array = operand(function, input, complex_too=True)
    along = axes_of(function, axes, array.ndim)
    dtype, node = result_dtype(function, output, array.dtype), array.node
    each = [
        for_each(function, name, given, len(along))
        for name, given in (("size", size), ("mode", mode), ("origin", origin))
    ]
    for axis, own, own_mode, own_origin in zip(along, *each, strict=True):
        fill = checked_mode(function, own_mode)
        if _number(function, "size", own) < 2:
            continue
        length = checked_size(function, own)
        cells = reach(function, length, own_origin)
        node = _mean(function, node, length, axis, cells, fill, cval, dtype)
    return given_out(output, node if node.type.dtype == dtype else astype(node, dtype))


def _number(function: str, name: str, given: Any) -> float:
    with reading(f"{function}: {name}"):
        return float(given)


def _not_negative(function: str, name: str, given: Any) -> float:
    value = _number(function, name, given)
    if not value >= 0:
        raise ArgumentError(f"{function}: {name} must not be negative, here {given!r}")
    return value


def _gaussian(function: str, sigma: Any, order: Any, truncate: Any, radius: Any) -> Block:
    """The weights, in the order in which a correlation takes them."""
    width = _not_negative(function, "sigma", sigma)
    if not 0 < width < np.inf:
        raise ArgumentError(f"{function}: sigma must be positive and finite, here {sigma!r}")
    degree = integer(order)
    if degree < 0:
        raise ArgumentError(f"{function}: order must not be negative, here {order!r}")
    if radius is None:
        with reading(f"{function}: truncate"):
            cells = int(_number(function, "truncate", truncate) * width + 0.5)
    else:
        try:
            cells = integer(radius)
        except TypeError:
            cells = -1
    if not 0 <= cells <= MOST_WINDOW_CELLS:
        given = radius if radius is not None else cells
        raise ArgumentError(f"{function}: radius must be a non-negative integer, not {given!r}")
    return _bell(width, degree, cells)[::-1]


@lru_cache(maxsize=64)
def _bell(sigma: float, order: int, radius: int) -> Block:
    """The Gaussian of sum 1 at whole numbers, or its derivative, divided by the same sum.

    The n-th derivative is a polynomial times the Gaussian: each one is the derivative of the last
    polynomial, less its product with x / sigma ** 2.
    """
    x = np.arange(-radius, radius + 1)
    variance = sigma * sigma
    bell: Block = np.exp(-0.5 / variance * x**2)
    bell = bell / bell.sum()
    coefficients = [1.0]
    for _ in range(order):
        slope = [*[n * c for n, c in enumerate(coefficients)][1:], 0.0, 0.0]
        drop = [0.0, *(c * (1.0 / -variance) for c in coefficients)]
        coefficients = [p + q for p, q in zip(slope, drop, strict=True)]
    if not order:
        return bell
    terms = np.array(coefficients)
    polynomial = (x[:, None] ** np.arange(order + 1)).dot(terms)
    derivative: Block = polynomial * bell
    return derivative


def _smoothed(
    function: str, x: Tensor, weights: Block, axis: int, mode: str, cval: Any, dtype: DType
) -> Tensor:
    cells = reach(function, len(weights), 0)

    def correlated(one: Tensor, factors: Block, value: float, own: DType) -> Tensor:
        return line_sum(one, factors, axis, cells, mode, value, own)

    return by_parts(function, correlated, x, weights, cval, dtype)


def _mean(
    function: str,
    x: Tensor,
    length: int,
    axis: int,
    cells: Widths,
    mode: str,
    cval: Any,
    dtype: DType,
) -> Tensor:
    def averaged(field: Tensor, factors: Block, value: float, own: DType) -> Tensor:
        if length <= CELLS_ADDED_ONE_BY_ONE or not field.type.size:
            return line_sum(field, factors, axis, cells, mode, value, own, float(length))
        ndim = field.type.ndim
        widths, window, modes = [(0, 0)] * ndim, [1] * ndim, ["reflect"] * ndim
        widths[axis], window[axis], modes[axis] = cells, length, mode
        return window_fold(padded(field, widths, modes, value), window, "mean", own)

    return by_parts(function, averaged, x, np.ones(length), cval, dtype)
