"""First derivatives: `sobel`, `prewitt`, and magnitudes of gradients."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import ArrayLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.axis_names import names_axes
from dask_tapestry.arrays.ndimage.arguments import (
    Output,
    axes_of,
    for_each,
    given_out,
    operand,
    result_dtype,
)
from dask_tapestry.arrays.ndimage.correlations import correlate1d
from dask_tapestry.arrays.ndimage.each_derivative import (
    Axes,
    Derivative,
    GaussianDerivative,
    along_each,
)
from dask_tapestry.operators.axes import normalize_axis
from dask_tapestry.operators.cells.elementwise import astype, elementwise

__all__ = [
    "gaussian_gradient_magnitude",
    "generic_gradient_magnitude",
    "prewitt",
    "sobel",
]


@names_axes
def sobel(
    input: ArrayLike,
    axis: int = -1,
    output: Output = None,
    mode: str | Sequence[str] = "reflect",
    cval: complex = 0.0,
) -> Array:
    """Sobel's derivative along an axis, as `scipy.ndimage.sobel`.

    Differences of the neighbours along the axis, smoothed along all others by 1, 2, 1.

    {Parameters}
        input, axis, output, cval: As of `correlate1d`.
        mode: As of `correlate1d`, one for all axes or one each.
    {Returns} Array: Shape of `input`.
    {Raises} FilterError, AxisError, DTypeError: As `correlate1d` does.
    {Examples}
    >>> dt.ndimage.sobel(dt.arange(9).reshape(3, 3)).compute()
    array([[4, 8, 4],
           [4, 8, 4],
           [4, 8, 4]])
    """
    return _difference("sobel", input, axis, output, mode, cval, [1, 2, 1])


@names_axes
def prewitt(
    input: ArrayLike,
    axis: int = -1,
    output: Output = None,
    mode: str | Sequence[str] = "reflect",
    cval: complex = 0.0,
) -> Array:
    """Prewitt's derivative along an axis, as `scipy.ndimage.prewitt`.

    Differences of the neighbours along the axis, summed along all others over three cells.

    {Parameters} input, axis, output, mode, cval: As of `sobel`.
    {Returns} Array: Shape of `input`.
    {Raises} FilterError, AxisError, DTypeError: As `correlate1d` does.
    {Examples}
    >>> dt.ndimage.prewitt(dt.arange(9).reshape(3, 3)).compute()
    array([[3, 6, 3],
           [3, 6, 3],
           [3, 6, 3]])
    """
    return _difference("prewitt", input, axis, output, mode, cval, [1, 1, 1])


def _difference(
    function: str,
    x: ArrayLike,
    axis: int,
    output: Output,
    mode: str | Sequence[str],
    cval: complex,
    across: Sequence[int],
) -> Array:
    array = operand(function, x, complex_too=True)
    along = normalize_axis(axis, array.ndim, f"{function}: axis")
    dtype = result_dtype(function, output, array.dtype)
    modes = for_each(function, "mode", mode, array.ndim)
    made = correlate1d(array, [-1, 0, 1], along, dtype, modes[along], cval)
    for other in range(array.ndim):
        if other != along:
            made = correlate1d(made, across, other, dtype, modes[other], cval)
    return given_out(output, made.node)


@names_axes
def generic_gradient_magnitude(
    input: ArrayLike,
    derivative: Derivative,
    output: Output = None,
    mode: str | Sequence[str] = "reflect",
    cval: complex = 0.0,
    extra_arguments: Sequence[Any] = (),
    extra_keywords: Mapping[str, Any] | None = None,
    *,
    axes: Axes = None,
) -> Array:
    """Root of the squares of derivatives, as `scipy.ndimage.generic_gradient_magnitude`.

    Squares and their sum have the dtype of the result, as SciPy's: those of integers may be beyond
    its range.

    {Parameters}
        input, output, mode, cval, extra_arguments, extra_keywords, axes: As of `generic_laplace`.
        derivative: Called as the ``derivative2`` of that is.
    {Returns} Array: Shape of `input`.
    {Raises} FilterError, AxisError, DTypeError: As `correlate1d` does.
    {Examples}
    >>> x = dt.arange(9.0).reshape(3, 3)
    >>> dt.ndimage.generic_gradient_magnitude(x, dt.ndimage.sobel).compute()[1, 1].round(3)
    np.float64(25.298)
    """
    made = along_each(
        "generic_gradient_magnitude", input, derivative, output, mode, cval,
        extra_arguments, extra_keywords or {}, axes, squared=True,
    )  # fmt: skip
    total = made[0]
    for one in made[1:]:
        total = elementwise("add", total, one)
    if axes is None or axes_of("generic_gradient_magnitude", axes, total.type.ndim):
        dtype = total.type.dtype
        total = astype(elementwise("sqrt", total), dtype) if total.type.ndim else total
    return given_out(output, total)


@names_axes
def gaussian_gradient_magnitude(
    input: ArrayLike,
    sigma: float | Sequence[float],
    output: Output = None,
    mode: str | Sequence[str] = "reflect",
    cval: complex = 0.0,
    *,
    axes: Axes = None,
    **kwargs: Any,
) -> Array:
    """Root of the squares of a Gaussian's derivatives, as SciPy's `gaussian_gradient_magnitude`.

    {Parameters}
        input, output, mode, cval, axes: As of `generic_laplace`.
        sigma: As of `gaussian_filter`, of all axes: those along which there is no derivative are
            smoothed too.
        **kwargs: Handed to `gaussian_filter`.
    {Returns} Array: Shape of `input`.
    {Raises} FilterError, ArgumentError, AxisError, DTypeError: As `gaussian_filter` does.
    {Examples}
    >>> x = dt.asarray([0.0, 0, 1, 0, 0])
    >>> dt.ndimage.gaussian_gradient_magnitude(x, 1).compute().round(3)
    array([0.095, 0.241, 0.   , 0.241, 0.095])
    """
    array = operand("gaussian_gradient_magnitude", input, complex_too=True)
    first = GaussianDerivative(sigma, 1)
    return generic_gradient_magnitude(array, first, output, mode, cval, (), kwargs, axes=axes)
