"""Arrays joined along an axis that they have: `concatenate`, `append`, `block`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from dask_tapestry.amounts import listed, one_of
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.axis_names import names_axes
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.core.dtypes import CASTINGS, Casting, as_dtype
from dask_tapestry.arrays.core.joint_counts import count_together
from dask_tapestry.arrays.core.out_argument import assigned_to_out
from dask_tapestry.arrays.core.weak_numbers import weakly_typed
from dask_tapestry.arrays.shape.atleast import with_rank
from dask_tapestry.arrays.shape.reshaping import ravel
from dask_tapestry.errors import DTypeError, ShapeError
from dask_tapestry.operators.cells.elementwise import astype
from dask_tapestry.operators.joins.concat import concat as concat_tensors
from dask_tapestry.operators.joins.concat import joint_dtype
from dask_tapestry.operators.views.reshape import reshape
from dask_tapestry.teg import Tensor

__all__ = [
    "append",
    "block",
    "concat",
    "concatenate",
]


Arrays = Sequence[ArrayLike] | Array | np.ndarray[Any, Any]  # of one array: its slices along axis 0
Nested = ArrayLike | Sequence["Nested"]


@implements(np.concatenate)
def concatenate(
    arrays: Arrays,
    axis: int | None = 0,
    out: Array | None = None,
    *,
    dtype: DTypeLike | None = None,
    casting: Casting = "same_kind",
) -> Array:
    """Join arrays along an axis that they have, as `numpy.concatenate`.

    {Parameters}
        arrays: The arrays; their shapes may differ along `axis` only.
        axis: Along which to join; None flattens the arrays first.
        {out.value}
        dtype, casting: Convert to this dtype, or that of `out`, as far as this rule of NumPy's
            allows.
    {Returns} Array: As long along `axis` as all arrays together, in their common dtype.
    {Raises}
        ShapeError: If there is no array, or they differ in another axis.
        DTypeError: If `casting` forbids the conversion, or both `out` and `dtype` are given.
    {See Also}
        stack : along a new axis.
        block, hstack, vstack, dstack
    {Examples}
    >>> dt.concatenate([dt.arange(2), dt.ones(1)]).compute()
    array([0., 1., 1.])
    """
    nodes = [x.node for x in weakly_typed(sequence_of(arrays, "concatenate"))]
    if axis is None:
        nodes, axis = [reshape(n, (n.type.size,)) for n in nodes], 0
    return assigned_to_out(out, Array(concat_tensors(converted(nodes, dtype, casting, out), axis)))


@names_axes
def concat(
    arrays: Arrays,
    /,
    axis: int | None = 0,
    out: Array | None = None,
    *,
    dtype: DTypeLike | None = None,
    casting: Casting = "same_kind",
) -> Array:
    """Join arrays along an axis that they have: the Array API's name of `concatenate`.

    {Parameters} arrays, axis, out, dtype, casting: As of `concatenate`.
    {Returns} Array: As long along `axis` as all arrays together, in their common dtype.
    {Raises} ShapeError: If there is no array, or they differ in another axis.
    {Examples}
    >>> dt.concat([dt.ones((1, 2)), dt.zeros((1, 2))]).shape
    (2, 2)
    """
    return concatenate(arrays, axis, out, dtype=dtype, casting=casting)


@implements(np.append)
def append(arr: ArrayLike, values: ArrayLike, axis: int | None = None) -> Array:
    """Join values to the end of an array, as `numpy.append`.

    {Parameters}
        {arr}
        values: What comes after it.
        axis: Along which to join; None flattens both first.
    {Returns} Array: A new array, in the common dtype.
    {Raises} ShapeError: If the two differ in another axis.
    {See Also} concatenate, insert
    {Examples}
    >>> dt.append(dt.arange(2), 7).compute()
    array([0, 1, 7])
    """
    first, second = asarray(arr), asarray(values)
    if axis is None:
        return concatenate((ravel(first), ravel(second)), 0)
    return concatenate((first, second), axis)


@implements(np.block)
def block(arrays: Nested) -> Array:
    """Join nested lists of arrays into one array, as `numpy.block`.

    {Parameters} arrays: Arrays in lists, nested to one depth: the innermost lists are joined along
        the last axis, those around them along the axis before it, and so on.
    {Returns} Array: As many dimensions as the deepest nesting and the largest array have.
    {Raises}
        ShapeError: If lists are nested to different depths, empty, or hold arrays that do not fit.
        DTypeError: For a tuple, which is no nesting here.
    {See Also} concatenate, stack
    {Examples}
    >>> dt.block([[dt.ones((1, 2)), 5], [dt.zeros((1, 2)), 6]]).compute()
    array([[1., 1., 5.],
           [0., 0., 6.]])
    """
    depths: set[int] = set()
    ranks: set[int] = set()
    found: list[Any] = []
    _collect_depths(arrays, 0, depths, ranks, found)
    if len(depths) > 1:
        raise ShapeError(f"list depths are mismatched: arrays lie at depths {sorted(depths)}")
    (depth,) = depths
    count_together(found)
    return _joined(arrays, depth, max(depth, *ranks))


def _collect_depths(
    arrays: Any, depth: int, depths: set[int], ranks: set[int], found: list[Any]
) -> None:
    """Add the arrays to `found`, the depths at which they lie, and their numbers of dimensions."""
    if isinstance(arrays, tuple):
        raise DTypeError("block takes nested lists, not tuples")
    if not isinstance(arrays, list):
        depths.add(depth)
        ranks.add(asarray(arrays).ndim)
        found.append(arrays)
        return
    if not arrays:
        raise ShapeError("list depths are mismatched: a list is empty")
    for inner in arrays:
        _collect_depths(inner, depth + 1, depths, ranks, found)


def _joined(arrays: Any, depth: int, rank: int) -> Array:
    if not isinstance(arrays, list):
        return with_rank(asarray(arrays), rank)
    return concatenate([_joined(inner, depth - 1, rank) for inner in arrays], -depth)


def sequence_of(arrays: Arrays, name: str) -> list[ArrayLike]:
    """The arrays of a sequence, or of an array along its first axis, which are counted together.

    {Raises} DTypeError: For an iterator, as NumPy does.
    """
    if isinstance(arrays, Sequence | np.ndarray | Array) and not isinstance(arrays, str):
        found: list[ArrayLike] = list(listed(arrays, "arrays"))
        count_together(found)
        return found
    kind = type(arrays).__name__
    raise DTypeError(f"{name} takes arrays as a sequence, such as a list or tuple, not {kind}")


def converted(
    nodes: Iterable[Tensor], dtype: DTypeLike | None, casting: Casting, out: Array | None = None
) -> list[Tensor]:
    """Tensors converted to `dtype`, else that of `out`, else NumPy's, if `casting` allows it."""
    nodes = list(nodes)
    if isinstance(out, Array):
        if dtype is not None:
            raise DTypeError("out and dtype are mutually exclusive: give one of them")
        dtype = out.dtype
    one_of("casting", casting, CASTINGS)
    if dtype is None and casting == "same_kind":
        return nodes
    kind = as_dtype(dtype) if dtype is not None else joint_dtype(nodes)
    for node in nodes:
        if not np.can_cast(node.type.dtype, kind, casting):
            raise DTypeError(f"cannot cast {node.type} to {kind.name} by the rule {casting!r}")
    return [astype(node, kind) for node in nodes]
