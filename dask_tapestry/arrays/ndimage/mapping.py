"""Coordinates mapped to values, at any points: `map_coordinates`, `geometric_transform`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.amounts import reading
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.ndimage.arguments import Output
from dask_tapestry.arrays.ndimage.filter_error import FilterError
from dask_tapestry.arrays.ndimage.interpolation_arguments import Interpolation
from dask_tapestry.arrays.ndimage.splines import DType
from dask_tapestry.arrays.ndimage.transforms import shape_of
from dask_tapestry.cells.fixed_dtype import dtype_name
from dask_tapestry.errors import ArgumentTypeError, DTypeError
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.cells.cell_function import called_on_cells
from dask_tapestry.operators.cells.elementwise import astype
from dask_tapestry.operators.cells.field import field
from dask_tapestry.operators.generators.coordinates import coordinates as coordinates_of
from dask_tapestry.operators.images.points import bounds_of, points
from dask_tapestry.operators.indexing.index_ranges import IndexRanges
from dask_tapestry.operators.joins.axis_slices import slice_axis
from dask_tapestry.operators.views.squeeze import squeeze
from dask_tapestry.teg import Tensor
from dask_tapestry_kernels.parameters.splines import Spline

__all__ = ["geometric_transform", "map_coordinates"]

Block = np.ndarray[Any, Any]
DOUBLE = np.dtype(np.float64)


def map_coordinates(
    input: ArrayLike,
    coordinates: ArrayLike,
    output: Output = None,
    order: int = 3,
    mode: str = "constant",
    cval: complex = 0.0,
    prefilter: bool = True,
) -> Array:
    """Take the values of an array at given coordinates, as `scipy.ndimage.map_coordinates`.

    Coordinates may be lazy: then each block of the result reads all of `input`, which must fit on a
    worker. Where they are NumPy's, a block reads the box around its points.

    {Parameters}
        input, output, order, mode, cval, prefilter: As of `zoom`.
        coordinates: Real numbers; the first axis is as long as `input` has dimensions, the others
            are those of the result.
    {Returns} Array: Shape ``coordinates.shape[1:]``.
    {Raises} FilterError, ArgumentError, DTypeError: As `zoom` does; also for coordinates of another
        shape, or that are complex.

    Notes
    -----
    A coordinate that is no number has `cval`.

    {Examples}
    >>> x = dt.arange(12.0).reshape(4, 3)
    >>> dt.ndimage.map_coordinates(x, [[0.5, 2], [0.5, 1]], order=1).compute()
    array([2., 7.])
    """
    name = "map_coordinates"
    how = Interpolation.of(name, order, mode, cval, prefilter)
    array = how.operand(input)
    bounds: IndexRanges | None = None
    with reading(f"{name}: coordinates"):
        where = coordinates if isinstance(coordinates, Array) else np.asarray(coordinates)
    if where.dtype.kind not in "biuf" or where.dtype.char in "g":
        raise DTypeError(f"{name}: coordinates must be real, not {dtype_name(where.dtype)}")
    if where.ndim < 2:
        raise FilterError(
            f"{name}: input and output rank must be > 0: coordinates have shape {where.shape}"
        )
    if where.shape[0] != array.ndim:
        raise FilterError(
            f"{name}: invalid shape for coordinate array: {where.shape} for an input of "
            f"{array.ndim} dimensions"
        )
    if isinstance(where, np.ndarray):
        bounds = bounds_of(where)
    node = asarray(where).node
    lines = [
        astype(squeeze(slice_axis(node, 0, axis, axis + 1), (0,)), DOUBLE)
        for axis in range(array.ndim)
    ]
    return _values_at(how, array, lines, bounds, output, tuple(where.shape[1:]))


def geometric_transform(
    input: ArrayLike,
    mapping: Callable[..., Sequence[float]],
    output_shape: Iterable[int] | None = None,
    output: Output = None,
    order: int = 3,
    mode: str = "constant",
    cval: complex = 0.0,
    prefilter: bool = True,
    extra_arguments: tuple[Any, ...] = (),
    extra_keywords: Mapping[str, Any] | None = None,
) -> Array:
    """Take the values of an array where a function says, as `scipy.ndimage.geometric_transform`.

    The function is called for each cell of the result, a microsecond or more each, on workers; each
    block of the result reads all of `input`. `map_coordinates` takes coordinates of all cells at
    once.

    {Parameters}
        input, output, order, mode, cval, prefilter: As of `zoom`.
        mapping: Takes the coordinates of a cell of the result, a tuple of integers, and returns
            those in `input`.
        output_shape: Shape of the result; by default that of `input`.
        extra_arguments, extra_keywords: What else the function gets.
    {Returns} Array: The result.
    {Raises}
        FilterError, ArgumentError, DTypeError: As `zoom` does; a `FilterError` too, when blocks are
            computed, where the function returns another number of coordinates.
        ArgumentTypeError: If `mapping` is no Python function.
    {Examples}
    >>> x = dt.arange(12.0).reshape(4, 3)
    >>> dt.ndimage.geometric_transform(x, lambda o: (o[0] - 0.5, o[1]), order=1).compute()
    array([[0. , 0. , 0. ],
           [1.5, 2.5, 3.5],
           [4.5, 5.5, 6.5],
           [7.5, 8.5, 9.5]])
    """
    name = "geometric_transform"
    how = Interpolation.of(name, order, mode, cval, prefilter)
    array = how.operand(input)
    if not callable(mapping):
        raise ArgumentTypeError(
            f"{name}: mapping must be a Python function, not {type(mapping).__name__}"
        )
    shape = array.shape if output_shape is None else shape_of(name, output_shape)
    with reading(f"{name}: extra_arguments and extra_keywords"):
        more, named = tuple(extra_arguments), dict(extra_keywords or {})
    told = Mapped(mapping, array.ndim, more, named)
    kind = np.dtype([(f"c{axis}", DOUBLE) for axis in range(array.ndim)])
    numbers = [coordinates_of(shape, axis) for axis in range(len(shape))]
    where = called_on_cells(told, kind, numbers)
    lines = [field(where, label) for label in kind.names or ()]
    return _values_at(how, array, lines, None, output, shape)


@dataclass(frozen=True)
class Mapped:
    """A function of coordinates, called for each cell of blocks of them."""

    function: Callable[..., Any]
    ndim: int
    arguments: tuple[Any, ...]
    keywords: Mapping[str, Any]

    def __call__(self, *numbers: Block) -> Block:
        coordinates = np.empty((numbers[0].size, self.ndim))
        places = zip(*[one.reshape(-1).tolist() for one in numbers], strict=True)
        for row, place in enumerate(places):
            source = tuple(self.function(place, *self.arguments, **self.keywords))
            if len(source) != self.ndim:
                raise FilterError(
                    f"geometric_transform: mapping returned {len(source)} coordinates of an input "
                    f"of {self.ndim} dimensions"
                )
            coordinates[row] = source
        kind = np.dtype([(f"c{axis}", DOUBLE) for axis in range(self.ndim)])
        cells: Block = coordinates.view(kind).reshape(numbers[0].shape)
        return cells


def _values_at(
    how: Interpolation,
    array: Array,
    lines: Sequence[Tensor],
    bounds: IndexRanges | None,
    output: Output,
    shape: tuple[int, ...],
) -> Array:
    def read(x: Tensor, pad: int, fill: float, own: DType) -> Tensor:
        spline = Spline(x.type.shape, pad, how.order, how.mode, fill)
        return points(x, lines, spline, bounds, own)

    return how.interpolated(array, output, shape, range(array.ndim), read)
