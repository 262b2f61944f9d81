"""Arrays turned, stretched and moved: `affine_transform` and `rotate`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.amounts import integers, listed, reading
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.axis_names import names_axes
from dask_tapestry.arrays.ndimage.arguments import Output, known_cells
from dask_tapestry.arrays.ndimage.degrees import cosine, sine
from dask_tapestry.arrays.ndimage.filter_error import FilterError
from dask_tapestry.arrays.ndimage.interpolation_arguments import Interpolation, truth
from dask_tapestry.arrays.ndimage.splines import DType
from dask_tapestry.errors import ArgumentError
from dask_tapestry.operators.images.affine_points import affine_points
from dask_tapestry.operators.images.resample import resample
from dask_tapestry.teg import Tensor
from dask_tapestry_kernels.parameters.splines import Spline, SplineAxis

__all__ = ["affine_transform", "rotate"]

Block = np.ndarray[Any, Any]


def affine_transform(
    input: ArrayLike,
    matrix: ArrayLike,
    offset: float | Sequence[float] = 0.0,
    output_shape: Iterable[int] | None = None,
    output: Output = None,
    order: int = 3,
    mode: str = "constant",
    cval: complex = 0.0,
    prefilter: bool = True,
) -> Array:
    """Take the values of an array at ``matrix @ o + offset``, as `scipy.ndimage.affine_transform`.

    A block, or a slice, of the result reads the box around its points; coefficients of a spline
    that is found first (`prefilter`) are whole lines.

    {Parameters}
        input, output, order, mode, cval, prefilter: As of `zoom`.
        matrix: Of as many rows as `input` has dimensions, and of as many columns as the result has;
            one dimension of it is a diagonal. With a further column, which is the offset, and
            perhaps a further row of zeros and a 1, it is one of homogeneous coordinates.
        offset: Along all axes, or one each.
        output_shape: Shape of the result; by default that of `output` if that is an array, else of
            `input`.
    {Returns} Array: The result.
    {Raises} FilterError, ArgumentError, DTypeError: As `zoom` does; also for a matrix or an offset
        of another shape.

    Notes
    -----
    Coordinates are sums of products that begin with the offset, as in SciPy 1.17: where that is
    built without fused multiplications, values have its bits. A coordinate that is no number has
    `cval`.

    {Examples}
    >>> x = dt.arange(12.0).reshape(3, 4)
    >>> dt.ndimage.affine_transform(x, [[0, 1], [1, 0]], output_shape=(4, 3), order=1).compute()
    array([[ 0.,  4.,  8.],
           [ 1.,  5.,  9.],
           [ 2.,  6., 10.],
           [ 3.,  7., 11.]])
    """
    name = "affine_transform"
    how = Interpolation.of(name, order, mode, cval, prefilter)
    array = how.operand(input)
    if output_shape is None:
        shape = output.shape if isinstance(output, Array) else array.shape
    else:
        shape = shape_of(name, output_shape)
    factors, moved = _map(known_cells(name, "matrix", matrix), offset, array.ndim, len(shape))
    return _transformed(how, array, output, shape, factors, moved)


@names_axes
def rotate(
    input: ArrayLike,
    angle: float,
    axes: Sequence[int] = (1, 0),
    reshape: bool = True,
    output: Output = None,
    order: int = 3,
    mode: str = "constant",
    cval: complex = 0.0,
    prefilter: bool = True,
) -> Array:
    """Rotate an array in the plane of two of its axes, as `scipy.ndimage.rotate`.

    {Parameters}
        input, output, order, mode, cval, prefilter: As of `zoom`; `input` has two dimensions or
            more.
        angle: In degrees.
        axes: Of the plane.
        reshape: Whether the result is as large as the turned array; else as large as `input`.
    {Returns} Array: The result.
    {Raises}
        ArgumentError: For less than two dimensions, or axes that are no two of them.
        FilterError, DTypeError: As `zoom` does.
    {Examples}
    >>> dt.ndimage.rotate(dt.arange(6).reshape(2, 3), 90).compute()
    array([[2, 5],
           [1, 4],
           [0, 3]])
    """
    how = Interpolation.of("rotate", order, mode, cval, prefilter)
    array = how.operand(input)
    plane = _plane(axes, array.ndim)
    with reading("rotate: angle"):
        c, s = cosine(float(angle)), sine(float(angle))
    if not np.isfinite(c):
        raise FilterError(f"rotate: angle must be finite, not {angle!r}")
    matrix = np.array([[c, s], [-s, c]])
    sides = np.array([array.shape[axis] for axis in plane])
    turned = sides
    if truth("rotate", "reshape", reshape):
        height, width = sides
        corners = matrix @ np.array([[0, 0, height, height], [0, width, 0, width]])
        turned = (np.ptp(corners, axis=1) + 0.5).astype(int)
    offset = (sides - 1) / 2 - matrix @ ((turned - 1) / 2)
    shape = list(array.shape)
    for axis, side in zip(plane, turned.tolist(), strict=True):
        shape[axis] = side
    return _transformed(how, array, output, tuple(shape), matrix, offset, plane)


def _plane(axes: Sequence[int], ndim: int) -> tuple[int, ...]:
    """Two axes in order.

    {Raises} ArgumentError: If they are not that.
    """
    if ndim < 2:
        raise ArgumentError(f"rotate: input array should be at least 2D, it has {ndim} dimension")
    listed_axes = listed(axes, "axes")
    if len(listed_axes) != 2:
        raise ArgumentError(f"rotate: axes should contain exactly two values, not {axes!r}")
    with reading("rotate: axes"):
        whole = all(float(axis).is_integer() for axis in listed_axes)
    if not whole:
        raise ArgumentError(f"rotate: axes should contain only integer values, not {axes!r}")
    plane = sorted(int(axis) + ndim if axis < 0 else int(axis) for axis in listed_axes)
    if plane[0] < 0 or plane[1] >= ndim or plane[0] == plane[1]:
        raise ArgumentError(
            f"rotate: invalid rotation plane specified: {axes!r} of {ndim} dimensions"
        )
    return tuple(plane)


def shape_of(function: str, given: Iterable[int]) -> tuple[int, ...]:
    """Shape of a result.

    {Raises} FilterError: If it has no dimensions, or a negative side.
    """
    shape = integers(given, f"{function}: output_shape")
    if not shape or min(shape) < 0:
        why = "input and output rank must be > 0" if not shape else "sides must not be negative"
        raise FilterError(f"{function}: {why}: output_shape is {shape}")
    return shape


def _map(matrix: Block, offset: Any, ndim: int, out_ndim: int) -> tuple[Block, Block]:
    """Matrix, or its diagonal, and offset of an affine map.

    {Raises}
        FilterError: If their shapes do not fit.
        ArgumentError: If the last row of a homogeneous matrix is none.
    """
    name = "affine_transform"
    if matrix.dtype.kind == "c" or matrix.ndim not in (1, 2) or matrix.shape[0] < 1:
        raise FilterError(
            f"{name}: no proper affine matrix provided: {matrix.dtype} of shape {matrix.shape}"
        )
    factors = matrix.astype(np.float64)
    wide = matrix.ndim == 2 and matrix.shape[1] == ndim + 1
    if wide and matrix.shape[0] in (ndim, ndim + 1):
        last = [0] * ndim + [1]
        if matrix.shape[0] == ndim + 1 and not np.all(factors[ndim] == last):
            raise ArgumentError(
                f"{name}: Expected homogeneous transformation matrix with shape {matrix.shape} for "
                f"image of {ndim} dimensions, but bottom row was not equal to {last}"
            )
        offset, factors = factors[:ndim, ndim], factors[:ndim, :ndim]
    if factors.shape[0] != ndim:
        raise FilterError(
            f"{name}: affine matrix has wrong number of rows: {factors.shape[0]} for {ndim}"
        )
    columns = factors.shape[1] if factors.ndim == 2 else ndim
    if columns != out_ndim:
        raise FilterError(
            f"{name}: affine matrix has wrong number of columns: {columns} for {out_ndim}"
        )
    moved = known_cells(name, "offset", offset)
    if moved.dtype.kind == "c" or moved.shape not in ((), (ndim,)):
        raise FilterError(
            f"{name}: no proper offset provided: {moved.dtype} of shape {moved.shape} for {ndim} "
            "dimensions"
        )
    return factors, np.broadcast_to(moved.astype(np.float64), (ndim,))


def _transformed(
    how: Interpolation,
    array: Array,
    output: Output,
    shape: tuple[int, ...],
    matrix: Block,
    offset: Block,
    plane: tuple[int, ...] | None = None,
) -> Array:
    """The values at the points of an affine map; in a plane of axes where one is given."""
    axes = tuple(range(array.ndim)) if plane is None else plane
    outs = tuple(range(len(shape))) if plane is None else plane

    def read(x: Tensor, pad: int, fill: float, own: DType) -> Tensor:
        lengths = tuple(x.type.shape[axis] for axis in axes)
        if matrix.ndim == 1:
            with np.errstate(all="ignore"):
                ways = zip(lengths, (offset / matrix).tolist(), matrix.tolist(), strict=True)
            lines = [SplineAxis(n, pad, moved, factor) for n, moved, factor in ways]
            return resample(x, lines, shape, how.order, how.mode, fill, own)
        spline = Spline(lengths, pad, how.order, how.mode, fill)
        rows = tuple(tuple(row) for row in matrix.tolist())
        return affine_points(x, spline, rows, offset.tolist(), axes, outs, shape, own)

    return how.interpolated(array, output, shape, axes, read)
