"""Pad: cells before and after a tensor along an axis, as `numpy.pad` makes them.

Each is a concatenation of slices, so a slice of the result reads only the cells it needs.
"""

from __future__ import annotations

from dask_tapestry.cells.references import Cell
from dask_tapestry.operators.cells.elementwise import astype, elementwise
from dask_tapestry.operators.generators.full import full
from dask_tapestry.operators.joins.axis_slices import concat_nonempty, slice_axis
from dask_tapestry.operators.joins.concat import concat
from dask_tapestry.operators.joins.repeat import tile
from dask_tapestry.operators.views.broadcast import broadcast
from dask_tapestry.teg import Tensor

Widths = tuple[int, int]


def framed(x: Tensor, axis: int, widths: Widths, sides: tuple[Tensor, Tensor]) -> Tensor:
    """`x` between its `sides`, each of extent 1 and repeated along `axis` as `widths` says."""
    shape = x.type.shape
    ends = [
        broadcast(side, (*shape[:axis], width, *shape[axis + 1 :]))
        for side, width in zip(sides, widths, strict=True)
    ]
    return joined_between(x, axis, ends[0], ends[1])


def pad_constant(x: Tensor, axis: int, widths: Widths, values: tuple[Cell, Cell]) -> Tensor:
    """One constant before and one after, of the dtype of `x`."""
    ones = (1,) * x.type.ndim
    return framed(x, axis, widths, (full(ones, values[0]), full(ones, values[1])))


def pad_edge(x: Tensor, axis: int, widths: Widths) -> Tensor:
    """The first cell repeated before, the last one after."""
    extent = x.type.shape[axis]
    sides = slice_axis(x, axis, 0, 1), slice_axis(x, axis, extent - 1, extent)
    return framed(x, axis, widths, sides)


def pad_wrap(x: Tensor, axis: int, widths: Widths) -> Tensor:
    """The cells repeated periodically."""
    extent = x.type.shape[axis]
    before, after = widths
    if max(widths) <= extent:
        return joined_between(
            x, axis, slice_axis(x, axis, extent - before, None), slice_axis(x, axis, 0, after)
        )
    skipped = -before % extent
    total = before + extent + after
    counts = [1] * x.type.ndim
    counts[axis] = -(-(skipped + total) // extent)
    return slice_axis(tile(x, counts), axis, skipped, skipped + total)


def pad_reflect(x: Tensor, axis: int, widths: Widths, edge: bool) -> Tensor:
    """The cells reflected at both ends; with `edge`, the cell at the end appears twice."""
    extent = x.type.shape[axis]
    before, after = widths
    if extent == 1:
        return pad_edge(x, axis, widths)
    skip = 0 if edge else 1
    if max(widths) <= extent - skip:
        left = slice_axis(x, axis, skip, before + skip)
        right = slice_axis(x, axis, extent - skip - after, extent - skip)
        return joined_between(x, axis, _backward(left, axis), _backward(right, axis))
    there = _backward(slice_axis(x, axis, skip, extent - skip), axis)
    forth = concat_nonempty([x, there], axis)
    wrapped = pad_wrap(forth, axis, (before, max(0, after - there.type.shape[axis])))
    return slice_axis(wrapped, axis, 0, before + extent + after)


def pad_reflect_odd(x: Tensor, axis: int, widths: Widths, edge: bool) -> Tensor:
    """As `pad_reflect`, but each reflection is subtracted from twice the cell it is reflected at.

    Source: numpy.pad with ``reflect_type="odd"``, whose order of additions this follows.
    """
    period = x.type.shape[axis]
    if period == 1:
        return pad_edge(x, axis, widths)
    before, after = widths
    skip = 0 if edge else 1
    while before or after:
        extent = x.type.shape[axis]
        reach = (extent - skip) // (period - skip) * (period - skip)
        left, right = min(reach, before), min(reach, after)
        first, last = slice_axis(x, axis, 0, 1), slice_axis(x, axis, extent - 1, extent)
        ahead = slice_axis(x, axis, skip, left + skip)
        behind = slice_axis(x, axis, extent - skip - right, extent - skip)
        x = joined_between(x, axis, _odd(first, ahead, axis), _odd(last, behind, axis))
        before, after = before - left, after - right
    return x


def _odd(edge: Tensor, cells: Tensor, axis: int) -> Tensor:
    turned = _backward(cells, axis)
    difference = elementwise("subtract", elementwise("multiply", 2, edge), turned)
    return astype(difference, cells.type.dtype)


def joined_between(x: Tensor, axis: int, before: Tensor, after: Tensor) -> Tensor:
    """`x` between two tensors; empty ones are left out."""
    parts = [y for y in (before, x, after) if y is x or y.type.shape[axis]]
    return concat(parts, axis)


def _backward(x: Tensor, axis: int) -> Tensor:
    return slice_axis(x, axis, None, None, -1)
