"""Laplace operators: `laplace`, `gaussian_laplace`, `generic_laplace`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.axis_names import names_axes
from dask_tapestry.arrays.ndimage.arguments import Output, axes_of, for_each, given_out, operand
from dask_tapestry.arrays.ndimage.correlations import correlate1d
from dask_tapestry.arrays.ndimage.each_derivative import (
    Axes,
    Derivative,
    GaussianDerivative,
    along_each,
)
from dask_tapestry.operators.cells.elementwise import elementwise

__all__ = ["gaussian_laplace", "generic_laplace", "laplace"]


@names_axes
def generic_laplace(
    input: ArrayLike,
    derivative2: Derivative,
    output: Output = None,
    mode: str | Sequence[str] = "reflect",
    cval: complex = 0.0,
    extra_arguments: Sequence[Any] = (),
    extra_keywords: Mapping[str, Any] | None = None,
    *,
    axes: Axes = None,
) -> Array:
    """Sum of second derivatives along each axis, as `scipy.ndimage.generic_laplace`.

    {Parameters}
        input, output, cval: As of `correlate1d`.
        derivative2: Called as ``derivative2(input, axis, output, mode, cval, *extra_arguments,
            **extra_keywords)`` when the expression is built, `output` being a dtype.
        mode: As of `correlate1d`, one for all axes or one each.
        extra_arguments, extra_keywords: Handed to `derivative2`.
        axes: Along which there are derivatives; None for all.
    {Returns} Array: Shape of `input`.
    {Raises} FilterError, AxisError, DTypeError: As `correlate1d` does.
    {Examples}
    >>> def second(x, axis, output, mode, cval):
    ...     return dt.ndimage.correlate1d(x, [1, -2, 1], axis, output, mode, cval)
    >>> dt.ndimage.generic_laplace(dt.arange(4.0) ** 2, second).compute()
    array([ 1.,  2.,  2., -5.])
    """
    made = along_each(
        "generic_laplace", input, derivative2, output, mode, cval,
        extra_arguments, extra_keywords or {}, axes,
    )  # fmt: skip
    total = made[0]
    for one in made[1:]:
        total = elementwise("add", total, one)
    return given_out(output, total)


@names_axes
def laplace(
    input: ArrayLike,
    output: Output = None,
    mode: str | Sequence[str] = "reflect",
    cval: complex = 0.0,
    *,
    axes: Axes = None,
) -> Array:
    """Sum of second differences along each axis, as `scipy.ndimage.laplace`.

    {Parameters} input, output, mode, cval, axes: As of `generic_laplace`.
    {Returns} Array: Shape of `input`.
    {Raises} FilterError, AxisError, DTypeError: As `correlate1d` does.
    {Examples}
    >>> dt.ndimage.laplace(dt.asarray([0, 1, 4, 9])).compute()
    array([ 1,  2,  2, -5])
    """
    return generic_laplace(input, _second_difference, output, mode, cval, axes=axes)


def _second_difference(
    x: Array, axis: int, output: np.dtype[Any], mode: str, cval: complex
) -> Array:
    return correlate1d(x, [1, -2, 1], axis, output, mode, cval)


@names_axes
def gaussian_laplace(
    input: ArrayLike,
    sigma: float | Sequence[float],
    output: Output = None,
    mode: str | Sequence[str] = "reflect",
    cval: complex = 0.0,
    *,
    axes: Axes = None,
    **kwargs: Any,
) -> Array:
    """Sum of second derivatives of a Gaussian, as `scipy.ndimage.gaussian_laplace`.

    {Parameters}
        input, output, mode, cval, axes: As of `generic_laplace`.
        sigma: One for all axes or one each of `axes`, those of all axes in the order of the array;
            nothing is smoothed along others.
        **kwargs: Handed to `gaussian_filter`.
    {Returns} Array: Shape of `input`.
    {Raises} FilterError, ArgumentError, AxisError, DTypeError: As `gaussian_filter` does.
    {Examples}
    >>> dt.ndimage.gaussian_laplace(dt.asarray([0.0, 0, 1, 0, 0]), 1).compute().round(3)
    array([ 0.197,  0.002, -0.399,  0.002,  0.197])
    """
    array = operand("gaussian_laplace", input, complex_too=True)
    sigmas = _sigmas("gaussian_laplace", sigma, axes, array.ndim)
    second = GaussianDerivative(sigmas, 2)
    return generic_laplace(array, second, output, mode, cval, (), kwargs, axes=axes)


def _sigmas(function: str, sigma: Any, axes: Axes, ndim: int) -> list[float]:
    """A sigma for each axis, 0 for those that nothing is done along.

    SciPy takes those of all axes in the order of the array, whatever that of `axes` is.
    """
    along = axes_of(function, axes, ndim)
    along = tuple(sorted(along)) if len(along) == ndim else along
    sigmas = [0.0] * ndim
    for axis, own in zip(along, for_each(function, "sigma", sigma, len(along)), strict=True):
        sigmas[axis] = own
    return sigmas
