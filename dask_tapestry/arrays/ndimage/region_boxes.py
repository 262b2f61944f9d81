"""Boxes of labelled regions: `find_objects`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.amounts import integer
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.ndimage.arguments import operand
from dask_tapestry.arrays.tuning import MOST_LABELS
from dask_tapestry.cells.fixed_dtype import dtype_name
from dask_tapestry.errors import ArgumentError, DTypeError, ShapeError
from dask_tapestry.operators.images.region_boxes import region_boxes

__all__ = ["find_objects"]

Box = tuple[slice, ...]


def find_objects(input: ArrayLike, max_label: int = 0) -> list[Box | None]:
    """Find the boxes of labelled regions, as `scipy.ndimage.find_objects`: computed in the call.

    Slices are Python's, so cells have to be computed. Each is read once; where `max_label` is not
    given, labels that are not known yet are persisted, as the greatest is found first.

    {Parameters}
        input: Labels: integers or bools, of any number of dimensions. Those below 1 are none.
        max_label: The greatest label that is looked for; below 1, the greatest one that occurs.
    {Returns} list of tuple of slice: The box of each label from 1 on, a slice for each axis; None
        where it does not occur.
    {Raises}
        ArgumentError: If `max_label` is larger than a list may be long.
        DTypeError: If labels are no integers.
        ShapeError: If there are no labels, and `max_label` is not given.
    {Examples}
    >>> labels = dt.asarray([[1, 1, 0, 3], [0, 1, 0, 3]])
    >>> dt.ndimage.find_objects(labels)
    [(slice(0, 2, None), slice(0, 2, None)), None, (slice(0, 2, None), slice(3, 4, None))]
    """
    labels = operand("find_objects", input)
    if labels.dtype.kind not in "biu":
        raise DTypeError(f"find_objects: labels must be integers, not {dtype_name(labels.dtype)}")
    most = integer(max_label)
    if most > MOST_LABELS:
        raise ArgumentError(f"find_objects: max_label must be at most {MOST_LABELS}, not {most}")
    if most < 1:
        if not labels.size:
            raise ShapeError("find_objects: no labels, and no max_label: nothing has a maximum")
        labels = labels.persist()
        most = int(labels.max().compute())
    if most < 1 or not labels.size:
        return [None] * max(0, most)
    cells = labels if labels.ndim else labels.reshape(1)
    ends = np.asarray(Array(region_boxes(cells.node, most)))
    lines = [map(slice, *_starts_and_stops(ends[..., axis])) for axis in range(labels.ndim)]
    boxes: list[Box] = list(zip(*lines, strict=True)) if lines else [()] * most
    return [box if there else None for box, there in zip(boxes, ends[:, 0, 0] >= 0, strict=True)]


def _starts_and_stops(ends: np.ndarray[Any, Any]) -> tuple[list[int], list[int]]:
    """Where the slices of each region start and stop, given its first and its last cell."""
    return ends[:, 0].tolist(), (ends[:, 1] + 1).tolist()
