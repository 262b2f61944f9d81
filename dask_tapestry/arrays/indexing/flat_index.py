"""Places in an array as one number and as coordinates: `unravel_index`, `ravel_multi_index`."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.amounts import is_one_of, listed
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.core.shape_arguments import Shape, shape_of
from dask_tapestry.arrays.elementwise.where_and_clip import clip
from dask_tapestry.errors import ArgumentError, DTypeError, ShapeError
from dask_tapestry.operators.broadcast_shapes import broadcast_shape
from dask_tapestry.operators.cells.assert_condition import assert_condition
from dask_tapestry.operators.cells.elementwise import astype, elementwise
from dask_tapestry.operators.views.broadcast import broadcast
from dask_tapestry.teg import Tensor

__all__ = ["ravel_multi_index", "unravel_index"]

WIDE = np.dtype(np.intp)
Order = Literal["C", "F"]
Mode = Literal["raise", "wrap", "clip"]


@implements(np.unravel_index)
def unravel_index(indices: ArrayLike, shape: Shape, order: Order = "C") -> tuple[Array, ...]:
    """Return the coordinates of places that are counted through an array, as NumPy's.

    {Parameters}
        indices: Places, counted from 0.
        shape: Of the array that they are places of.
        {order.counted}
    {Returns} tuple of Array: For each dimension the coordinates, int64, of the shape of `indices`.
    {Raises}
        DTypeError: If they are no integers.
        ArgumentError: For another order.
        ShapeError: For a shape of more places than int64 counts, and several places in one of no
            dimensions.
        ValueError: When computed, if a place is out of bounds.
    {See Also} ravel_multi_index, numpy.unravel_index
    {Examples}
    >>> rows, columns = dt.unravel_index(dt.asarray([1, 5]), (2, 3))
    >>> rows.compute(), columns.compute()
    (array([0, 1]), array([1, 2]))
    """
    sides = _sides(shape, order)
    size = prod(sides)
    places = _integers(indices)
    if not sides and places.type.shape:
        raise ShapeError("multiple indices are not supported for 0d array")
    rest = _check_bounds(places, size, f"index is out of bounds for array with size {size}")
    found = []
    for side in sides[:0:-1]:
        found.append(elementwise("remainder", rest, max(side, 1)))
        rest = elementwise("floor_divide", rest, max(side, 1))
    found = [*found, rest][: len(sides)][::-1]
    return tuple(Array(one) for one in (found if order == "C" else found[::-1]))


@implements(np.ravel_multi_index)
def ravel_multi_index(
    multi_index: ArrayLike | Sequence[ArrayLike],
    dims: Shape,
    mode: Mode | tuple[Mode, ...] = "raise",
    order: Order = "C",
) -> Array:
    """Return places, counted through an array, of coordinates, as `numpy.ravel_multi_index`.

    {Parameters}
        multi_index: Coordinates along each dimension, which broadcast.
        dims: Shape of the array.
        mode: What a coordinate out of bounds means: ``"raise"`` an error, ``"wrap"`` around,
            ``"clip"`` to the nearest one; for all dimensions, or each.
        {order.counted}
    {Returns} Array: Places, int64, of the broadcast shape.
    {Raises}
        ArgumentError: If there are not as many coordinates as dimensions, or for another mode or
            order.
        DTypeError: If coordinates are no integers.
        ShapeError: For dimensions of more places than int64 counts.
        ValueError: When computed, if a coordinate is out of bounds.
    {See Also} unravel_index, numpy.ravel_multi_index
    {Examples}
    >>> dt.ravel_multi_index((dt.asarray([0, 1]), dt.asarray([1, 2])), (2, 3)).compute()
    array([1, 5])
    """
    sides = _sides(dims, order)
    parts = [_integers(one) for one in listed(multi_index, "coordinates")]
    modes = mode if isinstance(mode, tuple) else (mode,) * len(sides)
    if len(parts) != len(sides) or len(modes) != len(sides):
        raise ArgumentError(f"parameter multi_index must be a sequence of length {len(sides)}")
    shape = broadcast_shape([part.type.shape for part in parts])
    turn = 1 if order == "C" else -1
    total: Tensor | None = None
    for part, side, how in zip(parts[::turn], sides, modes[::turn], strict=True):
        placed = broadcast(_placed(part, side, how), shape)
        if total is None:
            total = placed
        else:
            total = elementwise("add", elementwise("multiply", total, side), placed)
    if total is None:
        raise ArgumentError("need at least one dimension")
    return Array(total)


def _sides(shape: Shape, order: str) -> tuple[int, ...]:
    """Lengths of the dimensions, the one that is counted fastest last."""
    if not is_one_of(order, ("C", "F")):
        raise ArgumentError(f"only 'C' or 'F' order is permitted, not {order!r}")
    sides = shape_of(shape)
    if prod(sides) > np.iinfo(WIDE).max:
        raise ShapeError(f"an array of shape {sides} has more cells than {WIDE} can number")
    return sides if order == "C" else sides[::-1]


def _integers(values: ArrayLike) -> Tensor:
    array = asarray(values)
    if array.dtype.kind not in "iu":
        known = isinstance(values, Array | np.ndarray) or array.size
        why = "" if known else "indices must be integral: the provided empty sequence is float; "
        raise DTypeError(f"{why}only int indices permitted")
    return astype(array.node, WIDE)


def _placed(part: Tensor, side: int, mode: Mode) -> Tensor:
    """Coordinates within a dimension of length `side`; none are within one without cells."""
    if not is_one_of(mode, get_args(Mode)):
        raise ArgumentError(f"mode must be 'raise', 'wrap' or 'clip', not {mode!r}")
    if mode == "wrap" and side:
        return elementwise("remainder", part, side)
    if mode == "clip" and side:
        return clip(Array(part), 0, side - 1).node
    return _check_bounds(part, side, "invalid entry in coordinates array")


def _check_bounds(part: Tensor, side: int, message: str) -> Tensor:
    low = elementwise("greater_equal", part, 0)
    return assert_condition(
        part, elementwise("logical_and", low, elementwise("less", part, side)), message
    )
