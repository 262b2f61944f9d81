"""Morphology of grey values: `grey_erosion`, `grey_dilation`, and what is made of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.axis_names import names_axes
from dask_tapestry.arrays.ndimage.arguments import Output, given_out, operand
from dask_tapestry.arrays.ndimage.grey_windows import (
    Axes,
    Modes,
    Origins,
    Sizes,
    dilated,
    eroded,
)
from dask_tapestry.operators.cells.elementwise import astype, elementwise
from dask_tapestry.teg import Tensor

__all__ = [
    "black_tophat",
    "grey_closing",
    "grey_dilation",
    "grey_erosion",
    "grey_opening",
    "morphological_gradient",
    "morphological_laplace",
    "white_tophat",
]


@names_axes
def grey_erosion(
    input: ArrayLike,
    size: Sizes = None,
    footprint: ArrayLike | None = None,
    structure: ArrayLike | None = None,
    output: Output = None,
    mode: Modes = "reflect",
    cval: float = 0.0,
    origin: Origins = 0,
    *,
    axes: Axes = None,
) -> Array:
    """Least cell of windows, as `scipy.ndimage.grey_erosion`, less a structure if there is one.

    {Parameters}
        input, size, footprint, output, mode, cval, origin, axes: As of `minimum_filter`.
        structure: What is subtracted from the cells of a window, in double precision; as many
            dimensions as there are axes. Without a footprint all its cells count.
    {Returns} Array: Shape of `input`.
    {Raises} FilterError, ArgumentError, AxisError, DTypeError: As `minimum_filter` does; also if
        there is neither size, footprint nor structure.
    {Examples}
    >>> dt.ndimage.grey_erosion(dt.asarray([3, 9, 4, 8, 8]), size=3).compute()
    array([3, 3, 4, 4, 8])
    """
    return eroded("grey_erosion", input, size, footprint, structure, output, mode, cval, origin,
                   axes)  # fmt: skip


@names_axes
def grey_dilation(
    input: ArrayLike,
    size: Sizes = None,
    footprint: ArrayLike | None = None,
    structure: ArrayLike | None = None,
    output: Output = None,
    mode: Modes = "reflect",
    cval: float = 0.0,
    origin: Origins = 0,
    *,
    axes: Axes = None,
) -> Array:
    """Greatest cell of mirrored windows, as `scipy.ndimage.grey_dilation`, plus a structure.

    {Parameters}
        input, size, footprint, output, mode, cval, origin, axes: As of `maximum_filter`; `origin`
            moves the window towards the end.
        structure: As of `grey_erosion`, added and mirrored.
    {Returns} Array: Shape of `input`.
    {Raises} FilterError, ArgumentError, AxisError, DTypeError: As `grey_erosion` does.
    {Examples}
    >>> dt.ndimage.grey_dilation(dt.asarray([3, 9, 4, 8, 8]), size=3).compute()
    array([9, 9, 9, 8, 8])
    """
    return dilated("grey_dilation", input, size, footprint, structure, output, mode, cval, origin,
                    axes)  # fmt: skip


@names_axes
def grey_opening(
    input: ArrayLike,
    size: Sizes = None,
    footprint: ArrayLike | None = None,
    structure: ArrayLike | None = None,
    output: Output = None,
    mode: Modes = "reflect",
    cval: float = 0.0,
    origin: Origins = 0,
    *,
    axes: Axes = None,
) -> Array:
    """Dilation of an erosion, as `scipy.ndimage.grey_opening`.

    {Parameters} input, size, footprint, structure, output, mode, cval, origin, axes: As of
        `grey_erosion`.
    {Returns} Array: Shape of `input`.
    {Raises} FilterError, ArgumentError, AxisError, DTypeError: As `grey_erosion` does.
    {Examples}
    >>> dt.ndimage.grey_opening(dt.asarray([3, 9, 4, 8, 8]), size=3).compute()
    array([3, 4, 4, 8, 8])
    """
    how = (size, footprint, structure)
    least = eroded("grey_opening", input, *how, None, mode, cval, origin, axes)
    return dilated("grey_opening", least, *how, output, mode, cval, origin, axes)


@names_axes
def grey_closing(
    input: ArrayLike,
    size: Sizes = None,
    footprint: ArrayLike | None = None,
    structure: ArrayLike | None = None,
    output: Output = None,
    mode: Modes = "reflect",
    cval: float = 0.0,
    origin: Origins = 0,
    *,
    axes: Axes = None,
) -> Array:
    """Erosion of a dilation, as `scipy.ndimage.grey_closing`.

    {Parameters} input, size, footprint, structure, output, mode, cval, origin, axes: As of
        `grey_erosion`.
    {Returns} Array: Shape of `input`.
    {Raises} FilterError, ArgumentError, AxisError, DTypeError: As `grey_erosion` does.
    {Examples}
    >>> dt.ndimage.grey_closing(dt.asarray([3, 9, 4, 8, 8]), size=3).compute()
    array([9, 9, 8, 8, 8])
    """
    how = (size, footprint, structure)
    most = dilated("grey_closing", input, *how, None, mode, cval, origin, axes)
    return eroded("grey_closing", most, *how, output, mode, cval, origin, axes)


@names_axes
def morphological_gradient(
    input: ArrayLike,
    size: Sizes = None,
    footprint: ArrayLike | None = None,
    structure: ArrayLike | None = None,
    output: Output = None,
    mode: Modes = "reflect",
    cval: float = 0.0,
    origin: Origins = 0,
    *,
    axes: Axes = None,
) -> Array:
    """Dilation less erosion, as `scipy.ndimage.morphological_gradient`.

    {Parameters}
        input, size, footprint, structure, mode, cval, origin, axes: As of `grey_erosion`.
        output: None, or an `Array` that is given the value; SciPy leaves out a dtype here.
    {Returns} Array: Shape and dtype of `input`.
    {Raises} FilterError, ArgumentError, AxisError, DTypeError: As `grey_erosion` does.
    {Examples}
    >>> dt.ndimage.morphological_gradient(dt.asarray([3, 9, 4, 8, 8]), size=3).compute()
    array([6, 6, 5, 4, 0])
    """
    function, how = "morphological_gradient", (size, footprint, structure, None, mode, cval)
    most = dilated(function, input, *how, origin, axes)
    least = eroded(function, input, *how, origin, axes)
    return given_out(output, elementwise("subtract", most.node, least.node))


@names_axes
def morphological_laplace(
    input: ArrayLike,
    size: Sizes = None,
    footprint: ArrayLike | None = None,
    structure: ArrayLike | None = None,
    output: Output = None,
    mode: Modes = "reflect",
    cval: float = 0.0,
    origin: Origins = 0,
    *,
    axes: Axes = None,
) -> Array:
    """Dilation plus erosion less twice the cells, as `scipy.ndimage.morphological_laplace`.

    {Parameters} input, size, footprint, structure, output, mode, cval, origin, axes: As of
        `morphological_gradient`.
    {Returns} Array: Shape and dtype of `input`.
    {Raises} FilterError, ArgumentError, AxisError, DTypeError: As `grey_erosion` does.
    {Examples}
    >>> dt.ndimage.morphological_laplace(dt.asarray([3, 9, 4, 8, 8]), size=3).compute()
    array([ 6, -6,  5, -4,  0])
    """
    function, how = "morphological_laplace", (size, footprint, structure, None, mode, cval)
    array = operand(function, input)
    most = dilated(function, array, *how, origin, axes)
    least = eroded(function, array, *how, origin, axes)
    both = elementwise("add", most.node, least.node)
    once = elementwise("subtract", both, array.node)
    return given_out(output, elementwise("subtract", once, array.node))


@names_axes
def white_tophat(
    input: ArrayLike,
    size: Sizes = None,
    footprint: ArrayLike | None = None,
    structure: ArrayLike | None = None,
    output: Output = None,
    mode: Modes = "reflect",
    cval: float = 0.0,
    origin: Origins = 0,
    *,
    axes: Axes = None,
) -> Array:
    """What an opening takes away, as `scipy.ndimage.white_tophat`.

    {Parameters} input, size, footprint, structure, output, mode, cval, origin, axes: As of
        `grey_erosion`.
    {Returns} Array: Shape of `input`.
    {Raises} FilterError, ArgumentError, AxisError, DTypeError: As `grey_erosion` does.
    {Examples}
    >>> dt.ndimage.white_tophat(dt.asarray([3, 9, 4, 8, 8]), size=3).compute()
    array([0, 5, 0, 0, 0])
    """
    function, array = "white_tophat", operand("white_tophat", input)
    how, dtype = (size, footprint, structure), output.dtype if isinstance(output, Array) else output
    least = eroded(function, array, *how, None, mode, cval, origin, axes)
    opened = dilated(function, least, *how, dtype, mode, cval, origin, axes)
    return _difference(array.node, opened.node, opened.dtype, output)


@names_axes
def black_tophat(
    input: ArrayLike,
    size: Sizes = None,
    footprint: ArrayLike | None = None,
    structure: ArrayLike | None = None,
    output: Output = None,
    mode: Modes = "reflect",
    cval: float = 0.0,
    origin: Origins = 0,
    *,
    axes: Axes = None,
) -> Array:
    """What a closing adds, as `scipy.ndimage.black_tophat`.

    {Parameters} input, size, footprint, structure, output, mode, cval, origin, axes: As of
        `grey_erosion`.
    {Returns} Array: Shape of `input`.
    {Raises} FilterError, ArgumentError, AxisError, DTypeError: As `grey_erosion` does.
    {Examples}
    >>> dt.ndimage.black_tophat(dt.asarray([3, 9, 4, 8, 8]), size=3).compute()
    array([6, 0, 4, 0, 0])
    """
    function, array = "black_tophat", operand("black_tophat", input)
    how, dtype = (size, footprint, structure), output.dtype if isinstance(output, Array) else output
    most = dilated(function, array, *how, None, mode, cval, origin, axes)
    closed = eroded(function, most, *how, dtype, mode, cval, origin, axes)
    return _difference(closed.node, array.node, closed.dtype, output)


def _difference(more: Tensor, less: Tensor, dtype: np.dtype[Any], output: Output) -> Array:
    """What is left: of bools those that are in one of both."""
    if more.type.dtype == less.type.dtype == bool:
        return given_out(output, elementwise("not_equal", more, less))
    return given_out(output, astype(elementwise("subtract", more, less), dtype))
