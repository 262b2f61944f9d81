"""Coordinates for kernels that index: how a cell's place follows from axes and index vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

Block = Any  # an array of NumPy or CuPy


class CoordinateStep(NamedTuple):
    """How a coordinate of the operand comes about; see the operators' `dimension_numbers`."""

    axis: int | None
    component: int | None
    most: int
    extent: int
    first: int
    origin: int


def component_of(indices: Block, vector: int, component: int | None) -> Block | None:
    """One component of all index vectors, which lie along the axis `vector` if there is one.

    Examples
    --------
    >>> component_of(np.array([[1, 2], [3, 4]]), 1, 0)
    array([1, 3])
    """
    if component is None:
        return None
    if vector == indices.ndim:
        return indices
    return indices[(slice(None),) * vector + (component,)]


def out_of_bounds(low: int, high: int, extent: int, axis: int) -> IndexError | None:
    """NumPy's error for places from `low` to `high` along an axis; None where all are in bounds.

    Examples
    --------
    >>> out_of_bounds(-3, 7, 5, 1)
    IndexError('index 7 is out of bounds for axis 1 with size 5')
    >>> out_of_bounds(-3, 4, 5, 1) is None
    True
    """
    if -extent <= low and high < extent:
        return None
    wrong = int(high if high >= extent else low)
    return IndexError(f"index {wrong} is out of bounds for axis {axis} with size {extent}")


def wrapped(indices: Block, extent: int, axis: int) -> Block:
    """Places of an array of NumPy, with negative ones counted from the end.

    Raises
    ------
    IndexError
        If one is out of bounds, as NumPy says it.
    """
    if not indices.size:
        return indices.astype(np.intp, copy=False)
    low, high = indices.min(), indices.max()
    error = out_of_bounds(low, high, extent, axis)
    if error is not None:
        raise error
    chosen = indices.astype(np.intp, copy=False)
    return np.where(chosen < 0, chosen + extent, chosen) if low < 0 else chosen


def rows_from(
    steps: Sequence[CoordinateStep],
    window: tuple[int, ...],
    shape: tuple[int, ...],
    block: tuple[int, ...],
) -> int:
    """The first axis of the updates of those that lie side by side in the block, too.

    All axes before it are at least those of the index vectors.
    """
    axis, dim = len(shape), len(block)
    while axis and dim and axis - 1 in window:
        step = steps[dim - 1]
        whole = shape[axis - 1] == block[dim - 1] and step.first == step.origin
        if step.axis != axis - 1 or step.component is not None or not whole:
            break
        axis, dim = axis - 1, dim - 1
    return axis
