"""Arrays joined into one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from dask_tapestry.array.core.array import Array
from dask_tapestry.array.core.convert import asarray
from dask_tapestry.array.core.dispatch import implements
from dask_tapestry.array.core.dtypes import as_dtype
from dask_tapestry.array.core.out_argument import into
from dask_tapestry.array.shape.atleast import atleast_1d, atleast_2d, atleast_3d, with_rank
from dask_tapestry.array.shape.reshaping import ravel
from dask_tapestry.errors import DTypeError, ShapeError
from dask_tapestry.operators.concat import concat as concat_tensors
from dask_tapestry.operators.concat import joint_dtype
from dask_tapestry.operators.elementwise import astype
from dask_tapestry.operators.reshape import reshape
from dask_tapestry.operators.stack import interleave as interleave_tensors
from dask_tapestry.operators.stack import stack as stack_tensors
from dask_tapestry.teg import Tensor

__all__ = [
    "append",
    "block",
    "column_stack",
    "concat",
    "concatenate",
    "dstack",
    "hstack",
    "interleave",
    "stack",
    "vstack",
]


@implements(np.concatenate)
def concatenate(
    arrays: Sequence[Any],
    axis: int | None = 0,
    out: Any = None,
    *,
    dtype: Any = None,
    casting: str = "same_kind",
) -> Array:
    """Join arrays along an axis, flattened if it is None, as `numpy.concatenate`.

    Parameters
    ----------
    out
        An `Array` that takes the value of the result.
    dtype, casting
        Convert to this dtype, as far as this rule of NumPy's allows.

    Raises
    ------
    ShapeError
        If there is no array, or they differ in another axis.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.concatenate([dt.arange(2), dt.ones(1)]).compute()
    array([0., 1., 1.])
    """
    nodes = [asarray(x).node for x in sequence_of(arrays, "concatenate")]
    if axis is None:
        nodes, axis = [reshape(n, (n.type.size,)) for n in nodes], 0
    return into(out, Array(concat_tensors(converted(nodes, dtype, casting), axis)))


def concat(
    arrays: Sequence[Any],
    /,
    axis: int | None = 0,
    out: Any = None,
    *,
    dtype: Any = None,
    casting: str = "same_kind",
) -> Array:
    """Join arrays along an axis: the Array API's name of `concatenate`.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.concat([dt.ones((1, 2)), dt.zeros((1, 2))]).shape
    (2, 2)
    """
    return concatenate(arrays, axis, out, dtype=dtype, casting=casting)


@implements(np.stack)
def stack(
    arrays: Sequence[Any],
    axis: int = 0,
    out: Any = None,
    *,
    dtype: Any = None,
    casting: str = "same_kind",
) -> Array:
    """Join arrays of one shape along a new axis, as `numpy.stack`.

    Raises
    ------
    ShapeError
        If there is no array, or their shapes differ.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.stack([dt.arange(2), dt.arange(2, 4)], axis=1).compute()
    array([[0, 2],
           [1, 3]])
    """
    nodes = [asarray(x).node for x in sequence_of(arrays, "stack")]
    return into(out, Array(stack_tensors(converted(nodes, dtype, casting), axis)))


@implements(np.hstack)
def hstack(tup: Sequence[Any], *, dtype: Any = None, casting: str = "same_kind") -> Array:
    """Join arrays along their second axis, or the only one they have, as `numpy.hstack`.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.hstack([dt.arange(2), dt.arange(2, 4)]).compute()
    array([0, 1, 2, 3])
    """
    arrays = [atleast_1d(x) for x in sequence_of(tup, "hstack")]
    axis = 0 if arrays and arrays[0].ndim == 1 else 1
    return concatenate(arrays, axis, dtype=dtype, casting=casting)


@implements(np.vstack)
def vstack(tup: Sequence[Any], *, dtype: Any = None, casting: str = "same_kind") -> Array:
    """Join arrays along their first axis, vectors as rows, as `numpy.vstack`.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.vstack([dt.arange(2), dt.arange(2, 4)]).compute()
    array([[0, 1],
           [2, 3]])
    """
    arrays = [atleast_2d(x) for x in sequence_of(tup, "vstack")]
    return concatenate(arrays, 0, dtype=dtype, casting=casting)


@implements(np.dstack)
def dstack(tup: Sequence[Any]) -> Array:
    """Join arrays along their third axis, which they get if they lack it, as `numpy.dstack`.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.dstack([dt.arange(2), dt.arange(2, 4)]).shape
    (1, 2, 2)
    """
    return concatenate([atleast_3d(x) for x in sequence_of(tup, "dstack")], 2)


@implements(np.column_stack)
def column_stack(tup: Sequence[Any]) -> Array:
    """Join vectors as the columns of a matrix, and matrices side by side.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.column_stack([dt.arange(2), dt.arange(2, 4)]).compute()
    array([[0, 2],
           [1, 3]])
    """
    arrays = [asarray(x) for x in sequence_of(tup, "column_stack")]
    return concatenate([x if x.ndim >= 2 else with_rank(x, 2).T for x in arrays], 1)


@implements(np.append)
def append(arr: Any, values: Any, axis: int | None = None) -> Array:
    """Join `values` to the end of an array, both flattened if there is no axis.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.append(dt.arange(2), 7).compute()
    array([0, 1, 7])
    """
    first, second = asarray(arr), asarray(values)
    if axis is None:
        return concatenate((ravel(first), ravel(second)), 0)
    return concatenate((first, second), axis)


@implements(np.block)
def block(arrays: Any) -> Array:
    """Join nested lists of arrays: the innermost along the last axis, the next before it.

    Raises
    ------
    ShapeError
        If lists are nested to different depths, empty, or hold arrays that do not fit.
    DTypeError
        For a tuple, which is no nesting here.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.block([[dt.ones((1, 2)), 5], [dt.zeros((1, 2)), 6]]).compute()
    array([[1., 1., 5.],
           [0., 0., 6.]])
    """
    depths: set[int] = set()
    ranks: set[int] = set()
    _measure(arrays, 0, depths, ranks)
    if len(depths) > 1:
        raise ShapeError(f"list depths are mismatched: arrays lie at depths {sorted(depths)}")
    (depth,) = depths
    return _block(arrays, depth, max(depth, *ranks))


def _measure(arrays: Any, depth: int, depths: set[int], ranks: set[int]) -> None:
    if isinstance(arrays, tuple):
        raise DTypeError("block takes nested lists, not tuples")
    if not isinstance(arrays, list):
        depths.add(depth)
        ranks.add(np.ndim(arrays))
        return
    if not arrays:
        raise ShapeError("list depths are mismatched: a list is empty")
    for inner in arrays:
        _measure(inner, depth + 1, depths, ranks)


def _block(arrays: Any, depth: int, rank: int) -> Array:
    if not depth:
        return with_rank(asarray(arrays), rank)
    return concatenate([_block(inner, depth - 1, rank) for inner in arrays], -depth)


def interleave(arrays: Sequence[Any], axis: int = 0) -> Array:
    """Take the cells of arrays of one shape in turn along an axis.

    Source: Tapestry whitepaper, "Selector Nodes".

    Raises
    ------
    ShapeError
        If there is no array, or their shapes differ.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.interleave([dt.arange(3), dt.arange(10, 13)]).compute()
    array([ 0, 10,  1, 11,  2, 12])
    """
    nodes = [asarray(x).node for x in sequence_of(arrays, "interleave")]
    return Array(interleave_tensors(nodes, axis))


def sequence_of(arrays: Any, name: str) -> list[Any]:
    """The arrays of a sequence, or of an array along its first axis.

    Raises
    ------
    DTypeError
        For an iterator, as NumPy does.
    """
    if isinstance(arrays, Sequence | np.ndarray | Array) and not isinstance(arrays, str):
        return list(arrays)
    kind = type(arrays).__name__
    raise DTypeError(f"{name} takes arrays as a sequence, such as a list or tuple, not {kind}")


def converted(nodes: Iterable[Tensor], dtype: Any, casting: Any) -> list[Tensor]:
    """Tensors converted to `dtype`, by default NumPy's choice, if `casting` allows it."""
    nodes = list(nodes)
    if dtype is None and casting == "same_kind":
        return nodes
    kind = as_dtype(dtype) if dtype is not None else joint_dtype(nodes)
    for node in nodes:
        if not np.can_cast(node.type.dtype, kind, casting):
            raise DTypeError(f"cannot cast {node.type} to {kind.name} by the rule {casting!r}")
    return [astype(node, kind) for node in nodes]
