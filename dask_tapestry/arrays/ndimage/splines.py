"""Coefficients of splines: `spline_filter`, and along one axis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.amounts import integer
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.axis_names import names_axes
from dask_tapestry.arrays.ndimage.arguments import Output, given_out, operand, result_dtype
from dask_tapestry.arrays.ndimage.boundary import checked_mode
from dask_tapestry.arrays.ndimage.filter_error import FilterError
from dask_tapestry.arrays.ndimage.window_sums import JoinedParts
from dask_tapestry.operators.axes import normalize_axis
from dask_tapestry.operators.cells.cell_function import called_on_cells
from dask_tapestry.operators.cells.complex_parts import imag_part, real_part
from dask_tapestry.operators.cells.elementwise import astype
from dask_tapestry.operators.images.spline_filter import spline_filter as along
from dask_tapestry.teg import Tensor

__all__ = ["spline_filter", "spline_filter1d"]

DType = np.dtype[Any]
OfPart = Callable[[Tensor, float, DType], Tensor]
DOUBLE: Final = np.dtype(np.float64)
ENDS: Final = {  # of lanes whose coefficients are wanted, by the mode; of others "mirror"
    "reflect": "reflect",
    "grid-mirror": "reflect",
    "nearest": "reflect",
    "grid-wrap": "wrap",
}


@names_axes
def spline_filter1d(
    input: ArrayLike,
    order: int = 3,
    axis: int = -1,
    output: Output = np.float64,
    mode: str = "mirror",
) -> Array:
    """Find the coefficients of the spline through the cells of each line along an axis.

    As `scipy.ndimage.spline_filter1d`: a recursive filter, forth and back along whole lines, which
    no block cuts. Doubles equal SciPy's to the bit where SciPy is built without fused
    multiplications.

    {Parameters}
        input: The array, of real or complex numbers.
        order: Of the spline, 0 to 5; cells are coefficients of those of orders 0 and 1.
        axis: Along which it works.
        output: Dtype of the result, or an `Array` that is given its value. Coefficients are
            converted as C does: integers are cut off towards zero.
        mode: How lines go on: ``"mirror"`` (d c b | a b c d), ``"reflect"`` or ``"grid-mirror"`` (d
            c b a | a b c d) or ``"grid-wrap"``; of the other modes that interpolation knows,
            ``"nearest"`` is taken as ``"reflect"``, the rest as ``"mirror"``.
    {Returns} Array: Shape of `input`; complex if that is.
    {Raises}
        FilterError: For an order or a mode that is none: a `ValueError` and a `RuntimeError`.
        AxisError: For an axis that is none.
        {DTypeError.numbers}

    Notes
    -----
    Source: Unser, Aldroubi and Eden, "Fast B-spline transforms for continuous image representation
    and interpolation" (1991).

    {Examples}
    >>> dt.ndimage.spline_filter1d(dt.asarray([0, 0, 1.0, 0, 0])).compute().round(2)
    array([ 0.25, -0.5 ,  1.75, -0.5 ,  0.25])
    """
    name = "spline_filter1d"
    number, ends = checked_order(name, order), ends_of(name, mode)
    array = operand(name, input, complex_too=True)
    checked_axis = normalize_axis(axis, array.ndim, f"{name}: axis") if number > 1 else 0
    dtype = result_dtype(name, output, array.dtype)

    def found(x: Tensor, _: float, own: DType) -> Tensor:
        if number < 2:
            return astype(x, own)
        return along(plain(x), number, checked_axis, ends, own)

    return given_out(output, in_parts(found, array.node, 0.0, dtype))


def spline_filter(
    input: ArrayLike, order: int = 3, output: Output = np.float64, mode: str = "mirror"
) -> Array:
    """Find the coefficients of the spline through all cells, as `scipy.ndimage.spline_filter`.

    It is `spline_filter1d` along each axis, the first one first; what comes between has the dtype
    of the result too.

    {Parameters}
        input, output, mode: As of `spline_filter1d`.
        order: Of the spline, 2 to 5.
    {Returns} Array: Shape of `input`; complex if that is.
    {Raises} FilterError, DTypeError: As `spline_filter1d` does.
    {Examples}
    >>> dt.ndimage.spline_filter(dt.asarray([[0, 0, 0], [0, 1.0, 0], [0, 0, 0]])).compute()
    array([[ 1., -2.,  1.],
           [-2.,  4., -2.],
           [ 1., -2.,  1.]])
    """
    name = "spline_filter"
    number, ends = checked_order(name, order, 2), ends_of(name, mode)
    array = operand(name, input, complex_too=True)
    dtype = result_dtype(name, output, array.dtype)

    def found(x: Tensor, _: float, own: DType) -> Tensor:
        return coefficients(x, number, ends, tuple(range(array.ndim)), own)

    return given_out(output, in_parts(found, array.node, 0.0, dtype))


def coefficients(
    x: Tensor, order: int, ends: str, axes: tuple[int, ...], dtype: DType = DOUBLE
) -> Tensor:
    """The coefficients of the spline of an order through a real tensor, along some axes.

    {Parameters} ends: As `ends_of` returns it.
    """
    x = plain(x) if axes else astype(x, dtype)
    for axis in axes:
        x = along(x, order, axis, ends, dtype)
    return x


def checked_order(function: str, order: int, least: int = 0) -> int:
    """The order of a spline.

    {Raises} FilterError: If it is not between `least` and 5.
    """
    number = integer(order)
    if not least <= number <= 5:
        raise FilterError(f"{function}: spline order not supported: {number}, must be {least} to 5")
    return number


def ends_of(function: str, mode: Any) -> str:
    """How lines go on for the filter of a mode.

    Examples
    --------
    >>> ends_of("zoom", "nearest"), ends_of("zoom", "constant")
    ('reflect', 'mirror')
    """
    checked_mode(function, mode)
    return ENDS.get(mode, "mirror")


def plain(x: Tensor) -> Tensor:
    """`x` in a dtype that interpolation reads: float16 as float32."""
    return astype(x, np.dtype(np.float32)) if x.type.dtype.char == "e" else x


def in_parts(of_part: OfPart, x: Tensor, cval: complex, dtype: DType) -> Tensor:
    """What is found of a real tensor, or of the real and the imaginary part of a complex one.

    {Parameters}
        of_part: Takes a real tensor, what is beyond its ends and the dtype of the result.
        cval: Of which each part gets its own.
    """
    fill = complex(cval)
    if x.type.dtype.kind != "c":
        real = of_part(x, fill.real, np.dtype(dtype.char.lower()) if dtype.kind == "c" else dtype)
        return astype(real, dtype)
    part = np.dtype(dtype.char.lower())
    parts = [of_part(real_part(x), fill.real, part), of_part(imag_part(x), fill.imag, part)]
    return called_on_cells(JoinedParts(dtype), dtype, parts)
