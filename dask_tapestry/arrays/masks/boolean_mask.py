"""Boolean masks: ``x[mask]``, `nonzero`, `compress`; true cells are counted for a shape."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.core.dynamic_shape import Counts, Deferred, kept_of
from dask_tapestry.arrays.core.known_masks import line_cells, lines_of
from dask_tapestry.arrays.core.out_argument import assigned_to_out
from dask_tapestry.arrays.core.selection import Selection, selection_of
from dask_tapestry.arrays.masks import picks
from dask_tapestry.errors import ShapeError
from dask_tapestry.operators.axes import normalize_axis
from dask_tapestry.operators.cells.cell_bytes import not_zero_cells
from dask_tapestry.operators.cells.elementwise import astype, elementwise
from dask_tapestry.operators.generators.coordinates import coordinates
from dask_tapestry.operators.indexing.take import take as take_tensor
from dask_tapestry.operators.joins.concat import concat
from dask_tapestry.operators.reductions.count_nonzero import count_nonzero, span_of
from dask_tapestry.operators.sorting.compress import compress as compress_tensor
from dask_tapestry.operators.sorting.picked_spans import joined_spans, picked_spans
from dask_tapestry.operators.views.reshape import reshape
from dask_tapestry.operators.views.slice import basic_slice
from dask_tapestry.operators.views.unsqueeze import unsqueeze
from dask_tapestry.teg import Node, Tensor

__all__ = ["argwhere", "compress", "extract", "flatnonzero", "nonzero"]


class MaskSelector(Protocol):
    """Takes the slices of a tensor along a dimension where the mask is true."""

    def __call__(self, x: Tensor, dim: int = 0) -> Tensor: ...


def deferred_selection(
    mask: Tensor,
    make: Callable[[MaskSelector], Tensor],
    keep: Sequence[Tensor] = (),
    owner: Node | None = None,
    line: int = 1,
    selection: Selection | None = None,
) -> Array:
    """Return an array made of tensors picked by `mask`, once its true cells are counted.

    {Parameters}
        mask: One-dimensional.
        make: Builds the result, given the function that picks slices of a tensor.
        keep: Tensors that `make` picks from and that the count run keeps too, as they are costly to
            compute or must not be computed again.
        owner: The node with which the outcome of the count run is forgotten; by default the mask.
        line: Cells of a slice that one cell of the mask picks.
        selection: The same cells without a count, where what is made is these.
    """
    span = span_of(mask.type.size, line)
    picked: dict[Tensor, Tensor] = {}  # the buckets of what is picked from

    def build(counts: Counts, kept: Sequence[Node]) -> Node:
        held = dict(zip((mask, *keep), kept, strict=True)) if kept else {}

        def pick(x: Tensor, dim: int = 0) -> Tensor:
            cells = compress_tensor(held.get(x, x), held.get(mask, mask), dim, counts, span)
            buckets = kept_of(picked[x]) if x in picked and not dim else None
            return cells if buckets is None else joined_spans(buckets, counts, cells)

        return make(pick)

    def pick_all(x: Tensor, dim: int = 0) -> Tensor:
        if not dim and x not in keep and picks.are_worth_keeping(x, mask):
            picked[x] = picked_spans(x, mask, span)
        return compress_tensor(x, mask, dim, everything, span)

    spans = count_nonzero(mask, span)
    everything = np.diff(np.minimum(np.arange(spans.type.size + 1) * span, mask.type.size))
    bound, read = make(pick_all), (mask, *keep)
    return Array(
        Deferred(spans, read, build, bound, owner or mask, selection, tuple(picked.values()))
    )


def masked(x: Tensor, dim: int, mask: Tensor) -> Array:
    """Return the slices of `x` where a mask is true, along one dimension, `dim`.

    The mask has the lengths of the dimensions of `x` from `dim` on, which it takes the place of.

    Source: NumPy's boolean indexing.
    """
    lines, flat = lines_of(x, dim, mask.type.ndim), reshape(mask, (mask.type.size,))
    line, selection = line_cells(lines, dim), selection_of(x, dim, mask)
    return deferred_selection(
        flat, lambda pick: pick(lines, dim), owner=mask, line=line, selection=selection
    )


def not_zero(x: Tensor) -> Tensor:
    """Return the mask of the non-zero cells of `x`; a record is zero if all its fields are."""
    if x.type.dtype == bool:
        return x
    if x.type.dtype.kind == "V":
        return not_zero_cells(x)
    if x.type.dtype.hasobject:
        return astype(x, np.dtype(bool))
    return elementwise("not_equal", x, np.zeros(1, x.type.dtype)[0])


def _places(x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The mask of non-zero cells of `x`, the same flat, and the numbers of all cells."""
    mask = not_zero(x)
    return mask, reshape(mask, (x.type.size,)), coordinates((x.type.size,), 0)


def _coordinate(places: Tensor, shape: tuple[int, ...], axis: int) -> Tensor:
    """Coordinate along `axis` of the cells of `shape` with the numbers `places`."""
    step = prod(shape[axis + 1 :])
    along = elementwise("floor_divide", places, step) if step > 1 else places
    return elementwise("remainder", along, shape[axis]) if axis and shape[axis] else along


@implements(np.nonzero)
def nonzero(a: ArrayLike) -> tuple[Array, ...]:
    """Return the coordinates of the non-zero elements, as `numpy.nonzero`.

    Their number is counted when it is first asked for.

    {Parameters} a: An array of at least one dimension.
    {Returns} tuple of Array: For each dimension of `a` the coordinates along it, int64, in C order.
    {Raises} ShapeError: For an array without dimensions.
    {See Also} argwhere, flatnonzero, numpy.nonzero
    {Examples}
    >>> [i.compute().tolist() for i in dt.nonzero(dt.asarray([[0, 3], [5, 0]]))]
    [[0, 1], [1, 0]]
    """
    array = asarray(a)
    if not array.ndim:
        raise ShapeError(
            "Calling nonzero on 0d arrays is not allowed. "
            "Use dt.atleast_1d(scalar).nonzero() instead"
        )
    mask, flat, numbers = _places(array.node)
    shape = array.shape

    def along(axis: int) -> Array:
        return deferred_selection(
            flat, lambda pick: _coordinate(pick(numbers), shape, axis), owner=mask
        )

    return tuple(along(axis) for axis in range(array.ndim))


@implements(np.flatnonzero)
def flatnonzero(a: ArrayLike) -> Array:
    """Return the places of the non-zero elements in the flattened array, as `numpy.flatnonzero`.

    {Parameters} {a.array}
    {Returns} Array: One-dimensional, int64.
    {See Also} nonzero, numpy.flatnonzero
    {Examples}
    >>> dt.flatnonzero(dt.asarray([[0, 3], [5, 0]])).compute()
    array([1, 2])
    """
    array = asarray(a)
    mask, flat, numbers = _places(array.node)
    return deferred_selection(flat, lambda pick: pick(numbers), owner=mask)


@implements(np.argwhere)
def argwhere(a: ArrayLike) -> Array:
    """Return the coordinates of the non-zero elements, a row for each, as `numpy.argwhere`.

    {Parameters} {a.array}
    {Returns} Array: Of shape (non-zero elements, ``a.ndim``), int64.
    {See Also} nonzero, numpy.argwhere
    {Examples}
    >>> dt.argwhere(dt.asarray([[0, 3], [5, 0]])).compute()
    array([[0, 1],
           [1, 0]])
    """
    array = asarray(a)
    mask, flat, numbers = _places(array.node)
    shape = array.shape

    def make(pick: MaskSelector) -> Tensor:
        places = pick(numbers)
        if not shape:  # a row without coordinates for the only cell
            return basic_slice(unsqueeze(places, 1), (slice(None), slice(0)))
        columns = [unsqueeze(_coordinate(places, shape, axis), 1) for axis in range(len(shape))]
        return concat(columns, 1)

    return deferred_selection(flat, make, owner=mask)


@implements(np.compress)
def compress(
    condition: ArrayLike, a: ArrayLike, axis: int | None = None, out: Array | None = None
) -> Array:
    """Return the slices of an array along an axis where a condition holds, as `numpy.compress`.

    {Parameters}
        condition: One-dimensional; it may be shorter than the axis, and longer where it is false.
        {a.array}
        axis: None picks from the flattened array.
        out: An array that takes the result's value; the shape of the result is then asked.
    {Returns} Array: As `a`, with as many slices along the axis as the condition is true.
    {Raises}
        ShapeError: If the condition is not one-dimensional.
        IndexError: When it is computed, if the condition is true beyond the end of the axis.
    {See Also} extract, numpy.compress
    {Examples}
    >>> dt.compress([True, False, True], dt.arange(6).reshape(2, 3), axis=1).compute()
    array([[0, 2],
           [3, 5]])
    """
    array, mask = asarray(a), asarray(condition)
    if mask.ndim != 1:
        raise ShapeError("condition must be a 1-d array")
    if axis is None or not array.ndim:  # NumPy takes a cell for an array of one cell
        array, axis = array.ravel(), axis or 0
    number = normalize_axis(axis, array.ndim)
    if mask.shape[0] > array.shape[number]:  # what is true beyond the end is out of bounds
        return assigned_to_out(out, Array(take_tensor(array.node, flatnonzero(mask).node, number)))
    part = (*(slice(None),) * number, slice(mask.shape[0]))
    return assigned_to_out(
        out, masked(basic_slice(array.node, part), number, mask.astype(bool).node)
    )


def compress_method(
    self: Array, condition: ArrayLike, axis: int | None = None, out: Array | None = None
) -> Array:
    """Return the slices of the array along an axis where a condition holds.

    {Parameters}
        condition: One-dimensional; it may be shorter than the axis, and longer where it is false.
        axis: None picks from the flattened array.
        out: An array that takes the result's value; the shape of the result is then asked.
    {Returns} Array: As the array, with as many slices along the axis as the condition is true.
    {Raises} ShapeError: If the condition is not one-dimensional.
    {See Also} dask_tapestry.compress
    """
    return compress(condition, self, axis, out)


@implements(np.extract)
def extract(condition: ArrayLike, arr: ArrayLike) -> Array:
    """Return the elements of an array where a condition of its shape holds, as `numpy.extract`.

    {Parameters}
        condition: As many elements as `arr` has.
        {arr}
    {Returns} Array: One-dimensional, in C order.
    {See Also} compress, numpy.extract
    {Examples}
    >>> dt.extract(dt.arange(6) % 2 == 0, dt.arange(6)).compute()
    array([0, 2, 4])
    """
    return compress(asarray(condition).ravel(), asarray(arr).ravel())
