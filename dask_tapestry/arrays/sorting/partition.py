"""Partitions along an axis: `partition` and `argpartition`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.amounts import integer, integers, is_several
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.sorting.sort import at_least_1d, check_options, lane
from dask_tapestry.errors import DTypeError, ShapeError
from dask_tapestry.operators.sorting.partition import partition as partition_tensor
from dask_tapestry.teg import Tensor

__all__ = ["argpartition", "partition"]


@implements(np.partition)
def partition(
    a: ArrayLike,
    kth: int | Sequence[int],
    axis: int | None = -1,
    kind: Literal["introselect"] = "introselect",
    order: str | Sequence[str] | None = None,
) -> Array:
    """Return the cells along `axis` with those at `kth` in sorted position, as `numpy.partition`.

    In lanes of 4096 numbers and more, smaller and larger cells keep the order in which they lie;
    shorter lanes come sorted. NumPy leaves open in which order they come.

    {Parameters} {a, kth, axis.partition, kind, order.fields}
    {Returns} Array: Shape and dtype of `a`, or 1-d for `axis` None.
    {Raises} ShapeError: If an index is out of bounds.
    {See Also} argpartition, sort, topk
    {Examples}
    >>> int(dt.partition(dt.asarray([3, 1, 2]), 1)[1])
    2
    """
    node, number, chosen = _checked_lane(a, kth, axis, kind, order)
    return Array(partition_tensor(node, chosen, number))


@implements(np.argpartition)
def argpartition(
    a: ArrayLike,
    kth: int | Sequence[int],
    axis: int | None = -1,
    kind: Literal["introselect"] = "introselect",
    order: str | Sequence[str] | None = None,
) -> Array:
    """Return the indices of the cells that `partition` returns, as `numpy.argpartition`.

    {Parameters} {a, kth, axis.partition, kind, order.fields}
    {Returns} Array: Indices of dtype intp, shape of `a`, or 1-d for `axis` None.
    {Raises} ShapeError: If an index is out of bounds.
    {See Also} partition, argsort
    {Examples}
    >>> dt.argpartition(dt.asarray([3, 1, 2]), 1).compute()
    array([1, 2, 0])
    """
    node, number, chosen = _checked_lane(at_least_1d(a), kth, axis, kind, order)
    return Array(partition_tensor(node, chosen, number, places=True))


def partition_in_place(
    self: Array,
    kth: int | Sequence[int],
    axis: int = -1,
    kind: Literal["introselect"] = "introselect",
    order: str | Sequence[str] | None = None,
) -> None:
    """Partition along `axis`, as `numpy.ndarray.partition`: the array takes the partitioned value.

    {Parameters}
        self: The array, which changes.
        kth, axis, kind, order: As for `partition`.
    {Examples}
    >>> x = dt.asarray([3, 1, 2])
    >>> x.partition(0)
    >>> int(x[0])
    1
    """
    self.node = partition(self, kth, axis, kind, order).node


def _checked_lane(
    x: ArrayLike,
    kth: int | Sequence[int],
    axis: int | None,
    kind: str,
    order: str | Sequence[str] | None,
) -> tuple[Tensor, int, tuple[int, ...]]:
    """The tensor and the axis to partition along, with all arguments checked."""
    node, number = lane(asarray(x).node, axis)
    if not isinstance(kind, str):
        raise DTypeError(f"select kind must be str, not {type(kind).__name__}")
    if kind != "introselect":
        raise ShapeError(f"select kind must be 'introselect', got {kind!r}")
    check_options(node, None, order, None)
    extent = node.type.shape[number]
    chosen = integers(kth, "places") if is_several(kth) else (integer(kth),)
    for place in chosen:
        if extent and not -extent <= place < extent:
            raise ShapeError(f"kth(={place}) out of bounds ({extent})")
    return node, number, chosen
