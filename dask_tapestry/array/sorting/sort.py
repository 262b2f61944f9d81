"""Sorting along an axis, and the places from which sorting takes its cells."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import index
from typing import Any

import numpy as np

from dask_tapestry.array.core.array import Array
from dask_tapestry.array.core.convert import asarray
from dask_tapestry.array.core.dispatch import implements
from dask_tapestry.errors import ShapeError
from dask_tapestry.operators.axes import normalize_axis
from dask_tapestry.operators.full import full
from dask_tapestry.operators.reshape import reshape
from dask_tapestry.operators.sort import PLACES
from dask_tapestry.operators.sort import argsort as argsort_tensor
from dask_tapestry.operators.sort import sort as sort_tensor
from dask_tapestry.operators.take import take_along_axis
from dask_tapestry.operators.topk import argtopk as argtopk_tensor
from dask_tapestry.operators.topk import topk as topk_tensor
from dask_tapestry.teg import Tensor

__all__ = ["argpartition", "argsort", "argtopk", "lexsort", "partition", "sort", "topk"]

KINDS = ("quicksort", "mergesort", "heapsort", "stable")


@implements(np.sort)
def sort(
    x: Any,
    axis: int | None = -1,
    kind: str | None = None,
    order: Any = None,
    *,
    stable: bool | None = None,
    descending: bool = False,
) -> Array:
    """Return the cells in ascending order along `axis`, as `numpy.sort`.

    The order is NumPy's, with NaN and NaT last. Equal cells have an order too: -0.0 comes before
    0.0, and every NaN becomes the same one. So neither `kind` nor how the axis is cut changes the
    value. An axis too long for one block is sorted in parts, by columnsort.

    Parameters
    ----------
    axis
        None sorts the flattened array.
    kind, stable
        As in NumPy; they make no difference.
    order
        Fields to compare; there are none.
    descending
        Reverse the order: NaN and NaT come first.

    Raises
    ------
    DTypeError
        For structured cells.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.sort(dt.asarray([[3, 1, 2], [0, 5, 4]])).compute()
    array([[1, 2, 3],
           [0, 4, 5]])
    """
    _check(kind, order, stable)
    node, number = _lane(asarray(x).node, axis)
    return Array(sort_tensor(node, number, descending=descending))


@implements(np.argsort)
def argsort(
    x: Any,
    axis: int | None = -1,
    kind: str | None = None,
    order: Any = None,
    *,
    stable: bool | None = None,
    descending: bool = False,
) -> Array:
    """Return the places along `axis` of the cells in order; equal cells always keep their order.

    Parameters
    ----------
    axis
        None sorts the flattened array.
    kind, stable
        As in NumPy; every kind is stable here.
    order
        Fields to compare; there are none.
    descending
        Largest cells first; equal cells keep their order in this direction too.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.argsort(dt.asarray([3, 1, 2, 1])).compute()
    array([1, 3, 2, 0])
    """
    _check(kind, order, stable)
    node, number = _lane(_at_least_1d(x).node, axis)
    return Array(argsort_tensor(node, number, descending=descending))


@implements(np.partition)
def partition(
    x: Any,
    kth: int | Sequence[int],
    axis: int | None = -1,
    kind: str = "introselect",
    order: Any = None,
) -> Array:
    """Return the cells with those at the places `kth` as in sorted order, smaller ones before.

    The cells come in order: that is one of the answers `numpy.partition` may give.

    Raises
    ------
    ShapeError
        If a place is out of bounds.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> int(dt.partition(dt.asarray([3, 1, 2]), 1)[1])
    2
    """
    node, number = _partitioned(x, kth, axis, kind, order)
    return Array(sort_tensor(node, number))


@implements(np.argpartition)
def argpartition(
    x: Any,
    kth: int | Sequence[int],
    axis: int | None = -1,
    kind: str = "introselect",
    order: Any = None,
) -> Array:
    """Return the places from which `partition` takes its cells; they come in order.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.argpartition(dt.asarray([3, 1, 2]), 1).compute()
    array([1, 2, 0])
    """
    node, number = _partitioned(_at_least_1d(x), kth, axis, kind, order)
    return Array(argsort_tensor(node, number))


def topk(x: Any, k: int, axis: int = -1, split_every: int | None = None) -> Array:  # noqa: ARG001
    """Return the `k` largest cells along `axis`, largest first, as `dask.array.topk`.

    A negative `k` returns the smallest, smallest first. NaN counts as largest.

    Parameters
    ----------
    split_every
        Dask's; the plan decides.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.topk(dt.asarray([5, 1, 3, 6]), 2).compute(), dt.topk([5, 1, 3, 6], -2).compute()
    (array([6, 5]), array([1, 3]))
    """
    return Array(topk_tensor(asarray(x).node, index(k), axis))


def argtopk(x: Any, k: int, axis: int = -1, split_every: int | None = None) -> Array:  # noqa: ARG001
    """Return the places of the cells that `topk` returns, as `dask.array.argtopk`.

    Parameters
    ----------
    split_every
        Dask's; the plan decides.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.argtopk(dt.asarray([5, 1, 3, 6]), 2).compute()
    array([3, 0])
    """
    return Array(argtopk_tensor(asarray(x).node, index(k), axis))


@implements(np.lexsort)
def lexsort(keys: Any, axis: int = -1) -> Array:
    """Return the places that sort by several keys, of which the last counts most.

    Parameters
    ----------
    keys
        Arrays of one shape, or an array whose first dimension numbers the keys.

    Raises
    ------
    TypeError
        Without a key.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.lexsort((dt.asarray([2, 1, 0]), dt.asarray([1, 0, 1]))).compute()
    array([1, 2, 0])
    """
    given = list(keys) if isinstance(keys, tuple | list) else list(asarray(keys))
    if not given:
        raise TypeError("need sequence of keys with len > 0 in lexsort")
    nodes = [asarray(key).node for key in given]
    if len({node.type.shape for node in nodes}) > 1:
        raise ShapeError("all keys need to be the same shape")
    return Array(_lexsort(nodes, axis))


def _lexsort(keys: Sequence[Tensor], axis: int) -> Tensor:
    if not keys[0].type.ndim:
        return full((), PLACES.type(0))
    number = normalize_axis(axis, keys[0].type.ndim)
    order = argsort_tensor(keys[0], number)
    for key in keys[1:]:
        again = argsort_tensor(take_along_axis(key, order, number), number)
        order = take_along_axis(order, again, number)
    return order


def sort_in_place(
    self: Array, axis: int = -1, kind: str | None = None, order: Any = None, **options: Any
) -> None:
    """Sort along `axis`: the array becomes the sorted one, as by `numpy.ndarray.sort`.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> x = dt.asarray([3, 1, 2])
    >>> x.sort()
    >>> x.compute()
    array([1, 2, 3])
    """
    self.node = sort(self, axis, kind, order, **options).node


def partition_in_place(
    self: Array,
    kth: int | Sequence[int],
    axis: int = -1,
    kind: str = "introselect",
    order: Any = None,
) -> None:
    """Partition along `axis`: the array becomes the partitioned one.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> x = dt.asarray([3, 1, 2])
    >>> x.partition(0)
    >>> int(x[0])
    1
    """
    self.node = partition(self, kth, axis, kind, order).node


def _lane(x: Tensor, axis: int | None) -> tuple[Tensor, int]:
    """The tensor and the axis to sort; flattened for None."""
    if axis is None:
        return reshape(x, (x.type.size,)), 0
    return x, normalize_axis(axis, x.type.ndim)


def _at_least_1d(x: Any) -> Array:
    """A scalar as a vector: NumPy knows its places, though not its order."""
    array = asarray(x)
    return array if array.ndim else array.reshape(1)


def _check(kind: str | None, order: Any, stable: bool | None) -> None:
    if kind is not None and stable is not None:
        raise ShapeError("`kind` and `stable` parameters can't be provided at the same time")
    if kind is not None and kind not in KINDS:
        raise ShapeError(f"sort kind must be one of {KINDS}, got {kind!r}")
    if order is not None:
        raise ShapeError("Cannot specify order when the array has no fields.")


def _partitioned(
    x: Any, kth: int | Sequence[int], axis: int | None, kind: str, order: Any
) -> tuple[Tensor, int]:
    node, number = _lane(asarray(x).node, axis)
    if kind != "introselect":
        raise ShapeError(f"select kind must be 'introselect', got {kind!r}")
    _check(None, order, None)
    extent = node.type.shape[number]
    for place in map(index, kth) if isinstance(kth, Iterable) else (index(kth),):
        if extent and not -extent <= place < extent:
            raise ShapeError(f"kth(={place}) out of bounds ({extent})")
    return node, number
