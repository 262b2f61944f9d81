"""Cells, or whole arrays, again and again: `repeat`, `tile`, `resize`."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.amounts import integer, integers, is_several, reading
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.core.dynamic_shape import Counts, Deferred
from dask_tapestry.arrays.core.shape_arguments import Shape, lengths_of
from dask_tapestry.arrays.creation.filled import zeros
from dask_tapestry.arrays.shape.atleast import with_rank
from dask_tapestry.arrays.shape.reshaping import ravel, reshape
from dask_tapestry.arrays.tuning import MOST_SLICES
from dask_tapestry.errors import DTypeError, ShapeError
from dask_tapestry.operators.axes import normalize_axis
from dask_tapestry.operators.cells.assert_condition import assert_condition
from dask_tapestry.operators.cells.elementwise import astype, elementwise
from dask_tapestry.operators.generators.coordinates import coordinates
from dask_tapestry.operators.indexing.take import take
from dask_tapestry.operators.joins.axis_slices import equal_step_runs, pick, slice_axis
from dask_tapestry.operators.joins.repeat import repeat as repeat_cells
from dask_tapestry.operators.joins.repeat import tile as tile_tensor
from dask_tapestry.operators.reductions.reduce import reduce
from dask_tapestry.operators.scans.scan import scan
from dask_tapestry.operators.sorting.search import searchsorted
from dask_tapestry.operators.views.broadcast import broadcast
from dask_tapestry.teg import Node

Integers = np.ndarray[tuple[int, ...], np.dtype[np.integer[Any]]]
WIDE = np.dtype(np.int64)

__all__ = ["repeat", "resize", "tile"]


@implements(np.repeat)
def repeat(a: ArrayLike, repeats: ArrayLike, axis: int | None = None) -> Array:
    """Repeat each slice of an array along an axis, as `numpy.repeat`.

    {Parameters}
        {a.array}
        repeats: How often: one count, or one for each place along the axis. Those of an `Array`
            decide the length of the result: they are computed when the shape is first asked for.
        axis: Along which to repeat; None flattens the array first.
    {Returns} Array: As `a`, and longer or shorter along `axis`.
    {Raises}
        ShapeError: If a count is negative, or there are not as many as places.
        DTypeError: If the counts are no integers.
        ValueError: When computed, if a count that is computed is negative.
    {See Also} tile : repeats the whole array.
    {Examples}
    >>> dt.repeat(dt.arange(3), 2).compute()
    array([0, 0, 1, 1, 2, 2])
    >>> dt.repeat(dt.arange(3), [0, 1, 3]).compute()
    array([1, 2, 2, 2])
    """
    x = ravel(a) if axis is None else with_rank(asarray(a), 1)
    number = normalize_axis(0 if axis is None else axis, x.ndim)
    if isinstance(repeats, Array):
        return _repeated_as_computed(x, repeats, number)
    counts = _counts(repeats)
    if counts.ndim > 1:
        raise ShapeError("object too deep for desired array")
    if counts.size and counts.min() < 0:
        raise ShapeError("repeats may not contain negative values.")
    if counts.size == 1:
        return Array(repeat_cells(x.node, int(counts.flat[0]), number))
    if counts.size != x.shape[number]:
        raise ShapeError(
            "operands could not be broadcast together with shape "
            f"({x.shape[number]},) ({counts.size},)"
        )
    return take_known(x, np.repeat(np.arange(counts.size), counts), number)


@implements(np.tile)
def tile(A: ArrayLike, reps: Shape) -> Array:
    """Lay out copies of a whole array along its last axes, as `numpy.tile`.

    {Parameters}
        A: The array.
        reps: How many copies along each of the last axes; there may be more of them than
            dimensions.
    {Returns} Array: Each length of `A` multiplied by its number of copies.
    {Raises} ShapeError: For a negative number of copies.
    {See Also} repeat : repeats each slice.
    {Examples}
    >>> dt.tile(dt.arange(3), (2, 2)).compute()
    array([[0, 1, 2, 0, 1, 2],
           [0, 1, 2, 0, 1, 2]])
    """
    counts = integers(reps, "repetitions") if is_several(reps) else (integer(reps),)
    if any(n < 0 for n in counts):
        raise ShapeError(f"negative dimensions are not allowed: {counts} copies")
    x = with_rank(asarray(A), len(counts))
    return Array(tile_tensor(x.node, (*(1,) * (x.ndim - len(counts)), *counts)))


@implements(np.resize)
def resize(a: ArrayLike, new_shape: Shape) -> Array:
    """Fill another shape with the cells in C order, from the first again if it is larger.

    {Parameters}
        {a.array}
        new_shape: Shape of the result.
    {Returns} Array: Of shape `new_shape`, in the dtype of `a`; zeros if `a` has no cells.
    {Raises} ShapeError: For a negative length.
    {See Also} reshape : keeps the number of cells.
    {Examples}
    >>> dt.resize(dt.arange(3), (2, 4)).compute()
    array([[0, 1, 2, 0],
           [1, 2, 0, 1]])
    """
    x = ravel(asarray(a))  # without a mask
    shape = lengths_of(new_shape)
    if any(n < 0 for n in shape):
        raise ShapeError("all elements of `new_shape` must be non-negative")
    size = prod(shape)
    if not x.size or not size:
        return zeros(shape, x.dtype)
    times = -(-size // x.size)
    return reshape(Array(slice_axis(tile_tensor(x.node, (times,)), 0, 0, size)), shape)


def _repeated_as_computed(x: Array, repeats: Array, axis: int) -> Array:
    """Slices along an axis as often as counts say that are not known yet."""
    if repeats.ndim > 1:
        raise ShapeError("object too deep for desired array")
    if not np.can_cast(repeats.dtype, WIDE, "safe"):
        raise DTypeError(f"cannot cast repeats from {repeats.dtype} to int64 by the rule 'safe'")
    own = astype(repeats.node, WIDE)
    positive = elementwise("greater_equal", own, 0)
    checked = assert_condition(own, positive, "repeats may not contain negative values.")
    side = x.shape[axis]
    try:
        each = broadcast(checked, (side,))
    except ShapeError:
        raise ShapeError(
            f"operands could not be broadcast together with shape ({side},) {repeats.shape}"
        ) from None
    ends = scan(each, "add", 0)

    def build(total: Counts, kept: Sequence[Node]) -> Node:
        source = searchsorted(coordinates((int(total),), 0), kept[0] if kept else ends, "right")
        return take(x.node, source, axis)

    most = int(np.iinfo(WIDE).max) if repeats.dtype.kind != "b" else 1
    bound = repeat_cells(x.node, most, axis)
    return Array(Deferred(reduce(each, "sum"), (ends,), build, bound, own))


def take_known(x: Array, places: Integers, axis: int) -> Array:
    """The cells at `places`, known now: a few slices joined, or a take where these are many."""
    turns = np.count_nonzero(np.diff(places, 2))  # each run but the last ends at one or two
    if turns <= 2 * MOST_SLICES and len(equal_step_runs(places)) <= MOST_SLICES:
        return Array(pick(x.node, places, axis))
    return Array(take(x.node, asarray(places).node, axis))


@reading("repeats")
def _counts(repeats: ArrayLike) -> Integers:
    """`repeats` as int64; those in an array must be integers already, as in NumPy."""
    counts = np.asarray(repeats)
    forced = not isinstance(repeats, np.ndarray) and counts.dtype.kind in "fm"
    if not (forced or np.can_cast(counts.dtype, np.int64, "safe")):
        raise DTypeError(f"cannot cast repeats from {counts.dtype} to int64 by the rule 'safe'")
    return counts.astype(np.int64)
