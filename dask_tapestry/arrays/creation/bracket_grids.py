"""Grids of slices in brackets, as NumPy's `mgrid` and `ogrid`: ``dt.mgrid[0:3, 0:1:5j]``."""

from __future__ import annotations

from math import ceil
from typing import Any, Final, NamedTuple

import numpy as np

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.creation.filled import empty
from dask_tapestry.arrays.creation.ranges import arange
from dask_tapestry.arrays.shape.broadcasting import broadcast_to
from dask_tapestry.errors import ArgumentTypeError, ShapeError

__all__ = ["mgrid", "ogrid"]


class _Line(NamedTuple):
    """Coordinates along a dimension: how many, from where, how far apart, the kinds of numbers."""

    length: int
    start: Any
    step: Any
    kinds: tuple[Any, ...]

    def cells(self, dtype: np.dtype[Any]) -> Array:
        """The coordinates, in one dimension."""
        cells: Array = arange(max(self.length, 0), dtype=dtype) * self.step + self.start
        return cells.astype(dtype)


def is_count(step: Any) -> bool:
    """Whether a step is complex, which says how many coordinates there are."""
    return isinstance(step, complex | np.complexfloating)


def line(part: Any) -> _Line:
    """Coordinates that a slice names: of a complex step, as many as it says, the end included.

    {Raises} TypeError: For anything but a slice, and for one without an end.
    """
    if not isinstance(part, slice) or part.stop is None:
        raise ArgumentTypeError(f"a slice with an end is needed, as 0:3 or 0:1:5j: {part!r}")
    start = 0 if part.start is None else part.start
    step = 1 if part.step is None else part.step
    if not is_count(step):
        count = ceil((part.stop - start) / step)
        return _Line(count, start, step, (start, part.stop, step))
    count = int(abs(step))
    apart = 1 if count == 1 else (part.stop - start) / float(count - 1)
    return _Line(count, start, apart, (start, part.stop, abs(step)))


class _Grid:
    """What slices in brackets are of: `mgrid`, or `ogrid` where the lines lie open."""

    name: str
    is_open: bool

    def __repr__(self) -> str:
        return f"dt.{self.name}"

    def __getitem__(self, key: Any) -> Any:
        if not isinstance(key, tuple):
            return _alone(key)
        lines = [line(part) for part in key]
        dtype = np.result_type(0, *[kind for one in lines for kind in one.kinds])
        shape = tuple(one.length for one in lines)
        opened = tuple(along(one.cells(dtype), dim, len(lines)) for dim, one in enumerate(lines))
        if self.is_open:
            return opened
        if min(shape, default=0) < 0:
            raise ShapeError(f"negative dimensions are not allowed: {shape}")
        return np.stack([broadcast_to(one, shape) for one in opened]) if opened else empty(0, dtype)


def along(x: Array, dim: int, rank: int) -> Array:
    """A vector along one of so many dimensions, of length one along the others."""
    return x.reshape([x.size if d == dim else 1 for d in range(rank)])


def _alone(part: Any) -> Array:
    """Coordinates of one slice that stands alone: a range, in its own dtype."""
    one = line(part)
    if is_count(part.step):
        return one.cells(np.result_type(*one.kinds))
    return arange(one.start, part.stop, one.step)


class _Filled(_Grid):
    """Coordinates of a grid of slices, filled, as `numpy.mgrid`.

    ``dt.mgrid[0:3, 0:1:5j]``: a slice for each dimension. A complex step says how many coordinates
    there are, the end among them.

    {Returns} Array: Shape ``(dimensions, *lengths)``; of one slice without a comma, its
        coordinates.
    {Raises}
        TypeError: For what is no slice, or has no end.
        ShapeError: For a slice that ends before it begins.
    {See Also} ogrid, indices, meshgrid
    {Examples}
    >>> dt.mgrid[0:2, 0:1:3j].compute()
    array([[[0. , 0. , 0. ],
            [1. , 1. , 1. ]],
    <BLANKLINE>
           [[0. , 0.5, 1. ],
            [0. , 0.5, 1. ]]])
    """

    name, is_open = "mgrid", False


class _Open(_Grid):
    """Coordinates of a grid of slices, one array for each dimension, as `numpy.ogrid`.

    {Returns} tuple of Array: Each has length one along the dimensions of the others.
    {Raises} TypeError: For what is no slice, or has no end.
    {See Also} mgrid, meshgrid
    {Examples}
    >>> rows, columns = dt.ogrid[0:2, 0:3]
    >>> (rows * 10 + columns).compute()
    array([[ 0,  1,  2],
           [10, 11, 12]])
    """

    name, is_open = "ogrid", True


mgrid: Final = _Filled()
ogrid: Final = _Open()
