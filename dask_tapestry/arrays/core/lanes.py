"""Lanes: the axes that a function works over, made one axis in front of the others."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.tuning import COUNTED_LANE_BYTES, LONG_LANE_BYTES
from dask_tapestry.errors import DTypeError, ShapeError
from dask_tapestry.imports import lazy_import
from dask_tapestry.operators.axes import Axes, each_axis, normalize_axes, normalize_axis
from dask_tapestry.operators.cells.order_key import has_order_key
from dask_tapestry.operators.generators.coordinates import coordinates
from dask_tapestry.operators.indexing.take import take_along_axis
from dask_tapestry.operators.joins.stack import stack
from dask_tapestry.operators.reductions.reduce import reduce
from dask_tapestry.operators.sorting.sort import sort
from dask_tapestry.operators.sorting.unordered_cells import unordered
from dask_tapestry.operators.tuning import MOST_DIGIT_RANKS
from dask_tapestry.operators.views.broadcast import broadcast
from dask_tapestry.operators.views.permute import permute
from dask_tapestry.operators.views.reshape import reshape
from dask_tapestry.operators.views.slice import basic_slice
from dask_tapestry.operators.views.unsqueeze import unsqueeze


class LaneArray:
    """An array whose `axis` (one, several or all) is made one dimension, the first.

    Attributes
    ----------
    array
        The array, of shape (cells of a lane, other dimensions...).
    """

    def __init__(self, x: Array, axis: Axes) -> None:
        self.shape = x.shape
        self.given = (axis,) if isinstance(axis, int | np.integer) else axis
        self.axes = normalize_axes(axis, x.ndim)
        self.kept = tuple(dim for dim in range(x.ndim) if dim not in self.axes)
        sides = tuple(self.shape[dim] for dim in self.kept)
        if 0 in sides and self.given is not None and len(self.axes) != 1:  # as NumPy's reshape
            raise ShapeError(f"cannot reshape array of size 0 into shape {(*sides, -1)}")
        moved = permute(x.node, (*self.axes, *self.kept))
        length = prod(self.shape[dim] for dim in self.axes)
        self.array = Array(reshape(moved, (length, *sides)))

    def restored(self, value: Array, keepdims: bool, lead: int = 0) -> Array:
        """Return `value`, with `keepdims` with axes of length one, after the first `lead` ones."""
        if not keepdims:
            return value
        return Array(unsqueeze(value.node, tuple(lead + dim for dim in self.axes)))

    @property
    def _is_counted(self) -> bool:
        """Whether it is one lane, so long that its cells are counted rather than sorted."""
        is_long = self.array.nbytes > COUNTED_LANE_BYTES
        return is_long and self.array.ndim == 1 and has_order_key(self.array.dtype)

    @property
    def ordered(self) -> Array:
        """The lanes, sorted; NaN come last."""
        return Array(sort(self.array.node, 0))

    def pick(self, places: Array) -> Array:
        """Return cells of each of the sorted lanes: those at its `places`, which come first.

        Short lanes are whole, and the cells are taken. Long ones are cut: a cell is their maximum
        once all others are replaced by minus infinity. A long lane alone is not sorted: of few
        places the cells are found digit by digit.
        """
        at: Any = np.maximum(places, 0).astype(np.intp)
        if self._is_counted and len(at) <= MOST_DIGIT_RANKS:
            numbers = [at[n : n + 1].node for n in range(len(at))]
            digits = lazy_import("dask_tapestry.operators.sorting.rank_digits")
            return Array(digits.cells_of_ranks(unordered(self.array.node), numbers))
        ordered = self.ordered
        if ordered.nbytes <= LONG_LANE_BYTES * prod(ordered.shape[1:]) or ordered.dtype.kind != "f":
            return Array(take_along_axis(ordered.node, at.node, 0))
        number = Array(coordinates(ordered.shape, 0))
        least: Any = ordered.dtype.type(-np.inf)
        others: list[Any] = [np.where(number == one, ordered, least) for one in at]
        return Array(stack([reduce(one.node, "max", 0) for one in others]))

    def first_number(self) -> Array:
        """The least cell of each lane, NaN where all are; which is told as `nanmin` does."""
        if self._is_counted:
            return Array(reduce(self.array.node, "fmin", 0))
        return Array(reduce(basic_slice(self.ordered.node, (slice(0, 1),)), "fmin", 0))


def align_weights(weights: Array, shape: tuple[int, ...], axis: Axes) -> Array:
    """Return weights of an array's shape, or of its lengths along `axis`, in the array's shape.

    Raises
    ------
    DTypeError
        If the shapes differ and no axis is given.
    ShapeError
        If they do not fit.
    """
    if weights.shape == shape:
        return weights
    if axis is None:
        raise DTypeError("Axis must be specified when shapes of a and weights differ.")
    order = [normalize_axis(number, len(shape)) for number in each_axis(axis)]
    if weights.shape != tuple(shape[number] for number in order):
        raise ShapeError(
            "Shape of weights must be consistent with shape of a along specified axis."
        )
    axes = normalize_axes(order, len(shape))
    kept = tuple(dim for dim in range(len(shape)) if dim not in axes)
    turned = permute(weights.node, [order.index(number) for number in axes])
    return Array(broadcast(unsqueeze(turned, kept), shape))
