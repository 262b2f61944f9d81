"""An array taken apart along an axis."""

from __future__ import annotations

from itertools import accumulate, pairwise
from operator import index
from typing import Any

import numpy as np

from dask_tapestry.array.core.array import Array
from dask_tapestry.array.core.convert import asarray
from dask_tapestry.array.core.dispatch import implements
from dask_tapestry.errors import ShapeError
from dask_tapestry.operators.axes import normalize_axis
from dask_tapestry.operators.axis_slices import slice_axis

__all__ = ["array_split", "dsplit", "hsplit", "split", "unstack", "vsplit"]


@implements(np.array_split)
def array_split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Array]:
    """Cut an array before given places, or into so many parts, as `numpy.array_split`.

    Parts are as equal as they can be, the first ones longer.

    Raises
    ------
    ShapeError
        If the number of parts is not positive.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> [len(x) for x in dt.array_split(dt.arange(8), 3)]
    [3, 3, 2]
    """
    x = asarray(ary)
    number = normalize_axis(axis, x.ndim)
    extent = x.shape[number]
    if np.ndim(indices_or_sections):
        edges = [0, *[index(n) for n in indices_or_sections], extent]
    else:
        count = int(indices_or_sections)
        if count <= 0:
            raise ShapeError("number sections must be larger than 0.")
        each, longer = divmod(extent, count)
        lengths = [each + 1] * longer + [each] * (count - longer)
        edges = [0, *accumulate(lengths)]
    return [Array(slice_axis(x.node, number, a, b)) for a, b in pairwise(edges)]


@implements(np.split)
def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Array]:
    """Cut an array before given places, or into so many equal parts, as `numpy.split`.

    Raises
    ------
    ShapeError
        If equal parts there are none.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> [x.compute().tolist() for x in dt.split(dt.arange(5), [1, 3])]
    [[0], [1, 2], [3, 4]]
    """
    x = asarray(ary)
    if not np.ndim(indices_or_sections):
        extent = x.shape[normalize_axis(axis, x.ndim)]
        if extent % indices_or_sections:
            raise ShapeError("array split does not result in an equal division")
    return array_split(x, indices_or_sections, axis)


@implements(np.hsplit)
def hsplit(ary: Any, indices_or_sections: Any) -> list[Array]:
    """Split along the second axis, or the only one, as `numpy.hsplit`.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> [x.shape for x in dt.hsplit(dt.ones((2, 4)), 2)]
    [(2, 2), (2, 2)]
    """
    x = _with_rank(ary, 1, "hsplit")
    return split(x, indices_or_sections, 1 if x.ndim > 1 else 0)


@implements(np.vsplit)
def vsplit(ary: Any, indices_or_sections: Any) -> list[Array]:
    """Split along the first axis of two or more, as `numpy.vsplit`.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> [x.shape for x in dt.vsplit(dt.ones((4, 2)), [1])]
    [(1, 2), (3, 2)]
    """
    return split(_with_rank(ary, 2, "vsplit"), indices_or_sections, 0)


@implements(np.dsplit)
def dsplit(ary: Any, indices_or_sections: Any) -> list[Array]:
    """Split along the third axis, as `numpy.dsplit`.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> [x.shape for x in dt.dsplit(dt.ones((1, 2, 4)), 2)]
    [(1, 2, 2), (1, 2, 2)]
    """
    return split(_with_rank(ary, 3, "dsplit"), indices_or_sections, 2)


@implements(np.unstack)
def unstack(x: Any, /, *, axis: int = 0) -> tuple[Array, ...]:
    """Return the arrays that lie along an axis, as `numpy.unstack`.

    Raises
    ------
    ShapeError
        For an array without dimensions.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> [y.compute().tolist() for y in dt.unstack(dt.asarray([[1, 2], [3, 4]]), axis=1)]
    [[1, 3], [2, 4]]
    """
    array = asarray(x)
    if not array.ndim:
        raise ShapeError("Input array must be at least 1-d.")
    number = normalize_axis(axis, array.ndim)
    before = (slice(None),) * number
    return tuple(array[(*before, place)] for place in range(array.shape[number]))


def _with_rank(ary: Any, rank: int, name: str) -> Array:
    x = asarray(ary)
    if x.ndim < rank:
        raise ShapeError(f"{name} only works on arrays of {rank} or more dimensions")
    return x
