"""`insert` and `delete`: cells put in or left out along an axis, at places that are known now."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.amounts import reading
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.core.known_values import known_now
from dask_tapestry.arrays.manipulation.repeating import take_known
from dask_tapestry.arrays.shape.atleast import with_rank
from dask_tapestry.arrays.shape.reshaping import ravel
from dask_tapestry.arrays.shape.transposing import moveaxis
from dask_tapestry.errors import IndexingError, ShapeError
from dask_tapestry.operators.axes import normalize_axis
from dask_tapestry.operators.joins.axis_slices import pick, slice_axis
from dask_tapestry.operators.joins.concat import concat
from dask_tapestry.operators.views.broadcast import broadcast
from dask_tapestry.operators.views.reshape import reshape
from dask_tapestry.teg import Tensor

__all__ = ["delete", "insert"]

Places = ArrayLike | slice


@implements(np.insert)
def insert(arr: ArrayLike, obj: Places, values: ArrayLike, axis: int | None = None) -> Array:
    """Insert values before given places along an axis, as `numpy.insert`.

    {Parameters}
        {arr}
        obj: The places in `arr`: an integer, a slice, or integers or booleans in a sequence; they
            must be known now.
        values: What to insert, converted to the dtype of `arr`; they broadcast to the slices
            inserted.
        axis: Along which to insert; None flattens the array first.
    {Returns} Array: As `arr`, and longer along `axis` by the number of places.
    {Raises}
        IndexingError: If a place is outside.
        ShapeError: If the values do not fit.
        DTypeError: If the places are not known yet.
    {See Also} delete, append
    {Examples}
    >>> dt.insert(dt.arange(4), [1, 3], [7, 8]).compute()
    array([0, 7, 1, 2, 8, 3])
    """
    x, number = _flat_or_along(arr, axis)
    extent = x.shape[number]
    positions = _inserted_places(obj, extent)
    with reading("values"):
        new = asarray(values, x.dtype).node
    if positions.size == 1:
        position = _checked_place(int(positions.flat[0]), extent, number)
        block = with_rank(Array(new), x.ndim)
        if positions.ndim == 0:
            block = moveaxis(block, 0, number)
        side = block.shape[number]
        shape = (*x.shape[:number], side, *x.shape[number + 1 :])
        return Array(
            _with_inserted(x.node, broadcast(block.node, shape), [position] * side, number)
        )
    spots = [_checked_place(int(p), extent, number) for p in positions]
    shape = (*x.shape[:number], len(spots), *x.shape[number + 1 :])
    return Array(_with_inserted(x.node, broadcast(new, shape), spots, number))


def _with_inserted(x: Tensor, new: Tensor, spots: Sequence[int], axis: int) -> Tensor:
    """`x` with cell i of `new` before its cell ``spots[i]``, in the order of `spots`."""
    order = np.argsort(np.asarray(spots, np.int64), kind="stable")
    pieces, copied, at = [], 0, 0
    while at < len(order):
        spot = spots[order[at]]
        same = [int(i) for i in order[at:] if spots[i] == spot] if len(order) > 1 else [0]
        pieces += [slice_axis(x, axis, copied, spot), pick(new, same, axis)]
        copied, at = spot, at + len(same)
    pieces.append(slice_axis(x, axis, copied, None))
    return concat([p for p in pieces if p.type.shape[axis]] or [x], axis)


def _inserted_places(obj: Places, extent: int) -> np.ndarray[Any, Any]:
    """The places before which to insert, as integers that may be negative."""
    if isinstance(obj, slice):
        return np.arange(*obj.indices(extent))
    obj_now = known_now(obj, "positions")
    with reading("positions"):
        positions = np.asarray(obj_now)
    if positions.dtype == bool:
        if positions.ndim != 1:
            raise ShapeError("boolean array argument obj to insert must be one dimensional")
        return np.flatnonzero(positions)
    if positions.ndim > 1:
        raise ShapeError("index array argument obj to insert must be one dimensional or scalar")
    return _checked_integers(positions, obj_now)


def _checked_integers(places: np.ndarray[Any, Any], obj: object) -> np.ndarray[Any, Any]:
    if not places.size and not isinstance(obj, np.ndarray):
        return places.astype(np.int64)
    if places.dtype.kind not in "iu":
        raise IndexingError("arrays used as indices must be of integer (or boolean) type")
    return places


@implements(np.delete)
def delete(arr: ArrayLike, obj: Places, axis: int | None = None) -> Array:
    """Return an array without the slices at given places along an axis, as `numpy.delete`.

    {Parameters}
        {arr}
        obj: The places: an integer, a slice, or integers or booleans in a sequence; they must be
            known now.
        axis: Along which to delete; None flattens the array first.
    {Returns} Array: As `arr`, and shorter along `axis` by the number of places.
    {Raises}
        IndexingError: If a place is outside.
        DTypeError: If the places are not known yet.
    {See Also} insert
    {Examples}
    >>> dt.delete(dt.arange(6), [0, -2]).compute()
    array([1, 2, 3, 5])
    """
    x, number = _flat_or_along(arr, axis)
    extent = x.shape[number]
    if isinstance(obj, slice):
        return Array(_without_range(x.node, range(*obj.indices(extent)), number))
    obj_now = known_now(obj, "positions")
    with reading("positions"):
        positions = np.asarray(obj_now)
    keep = np.ones(extent, bool)
    if positions.dtype == bool:
        if positions.shape != (extent,):
            raise ShapeError(
                "boolean array argument obj to delete must be one dimensional and match "
                f"the axis length of {extent}"
            )
        keep = ~positions
    else:
        for place in _checked_integers(positions, obj_now).flat:
            keep[_checked_place(int(place), extent, number, beyond=0)] = False
    return take_known(x, np.flatnonzero(keep), number)


def _without_range(x: Tensor, places: range, axis: int) -> Tensor:
    """`x` without the cells of a range: reshaped into blocks that lose their first cell each."""
    if not places:
        return x
    gone = places if places.step > 0 else places[::-1]
    period, whole = gone.step, len(gone) - 1
    start, last = gone.start, gone[-1]
    shape = x.type.shape
    middle = slice_axis(x, axis, start, last)
    blocks = reshape(middle, (*shape[:axis], whole, period, *shape[axis + 1 :]))
    rest = slice_axis(blocks, axis + 1, 1, None)
    side = whole * (period - 1)
    kept = reshape(rest, (*shape[:axis], side, *shape[axis + 1 :]))
    pieces = [slice_axis(x, axis, 0, start), kept, slice_axis(x, axis, last + 1, None)]
    return concat([p for p in pieces if p.type.shape[axis]] or [kept], axis)


def _flat_or_along(arr: ArrayLike, axis: int | None) -> tuple[Array, int]:
    """An array and its axis as a number from 0; without an axis the flattened array and 0."""
    x = asarray(arr)
    if axis is None:
        return ravel(x), 0
    return x, normalize_axis(axis, x.ndim)


def _checked_place(place: int, extent: int, axis: int, beyond: int = 1) -> int:
    """A place counted from 0, or an error if it is not below ``extent + beyond``."""
    if not -extent <= place < extent + beyond:
        raise IndexingError(f"index {place} is out of bounds for axis {axis} with size {extent}")
    return place + extent if place < 0 else place
