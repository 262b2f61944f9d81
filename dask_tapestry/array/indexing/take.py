"""Cells at places, by function: `take`, `take_along_axis`, `put_along_axis`, `choose`, `select`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dask_tapestry.array.core.array import Array
from dask_tapestry.array.core.convert import asarray
from dask_tapestry.array.core.dispatch import implements
from dask_tapestry.array.core.index_keys import wrapped
from dask_tapestry.array.creation.filled import zeros
from dask_tapestry.array.elementwise.choosing import where
from dask_tapestry.array.indexing.getitem import getitem, setitem
from dask_tapestry.errors import ArgumentError, IndexingError, ShapeError
from dask_tapestry.operators.axes import normalize_axis
from dask_tapestry.operators.take import open_grid
from dask_tapestry.operators.take import take_along_axis as take_along

__all__ = ["choose", "put_along_axis", "select", "take", "take_along_axis"]

MODES = ("clip", "raise", "wrap")


def _places(indices: Any, extent: int, mode: str) -> Any:
    """Places within bounds as the mode has it; NumPy data stays that, to be checked now."""
    if mode not in MODES:
        raise ArgumentError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got {mode!r})")
    if isinstance(indices, Array):
        places: Any = indices.astype(np.intp) if indices.dtype == bool else indices
    elif isinstance(indices, np.ndarray | np.generic):
        places = np.asarray(indices).astype(np.intp, casting="same_kind")
    else:
        places = np.asarray(indices, np.intp)
    if mode == "raise":
        return places
    if not extent and np.prod(places.shape):
        raise IndexingError("cannot do a non-empty take from an empty axes.")
    return places % extent if mode == "wrap" and extent else places.clip(0, max(extent - 1, 0))


@implements(np.take)
def take(a: Any, indices: Any, axis: int | None = None, mode: str = "raise") -> Array:
    """Return the slices of an array along `axis` at the places `indices`, as `numpy.take`.

    Parameters
    ----------
    a
        The array.
    indices
        Places, of any shape, which takes that of the axis; lazy ones are checked when computed.
    axis
        None takes from the flattened array.
    mode
        What a place out of bounds means: ``"raise"``, ``"wrap"`` or ``"clip"``.

    Raises
    ------
    IndexingError
        For a known place that is out of bounds.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.take(dt.arange(4) * 10, [3, 0]).compute()
    array([30,  0])
    """
    array = asarray(a)
    if axis is None or not array.ndim:
        array, axis = array.ravel(), axis or 0
    number = normalize_axis(axis, array.ndim)
    places = _places(indices, array.shape[number], mode)
    if isinstance(places, np.ndarray) and 0 in array.shape[:number]:
        sides = (*array.shape[:number], *places.shape, *array.shape[number + 1 :])
        return zeros(sides, array.dtype)  # NumPy looks at no place where there is nothing to take
    return getitem(array, (*(slice(None),) * number, places))


@implements(np.take_along_axis)
def take_along_axis(arr: Any, indices: Any, axis: int | None = -1) -> Array:
    """Return the cells at other places along `axis`, one place for each, as NumPy's function.

    The other dimensions broadcast against each other.

    Raises
    ------
    IndexingError
        For places that are no integers, or known ones out of bounds.
    ShapeError
        If the numbers of dimensions differ.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> x = dt.asarray([[3, 1, 2], [5, 6, 4]])
    >>> dt.take_along_axis(x, dt.argmin(x, axis=1, keepdims=True), axis=1).compute()
    array([[1],
           [4]])
    """
    array, places, number = _along(arr, indices, axis)
    try:
        return Array(take_along(array.node, places.node, number))
    except ShapeError as error:
        raise IndexingError(f"shape mismatch: {error}") from None


def _along(arr: Any, indices: Any, axis: int | None) -> tuple[Array, Array, int]:
    """Array, places of as many dimensions, and the axis as a number."""
    array = asarray(arr)
    if axis is None:
        array, axis = array.ravel(), 0
    number = normalize_axis(axis, array.ndim)
    dtype = indices.dtype if hasattr(indices, "dtype") else np.asarray(indices).dtype
    if dtype.kind not in "iu":
        raise IndexingError("`indices` must be an integer array")
    if np.ndim(indices) != array.ndim:
        raise ShapeError("`indices` and `arr` must have the same number of dimensions")
    if not isinstance(indices, Array):
        indices = wrapped(np.asarray(indices), array.shape[number], number)
    return array, asarray(indices), number


@implements(np.put_along_axis)
def put_along_axis(arr: Array, indices: Any, values: Any, axis: int | None = -1) -> None:
    """Put values at other places along `axis`, one place for each, as `numpy.put_along_axis`.

    The array is a new value from then on; what was made of it before keeps its value.

    Examples
    --------
    >>> import dask_tapestry as dt
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
    array, places, number = _along(arr, indices, axis)
    shape = tuple(n if dim != number else 1 for dim, n in enumerate(array.shape))
    grid: list[Any] = [Array(c) for c in open_grid(shape)]
    grid[number] = places
    setitem(arr, tuple(grid), values)


@implements(np.choose)
def choose(a: Any, choices: Any, mode: str = "raise") -> Array:
    """Return cells of one of several arrays, by number, as `numpy.choose`.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.choose([0, 1, 1], [[1, 2, 3], [40, 50, 60]]).compute()
    array([ 1, 50, 60])
    """
    number = asarray(a)
    given = [asarray(c) for c in choices]
    shape = np.broadcast_shapes(number.shape, *[c.shape for c in given])
    dtype = np.result_type(*[c.dtype for c in given])
    spread = [np.broadcast_to(c.astype(dtype), shape)[None] for c in given]
    table = np.concatenate(spread)
    if not isinstance(a, Array):
        places = _places(a, len(given), mode)
        if places.size and not 0 <= places.min() <= places.max() < len(given):
            raise ArgumentError("invalid entry in choice array")
        number = asarray(places)
    else:
        number = _places(number, len(given), mode)
    wide = np.broadcast_to(number, shape)[None]
    return take_along_axis(table, wide, 0)[0]


@implements(np.select)
def select(condlist: Sequence[Any], choicelist: Sequence[Any], default: Any = 0) -> Array:
    """Return cells of the first array whose condition holds, as `numpy.select`.

    Raises
    ------
    ShapeError
        If there are not as many conditions as choices, or none.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> x = dt.arange(5)
    >>> dt.select([x < 2, x > 3], [x, x * 10], default=-1).compute()
    array([ 0,  1, -1, -1, 40])
    """
    if len(condlist) != len(choicelist):
        raise ArgumentError("list of cases must be same length as list of conditions")
    if not condlist:
        raise ArgumentError("select with an empty condition list is not possible")
    conditions = [asarray(c) for c in condlist]
    for place, condition in enumerate(conditions):
        if condition.dtype != bool:
            raise TypeError(f"invalid entry {place} in condlist: should be boolean ndarray")
    kinds = [c if isinstance(c, int | float | complex) else asarray(c).dtype for c in choicelist]
    dtype = np.result_type(*kinds, default if np.isscalar(default) else asarray(default).dtype)
    result = asarray(default).astype(dtype)
    for condition, choice in zip(conditions[::-1], list(choicelist)[::-1], strict=True):
        result = where(condition, asarray(choice).astype(dtype), result)
    return result
