"""Cells at given places along an axis: `take`, `take_along_axis`, `put_along_axis`."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.amounts import is_one_of, reading
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.core.index_keys import wrapped
from dask_tapestry.arrays.core.out_argument import assigned_to_out
from dask_tapestry.arrays.creation.filled import zeros
from dask_tapestry.arrays.indexing.getitem import getitem
from dask_tapestry.arrays.indexing.setitem import setitem
from dask_tapestry.errors import ArgumentError, DTypeError, IndexingError, ShapeError
from dask_tapestry.operators.axes import normalize_axis
from dask_tapestry.operators.indexing.take import open_grid
from dask_tapestry.operators.indexing.take import take_along_axis as take_along

__all__ = ["put_along_axis", "take", "take_along_axis"]

Mode = Literal["raise", "wrap", "clip"]
Places = Array | np.ndarray[Any, np.dtype[np.intp]]


def places_within(indices: ArrayLike, extent: int, mode: Mode) -> Places:
    """Places with those out of bounds treated as `mode` says; NumPy data stays NumPy's.

    {Raises}
        ArgumentError: For an unknown mode.
        IndexingError: For any place where there is none.
        DTypeError: For numbers that are no integers.
    """
    if not is_one_of(mode, get_args(Mode)):
        raise ArgumentError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got {mode!r})")
    if isinstance(indices, Array):
        if indices.dtype.kind not in "biu":
            raise DTypeError(
                f"indices must be integers: cast {indices.dtype} to int64 by astype first"
            )
        wrapped: Places = indices.astype(np.intp) if indices.dtype == bool else indices
    elif isinstance(indices, np.ndarray | np.generic):
        with reading("indices"):
            wrapped = np.asarray(indices).astype(np.intp, casting="same_kind")
    else:
        with reading("indices"):
            wrapped = np.asarray(indices, np.intp)
    if mode == "raise":
        return wrapped
    if not extent and np.prod(wrapped.shape):
        raise IndexingError("cannot do a non-empty take from an empty axes.")
    return wrapped % extent if mode == "wrap" and extent else wrapped.clip(0, max(extent - 1, 0))


@implements(np.take)
def take(
    a: ArrayLike,
    indices: ArrayLike,
    axis: int | None = None,
    out: Array | None = None,
    mode: Mode = "raise",
) -> Array:
    """Return the slices of an array at given places along an axis, as `numpy.take`.

    {Parameters}
        {a.array}
        indices: Places of any shape; those of an `Array` are checked when they are computed.
        axis: Along which; None takes from the flattened array.
        out: An array that takes the result's value.
        mode: What a place out of bounds means: ``"raise"`` an error, ``"wrap"`` around, or
            ``"clip"`` to the nearest place.
    {Returns} Array: Shape of `a` with that of `indices` in place of the axis.
    {Raises}
        IndexingError: For a known place that is out of bounds.
        ArgumentError: For an unknown mode.
    {See Also} take_along_axis : one place for each cell.
    {Examples}
    >>> dt.take(dt.arange(4) * 10, [3, 0]).compute()
    array([30,  0])
    """
    array = asarray(a)
    if axis is None or not array.ndim:
        array, axis = array.ravel(), axis or 0
    number = normalize_axis(axis, array.ndim)
    before, extent, behind = array.shape[:number], array.shape[number], array.shape[number + 1 :]
    # NumPy looks at no place where there is nothing to take.
    nothing = 0 in before or (not is_one_of(mode, ("raise",)) and 0 in behind)
    places = places_within(indices, extent or int(nothing), mode)
    if isinstance(places, np.ndarray) and nothing:
        return assigned_to_out(out, zeros((*before, *places.shape, *behind), array.dtype))
    return assigned_to_out(out, getitem(array, (*(slice(None),) * number, places)))


@implements(np.take_along_axis)
def take_along_axis(arr: ArrayLike, indices: ArrayLike, axis: int | None = -1) -> Array:
    """Return cells at places along an axis, one place for each cell, as `numpy.take_along_axis`.

    {Parameters}
        {arr}
        indices: Places, in as many dimensions as `arr` has; the other dimensions broadcast.
        axis: Along which; None takes from the flattened array.
    {Returns} Array: As long along `axis` as `indices`, in the dtype of `arr`.
    {Raises}
        IndexingError: For places that are no integers, or known ones out of bounds.
        ShapeError: If the numbers of dimensions differ.
    {See Also} take, put_along_axis, argsort
    {Examples}
    >>> x = dt.asarray([[3, 1, 2], [5, 6, 4]])
    >>> dt.take_along_axis(x, dt.argmin(x, axis=1, keepdims=True), axis=1).compute()
    array([[1],
           [4]])
    """
    array, places, number = _checked_arguments(arr, indices, axis)
    try:
        return Array(take_along(array.node, places.node, number))
    except ShapeError as error:
        raise IndexingError(f"shape mismatch: {error}") from None


def _checked_arguments(
    arr: ArrayLike, indices: ArrayLike, axis: int | None
) -> tuple[Array, Array, int]:
    """The array, places in as many dimensions, and the axis as a number from 0."""
    array = asarray(arr)
    if axis is None:
        array, axis = array.ravel(), 0
    number = normalize_axis(axis, array.ndim)
    if not isinstance(indices, Array):
        with reading("indices"):
            indices = np.asarray(indices)
    dtype = indices.dtype
    if dtype.kind not in "iu":
        raise IndexingError("`indices` must be an integer array")
    if np.ndim(indices) != array.ndim:
        raise ShapeError("`indices` and `arr` must have the same number of dimensions")
    if not isinstance(indices, Array):
        indices = wrapped(indices, array.shape[number], number)
    return array, asarray(indices), number


@implements(np.put_along_axis)
def put_along_axis(
    arr: Array, indices: ArrayLike, values: ArrayLike, axis: int | None = -1
) -> None:
    """Put values at places along an axis, one place for each, as `numpy.put_along_axis`.

    The array is a new value from then on; what was made of it before keeps its value.

    {Parameters}
        arr: The array that takes the new value.
        indices: Places, in as many dimensions as `arr` has; the other dimensions broadcast.
        values: Broadcast to the shape of `indices`, and converted to the dtype of `arr`.
        axis: Along which; None puts into the flattened array.
    {Returns} None
    {Raises}
        IndexingError: For places that are no integers, or known ones out of bounds.
        ShapeError: If the numbers of dimensions differ, or the values do not broadcast.
    {See Also} take_along_axis
    {Examples}
    >>> x = dt.asarray([[3, 1, 2], [5, 6, 4]])
    >>> dt.put_along_axis(x, dt.argmax(x, axis=1, keepdims=True), 0, axis=1)
    >>> x.compute()
    array([[0, 1, 2],
           [5, 0, 4]])
    """
    if axis is None:
        flat = arr.ravel()
        put_along_axis(flat, indices, values, 0)
        arr.node = flat.reshape(arr.shape).node
        return
    array, places, number = _checked_arguments(arr, indices, axis)
    shape = tuple(n if dim != number else 1 for dim, n in enumerate(array.shape))
    grid: list[Any] = [Array(c) for c in open_grid(shape)]
    grid[number] = places
    setitem(arr, tuple(grid), values)
