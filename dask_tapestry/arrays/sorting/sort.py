"""Sorting along an axis, and its relatives: `argsort`, `topk` and `lexsort`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.amounts import integer
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.declared_arguments import checked
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.indexing.take import take_along_axis
from dask_tapestry.arrays.sorting.records import compared
from dask_tapestry.errors import ArgumentTypeError, DTypeError, ShapeError
from dask_tapestry.operators.axes import normalize_axis
from dask_tapestry.operators.generators.full import full
from dask_tapestry.operators.lanes import PLACES
from dask_tapestry.operators.sorting.joined_keys import joined
from dask_tapestry.operators.sorting.sort import argsort as argsort_tensor
from dask_tapestry.operators.sorting.sort import sort as sort_tensor
from dask_tapestry.operators.sorting.topk import argtopk as argtopk_tensor
from dask_tapestry.operators.sorting.topk import topk as topk_tensor
from dask_tapestry.operators.views.reshape import reshape
from dask_tapestry.teg import Tensor

__all__ = ["argsort", "argtopk", "lexsort", "sort", "topk"]

Kind = Literal["quicksort", "mergesort", "heapsort", "stable"]
KINDS: Final = frozenset(kind[0] for kind in get_args(Kind))


@implements(np.sort)
def sort(
    a: ArrayLike,
    axis: int | None = -1,
    kind: Kind | None = None,
    order: str | Sequence[str] | None = None,
    *,
    stable: bool | None = None,
    descending: bool = False,
) -> Array:
    """Return the cells along `axis` in ascending order, as `numpy.sort`.

    The order is NumPy's, with NaN and NaT last. Equal cells have an order too: -0.0 comes before
    0.0, and every NaN becomes the same one. So neither `kind` nor how the axis is cut changes the
    value. An axis too long for one block is sorted in parts, which exchange cells once.

    {Parameters}
        {a, axis.sort}
        kind, stable: Accepted for NumPy's sake; they make no difference.
        {order.fields}
        descending: Reverse the order: NaN and NaT come first.
    {Returns} Array: Shape and dtype of `a`, or 1-d for `axis` None.
    {Raises}
        DTypeError: If cells have no order, as records of records.
        ArgumentError: If `order` names a field that is not there.
        ShapeError: If both `kind` and `stable` are given, `kind` is unknown, or `order` is given
            for cells without fields.
    {See Also} argsort, topk, partition, unique
    {Examples}
    >>> dt.sort(dt.asarray([[3, 1, 2], [0, 5, 4]])).compute()
    array([[1, 2, 3],
           [0, 4, 5]])
    """
    node, number = lane(asarray(a).node, axis)
    check_options(node, kind, order, stable)
    keys = compared(node, order)
    if keys is node:
        return Array(sort_tensor(node, number, descending=descending))
    places = argsort_tensor(keys, number, descending=descending)
    return take_along_axis(Array(node), Array(places), number)


@implements(np.argsort)
def argsort(
    a: ArrayLike,
    axis: int | None = -1,
    kind: Kind | None = None,
    order: str | Sequence[str] | None = None,
    *,
    stable: bool | None = None,
    descending: bool = False,
) -> Array:
    """Return the indices that sort along `axis`, as `numpy.argsort`; always stable.

    {Parameters}
        {a, axis.sort}
        kind, stable: Accepted for NumPy's sake; equal cells always keep their order.
        {order.fields}
        descending: Greatest cells first; equal cells keep their order in this direction too.
    {Returns} Array: Indices of dtype intp, shape of `a`, or 1-d for `axis` None.
    {Raises}
        DTypeError: If cells have no order, as records of records.
        ArgumentError: If `order` names a field that is not there.
        ShapeError: If both `kind` and `stable` are given, `kind` is unknown, or `order` is given
            for cells without fields.
    {See Also} sort, lexsort, argtopk
    {Examples}
    >>> dt.argsort(dt.asarray([3, 1, 2, 1])).compute()
    array([1, 3, 2, 0])
    """
    node, number = lane(at_least_1d(a).node, axis)
    check_options(node, kind, order, stable)
    return Array(argsort_tensor(compared(node, order), number, descending=descending))


@checked
def topk(a: ArrayLike, k: int, axis: int = -1, split_every: int | None = None) -> Array:  # noqa: ARG001
    """Return the `k` greatest cells along `axis`, in descending order, as `dask.array.topk`.

    {Parameters}
        {a}
        k: Number of cells; a negative one takes the least cells, in ascending order.
        {axis.table, split_every}
    {Returns} Array: Shape of `a` with at most ``abs(k)`` cells along `axis`; NaN counts as
        greatest.
    {See Also} argtopk, sort, partition
    {Examples}
    >>> dt.topk(dt.asarray([5, 1, 3, 6]), 2).compute(), dt.topk([5, 1, 3, 6], -2).compute()
    (array([6, 5]), array([1, 3]))
    """
    return Array(topk_tensor(asarray(a).node, integer(k), axis))


@checked
def argtopk(a: ArrayLike, k: int, axis: int = -1, split_every: int | None = None) -> Array:  # noqa: ARG001
    """Return the indices of the cells that `topk` returns, as `dask.array.argtopk`.

    {Parameters}
        {a}
        k: Number of cells; a negative one takes the least cells, in ascending order.
        {axis.table, split_every}
    {Returns} Array: Indices of dtype intp, shape of `a` with at most ``abs(k)`` cells along `axis`.
    {See Also} topk, argsort
    {Examples}
    >>> dt.argtopk(dt.asarray([5, 1, 3, 6]), 2).compute()
    array([3, 0])
    """
    return Array(argtopk_tensor(asarray(a).node, integer(k), axis))


@implements(np.lexsort)
def lexsort(keys: ArrayLike | Sequence[ArrayLike], axis: int = -1) -> Array:
    """Return the indices that sort by several keys, as `numpy.lexsort`; the last key counts most.

    {Parameters}
        keys: Arrays of one shape, or an array with the keys along its first axis.
        axis: Axis of the keys to sort along.
    {Returns} Array: Indices of dtype intp, shape of a key.
    {Raises}
        TypeError: If there is no key.
        ShapeError: If keys differ in shape.
    {See Also} argsort, sort
    {Examples}
    >>> dt.lexsort((dt.asarray([2, 1, 0]), dt.asarray([1, 0, 1]))).compute()
    array([1, 2, 0])
    """
    given = list(keys) if isinstance(keys, tuple | list) else list(asarray(keys))
    if not given:
        raise ArgumentTypeError("need sequence of keys with len > 0 in lexsort")
    nodes = [asarray(key).node for key in given]
    if len({node.type.shape for node in nodes}) > 1:
        raise ShapeError("all keys need to be the same shape")
    return Array(_lexsort(nodes, axis))


def _lexsort(keys: Sequence[Tensor], axis: int) -> Tensor:
    number = normalize_axis(axis, max(keys[0].type.ndim, 1))  # axis 0 of one cell, as in NumPy
    if not keys[0].type.ndim:
        return full((), PLACES.type(0))
    return argsort_tensor(keys[0] if len(keys) == 1 else joined(keys[::-1]), number)


@checked
def sort_in_place(
    self: Array,
    axis: int = -1,
    kind: Kind | None = None,
    order: str | Sequence[str] | None = None,
    *,
    stable: bool | None = None,
    descending: bool = False,
) -> None:
    """Sort along `axis`, as `numpy.ndarray.sort`: the array takes the sorted value.

    {Parameters}
        self: The array, which changes.
        axis, kind, order, stable, descending: As for `sort`.
    {Examples}
    >>> x = dt.asarray([3, 1, 2])
    >>> x.sort()
    >>> x.compute()
    array([1, 2, 3])
    """
    self.node = sort(self, axis, kind, order, stable=stable, descending=descending).node


def lane(x: Tensor, axis: int | None) -> tuple[Tensor, int]:
    """The tensor and the axis to sort along; for None the flattened tensor."""
    if axis is None:
        return reshape(x, (x.type.size,)), 0
    return x, normalize_axis(axis, x.type.ndim)


def at_least_1d(x: ArrayLike) -> Array:
    """The array, 1-d if it is 0-d: NumPy sorts no 0-d array, but knows the indices that would."""
    array = asarray(x)
    return array if array.ndim else array.reshape(1)


def check_options(
    x: Tensor, kind: Kind | None, order: str | Sequence[str] | None, stable: bool | None
) -> None:
    """Raise what NumPy raises for options that do not fit together, or `x`."""
    if kind is not None and stable is not None:
        raise ShapeError("`kind` and `stable` parameters can't be provided at the same time")
    if kind is not None and not isinstance(kind, str):
        raise DTypeError(f"sort kind must be str, not {type(kind).__name__}")
    if kind is not None and kind[:1].lower() not in KINDS:  # NumPy reads the first letter
        raise ShapeError(f"sort kind must be one of {get_args(Kind)}, got {kind!r}")
    if order is not None and x.type.dtype.names is None:  # who sorts refuses those that have fields
        raise ShapeError("Cannot specify order when the array has no fields.")
