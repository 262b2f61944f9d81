"""Correlations and convolutions with weights: `correlate`, `convolve`, and along one axis."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.amounts import integer
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.axis_names import names_axes
from dask_tapestry.arrays.ndimage.arguments import (
    Output,
    axes_of,
    for_each,
    given_out,
    known_cells,
    operand,
    reach,
    result_dtype,
)
from dask_tapestry.arrays.ndimage.boundary import Widths, checked_mode
from dask_tapestry.arrays.ndimage.filter_error import FilterError
from dask_tapestry.arrays.ndimage.window_sums import Block, DType, box_sum, by_parts, line_sum
from dask_tapestry.cells.fixed_dtype import dtype_name
from dask_tapestry.errors import DTypeError
from dask_tapestry.operators.axes import normalize_axis
from dask_tapestry.teg import Tensor

__all__ = ["convolve", "convolve1d", "correlate", "correlate1d"]


@names_axes
def correlate1d(
    input: ArrayLike,
    weights: ArrayLike,
    axis: int = -1,
    output: Output = None,
    mode: str = "reflect",
    cval: complex = 0.0,
    origin: int = 0,
) -> Array:
    """Correlate the lines along an axis with weights, as `scipy.ndimage.correlate1d`.

    Products are summed in double precision, in SciPy's order, and converted to the dtype of the
    result as C does: integers are cut off towards zero, modulo their range.

    {Parameters}
        input: The array, of real or complex numbers.
        weights: One dimension of them; complex ones are conjugated.
        axis: Along which it works.
        output: Dtype of the result, or an `Array` that is given its value; by default that of
            `input`, made complex if the weights are.
        mode: What lies beyond the ends: ``"reflect"`` (d c b a | a b c d), ``"constant"``,
            ``"nearest"``, ``"mirror"`` (d c b | a b c d), ``"wrap"``, or ``"grid-mirror"``,
            ``"grid-constant"`` and ``"grid-wrap"``, which are the first, second and fifth of these.
        cval: What is there in mode ``"constant"``.
        origin: Cells by which the window is moved towards the beginning.
    {Returns} Array: Shape of `input`.
    {Raises}
        FilterError: For no weights or an unknown mode: a `ValueError` and a `RuntimeError`.
        ArgumentError: For an origin that moves the window off its cell.
        AxisError: For an axis that is none.
        DTypeError: If cells or weights are no numbers.
    {Examples}
    >>> dt.ndimage.correlate1d(dt.asarray([2, 8, 0, 4, 1, 9, 9, 0]), weights=[1, 3]).compute()
    array([ 8, 26,  8, 12,  7, 28, 36,  9])
    """
    return _line("correlate1d", input, weights, axis, output, mode, cval, origin)


@names_axes
def convolve1d(
    input: ArrayLike,
    weights: ArrayLike,
    axis: int = -1,
    output: Output = None,
    mode: str = "reflect",
    cval: complex = 0.0,
    origin: int = 0,
) -> Array:
    """Convolve the lines along an axis with weights, as `scipy.ndimage.convolve1d`.

    It is `correlate1d` with the weights from the last to the first, which are not conjugated.

    {Parameters} input, weights, axis, output, mode, cval, origin: As of `correlate1d`; `origin`
        moves the window towards the end.
    {Returns} Array: Shape of `input`.
    {Raises} FilterError, ArgumentError, AxisError, DTypeError: As `correlate1d` does.
    {Examples}
    >>> dt.ndimage.convolve1d(dt.asarray([2, 8, 0, 4, 1, 9, 9, 0]), weights=[1, 3]).compute()
    array([14, 24,  4, 13, 12, 36, 27,  0])
    """
    return _line("convolve1d", input, weights, axis, output, mode, cval, origin)


@names_axes
def correlate(
    input: ArrayLike,
    weights: ArrayLike,
    output: Output = None,
    mode: str = "reflect",
    cval: complex = 0.0,
    origin: int | Sequence[int] = 0,
    *,
    axes: int | Iterable[int] | None = None,
) -> Array:
    """Correlate an array with weights of as many dimensions, as `scipy.ndimage.correlate`.

    {Parameters}
        input, output, mode, cval: As of `correlate1d`.
        weights: As many dimensions as there are axes; complex ones are conjugated.
        origin: As of `correlate1d`, one for all axes or one each.
        {axes}
    {Returns} Array: Shape of `input`.
    {Raises} FilterError, ArgumentError, AxisError, DTypeError: As `correlate1d` does; also for
        weights of another number of dimensions.
    {Examples}
    >>> x = dt.arange(9).reshape(3, 3)
    >>> dt.ndimage.correlate(x, [[0, 1, 0], [1, 1, 1], [0, 1, 0]]).compute()
    array([[ 4,  8, 12],
           [16, 20, 24],
           [28, 32, 36]])
    """
    return _box("correlate", input, weights, output, mode, cval, origin, axes)


@names_axes
def convolve(
    input: ArrayLike,
    weights: ArrayLike,
    output: Output = None,
    mode: str = "reflect",
    cval: complex = 0.0,
    origin: int | Sequence[int] = 0,
    *,
    axes: int | Iterable[int] | None = None,
) -> Array:
    """Convolve an array with weights of as many dimensions, as `scipy.ndimage.convolve`.

    {Parameters} input, weights, output, mode, cval, origin, axes: As of `correlate`; `origin` moves
        the window towards the end.
    {Returns} Array: Shape of `input`.
    {Raises} FilterError, ArgumentError, AxisError, DTypeError: As `correlate` does.
    {Examples}
    >>> x = dt.asarray([[1, 0, 0], [0, 0, 0], [0, 0, 0]])
    >>> dt.ndimage.convolve(x, [[0, 1], [2, 3]], mode="constant").compute()
    array([[3, 0, 0],
           [0, 0, 0],
           [0, 0, 0]])
    """
    return _box("convolve", input, weights, output, mode, cval, origin, axes)


def _weights(function: str, weights: ArrayLike) -> Block:
    """The weights as numbers, known now."""
    values = known_cells(function, "weights", weights)
    if values.dtype.kind not in "biufc":
        raise DTypeError(f"{function}: weights must be numbers, not {dtype_name(values.dtype)}")
    return values


def mirrored(origin: Any, size: int) -> Any:
    """The origin of a window that is turned round."""
    return -integer(origin) - (0 if size % 2 else 1)


def _natural(dtype: DType, weights: Block) -> DType:
    if dtype.kind == "c" or weights.dtype.kind != "c":
        return dtype
    return np.result_type(dtype, np.complex64)


def _line(
    function: str,
    x: ArrayLike,
    weights: ArrayLike,
    axis: int,
    output: Output,
    mode: str,
    cval: complex,
    origin: int,
) -> Array:
    array, values = operand(function, x, complex_too=True), _weights(function, weights)
    if values.ndim != 1 or not values.size:
        raise FilterError(
            f"{function}: no filter weights given: one dimension of them is needed, not shape "
            f"{values.shape}"
        )
    number = normalize_axis(axis, array.ndim, f"{function}: axis")
    if function == "convolve1d":
        values, origin = values[::-1], mirrored(origin, values.size)
    elif values.dtype.kind == "c":
        values = values.conj()
    cells, fill = reach(function, values.size, origin), checked_mode(function, mode)
    dtype = result_dtype(function, output, _natural(array.dtype, values))

    def correlated(one: Tensor, factors: Block, value: float, own: DType) -> Tensor:
        return line_sum(one, factors, number, cells, fill, value, own)

    return given_out(output, by_parts(function, correlated, array.node, values, cval, dtype))


def _box(
    function: str,
    x: ArrayLike,
    weights: ArrayLike,
    output: Output,
    mode: str,
    cval: complex,
    origin: int | Sequence[int],
    axes: int | Iterable[int] | None,
) -> Array:
    array, values = operand(function, x, complex_too=True), _weights(function, weights)
    along = axes_of(function, axes, array.ndim)
    values = spread(function, "weights", values, along, array.ndim)
    origins = origins_of(function, origin, along, array.ndim)
    if function == "convolve":
        values = values[(slice(None, None, -1),) * values.ndim]
        origins = [mirrored(o, n) for o, n in zip(origins, values.shape, strict=True)]
    elif values.dtype.kind == "c":
        values = values.conj()
    cells: list[Widths] = [
        reach(function, n, o) for n, o in zip(values.shape, origins, strict=True)
    ]
    fill = checked_mode(function, mode)
    dtype = result_dtype(function, output, _natural(array.dtype, values))

    def correlated(one: Tensor, factors: Block, value: float, own: DType) -> Tensor:
        return box_sum(one, factors, cells, fill, value, own)

    return given_out(output, by_parts(function, correlated, array.node, values, cval, dtype))


def spread(function: str, name: str, values: Block, axes: Sequence[int], ndim: int) -> Block:
    """Values of as many dimensions as there are axes, of extent 1 along all other axes.

    {Raises} FilterError: For another number of dimensions, or none of a dimension.
    """
    if values.ndim != len(axes) or not values.size:
        raise FilterError(
            f"{function}: {name}.ndim ({values.ndim}) must match len(axes) ({len(axes)}), and "
            f"there must be some, not shape {values.shape}"
        )
    if len(axes) == ndim:
        return values
    others = [axis for axis in range(ndim) if axis not in axes]
    return np.expand_dims(values, others)


def origins_of(function: str, origin: Any, axes: Sequence[int], ndim: int) -> list[Any]:
    """An origin for each axis, 0 for those that nothing is done along."""
    origins: list[Any] = [0] * ndim
    for axis, one in zip(axes, for_each(function, "origin", origin, len(axes)), strict=True):
        origins[axis] = one
    return origins
