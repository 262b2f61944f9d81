"""Arrays taken apart along an axis: `split` and the like, `unstack`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.amounts import integer, listed, reading
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.errors import ShapeError
from dask_tapestry.operators.axes import normalize_axis
from dask_tapestry.operators.joins.axis_slices import slice_axis

__all__ = ["array_split", "dsplit", "hsplit", "split", "unstack", "vsplit"]

Sections = SupportsIndex | Sequence[SupportsIndex] | np.ndarray[Any, Any]


@implements(np.array_split)
def array_split(ary: ArrayLike, indices_or_sections: Sections, axis: int = 0) -> list[Array]:
    """Cut an array into parts that need not be equal, as `numpy.array_split`.

    {Parameters}
        ary: The array.
        indices_or_sections: The places before which to cut, in order; or how many parts: the first
            ones may be longer by one.
        axis: Along which to cut.
    {Returns} list of Array: The parts in order, each with as many dimensions as `ary`.
    {Raises}
        ShapeError: If the number of parts is not positive.
        {AxisError}
    {See Also} split : refuses parts that are not equal.
    {Examples}
    >>> [len(x) for x in dt.array_split(dt.arange(8), 3)]
    [3, 3, 2]
    """
    x = asarray(ary)
    number = normalize_axis(axis, x.ndim)
    edges = _edges(indices_or_sections, x.shape[number])
    return [Array(slice_axis(x.node, number, a, b)) for a, b in pairwise(edges)]


@reading("sections")
def _edges(sections: Any, extent: int) -> list[int]:
    """Where the parts of `extent` cells begin and end: given places, or of so many parts."""
    if np.ndim(sections):
        return [0, *[integer(n) for n in listed(sections, "places")], extent]
    count = integer(sections)
    if count <= 0:
        raise ShapeError("number sections must be larger than 0.")
    each, longer = divmod(extent, count)
    lengths = [each + 1] * longer + [each] * (count - longer)
    return [0, *accumulate(lengths)]


@implements(np.split)
def split(ary: ArrayLike, indices_or_sections: Sections, axis: int = 0) -> list[Array]:
    """Cut an array into equal parts, or at given places, as `numpy.split`.

    {Parameters}
        ary: The array.
        indices_or_sections: The places before which to cut, in order; or how many equal parts.
        axis: Along which to cut.
    {Returns} list of Array: The parts in order, each with as many dimensions as `ary`.
    {Raises}
        ShapeError: If the parts would not be equal.
        {AxisError}
    {See Also} array_split, hsplit, vsplit, dsplit, unstack
    {Examples}
    >>> [x.compute().tolist() for x in dt.split(dt.arange(5), [1, 3])]
    [[0], [1, 2], [3, 4]]
    """
    x = asarray(ary)
    count: Any = indices_or_sections
    with reading("sections"):
        alone = not np.ndim(count)
    if alone and x.shape[normalize_axis(axis, x.ndim)] % (integer(count) or 1):
        raise ShapeError("array split does not result in an equal division")
    return array_split(x, indices_or_sections, axis)


@implements(np.hsplit)
def hsplit(ary: ArrayLike, indices_or_sections: Sections) -> list[Array]:
    """Split along the second axis, or the only one, as `numpy.hsplit`.

    {Parameters}
        ary: The array, of one dimension at least.
        indices_or_sections: As of `split`.
    {Returns} list of Array: The parts in order.
    {Raises} ShapeError: If the parts would not be equal, or for an array without dimensions.
    {See Also} split, vsplit, dsplit
    {Examples}
    >>> [x.shape for x in dt.hsplit(dt.ones((2, 4)), 2)]
    [(2, 2), (2, 2)]
    """
    x = _of_rank(ary, 1, "hsplit")
    return split(x, indices_or_sections, 1 if x.ndim > 1 else 0)


@implements(np.vsplit)
def vsplit(ary: ArrayLike, indices_or_sections: Sections) -> list[Array]:
    """Split along the first axis of two or more, as `numpy.vsplit`.

    {Parameters}
        ary: The array, of two dimensions at least.
        indices_or_sections: As of `split`.
    {Returns} list of Array: The parts in order.
    {Raises} ShapeError: If the parts would not be equal, or for less than two dimensions.
    {See Also} split, hsplit, dsplit
    {Examples}
    >>> [x.shape for x in dt.vsplit(dt.ones((4, 2)), [1])]
    [(1, 2), (3, 2)]
    """
    return split(_of_rank(ary, 2, "vsplit"), indices_or_sections, 0)


@implements(np.dsplit)
def dsplit(ary: ArrayLike, indices_or_sections: Sections) -> list[Array]:
    """Split along the third axis, as `numpy.dsplit`.

    {Parameters}
        ary: The array, of three dimensions at least.
        indices_or_sections: As of `split`.
    {Returns} list of Array: The parts in order.
    {Raises} ShapeError: If the parts would not be equal, or for less than three dimensions.
    {See Also} split, hsplit, vsplit
    {Examples}
    >>> [x.shape for x in dt.dsplit(dt.ones((1, 2, 4)), 2)]
    [(1, 2, 2), (1, 2, 2)]
    """
    return split(_of_rank(ary, 3, "dsplit"), indices_or_sections, 2)


def _of_rank(ary: ArrayLike, rank: int, name: str) -> Array:
    """`ary`, which function `name` demands to have at least `rank` dimensions."""
    x = asarray(ary)
    if x.ndim < rank:
        raise ShapeError(f"{name} only works on arrays of {rank} or more dimensions")
    return x


@implements(np.unstack)
def unstack(x: ArrayLike, /, *, axis: int = 0) -> tuple[Array, ...]:
    """Return the slices of an array along an axis, without that axis, as `numpy.unstack`.

    {Parameters}
        {x}
        axis: The axis to take apart.
    {Returns} tuple of Array: One array for each place along the axis.
    {Raises}
        ShapeError: For an array without dimensions.
        {AxisError}
    {See Also} stack : the inverse.
    {Examples}
    >>> [y.compute().tolist() for y in dt.unstack(dt.asarray([[1, 2], [3, 4]]), axis=1)]
    [[1, 3], [2, 4]]
    """
    array = asarray(x)
    if not array.ndim:
        raise ShapeError("Input array must be at least 1-d.")
    number = normalize_axis(axis, array.ndim)
    before: tuple[slice | int, ...] = (slice(None),) * number
    return tuple(array[*before, place] for place in range(array.shape[number]))
