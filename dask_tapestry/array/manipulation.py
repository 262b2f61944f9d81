"""The same cells under other coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dask_tapestry.array.array import Array
from dask_tapestry.array.convert import asarray
from dask_tapestry.array.dispatch import implements
from dask_tapestry.array.dtypes import as_dtype
from dask_tapestry.array.shapes import lengths_of, shape_of
from dask_tapestry.errors import DTypeError, IndexingError, ShapeError
from dask_tapestry.operators.axes import Axes, normalize_axes, normalize_axis
from dask_tapestry.operators.broadcast import broadcast, broadcast_shape
from dask_tapestry.operators.concat import concat as concat_tensors
from dask_tapestry.operators.elementwise import astype
from dask_tapestry.operators.permute import permute
from dask_tapestry.operators.reshape import reshape as reshape_tensor
from dask_tapestry.operators.reverse import reverse
from dask_tapestry.operators.slice import basic_slice
from dask_tapestry.operators.squeeze import squeeze as squeeze_tensor
from dask_tapestry.operators.unsqueeze import unsqueeze
from dask_tapestry.teg import Tensor

__all__ = [
    "broadcast_arrays",
    "broadcast_to",
    "concat",
    "concatenate",
    "expand_dims",
    "flip",
    "moveaxis",
    "permute_dims",
    "ravel",
    "reshape",
    "squeeze",
    "swapaxes",
    "transpose",
]


def getitem(x: Any, key: Any) -> Array:
    """Index with integers, slices, Ellipsis and None, as NumPy's basic indexing.

    Raises
    ------
    IndexingError
        For an index out of bounds, too many of them, or one of another kind.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.arange(10)[2:9:3].compute()
    array([2, 5, 8])
    """
    keys = key if isinstance(key, tuple) else (key,)
    for item in keys:
        if isinstance(item, bool | np.bool_ | Array | list) or np.ndim(item):
            raise IndexingError(
                "only integers, slices, Ellipsis and None can index so far, "
                f"not {type(item).__name__}"
            )
    return Array(basic_slice(asarray(x).node, keys))


@implements(np.shape)
def _shape(x: Array) -> tuple[int, ...]:
    return x.shape


@implements(np.ndim)
def _ndim(x: Array) -> int:
    return x.ndim


@implements(np.size)
def _size(x: Array, axis: int | None = None) -> int:
    return x.size if axis is None else x.shape[normalize_axis(axis, x.ndim)]


@implements(np.transpose)
def transpose(x: Any, axes: Sequence[int] | None = None) -> Array:
    """Reorder dimensions, by default reverse them, as `numpy.transpose`.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.transpose(dt.ones((2, 3, 4))).shape
    (4, 3, 2)
    """
    return Array(permute(asarray(x).node, axes))


def permute_dims(x: Any, /, axes: Sequence[int]) -> Array:
    """Reorder dimensions: dimension i of the result is dimension ``axes[i]`` of `x`.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.permute_dims(dt.ones((2, 3, 4)), (1, 0, 2)).shape
    (3, 2, 4)
    """
    return transpose(x, axes)


@implements(np.flip)
def flip(x: Any, axis: Axes = None) -> Array:
    """Reverse the order of cells along `axis`, by default all, as `numpy.flip`.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.flip(dt.arange(3)).compute()
    array([2, 1, 0])
    """
    return Array(reverse(asarray(x).node, axis))


@implements(np.squeeze)
def squeeze(x: Any, axis: Axes = None) -> Array:
    """Drop dimensions of length one, as `numpy.squeeze`.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.squeeze(dt.ones((1, 3, 1))).shape
    (3,)
    """
    return Array(squeeze_tensor(asarray(x).node, axis))


@implements(np.expand_dims)
def expand_dims(x: Any, axis: int | Sequence[int] = 0) -> Array:
    """Insert dimensions of length one at `axis` of the result, as `numpy.expand_dims`.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.expand_dims(dt.ones(3), (0, 2)).shape
    (1, 3, 1)
    """
    return Array(unsqueeze(asarray(x).node, tuple(axis) if isinstance(axis, Sequence) else axis))


@implements(np.broadcast_to)
def broadcast_to(x: Any, shape: int | Sequence[int]) -> Array:
    """Repeat dimensions of length one, and new leading ones, without a copy.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.broadcast_to(dt.arange(2), (2, 2)).compute()
    array([[0, 1],
           [0, 1]])
    """
    return Array(broadcast(asarray(x).node, shape_of(shape)))


@implements(np.broadcast_arrays)
def broadcast_arrays(*arrays: Any) -> tuple[Array, ...]:
    """Broadcast arrays against each other.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> [x.shape for x in dt.broadcast_arrays(dt.ones(3), dt.ones((2, 1)))]
    [(2, 3), (2, 3)]
    """
    nodes = [asarray(x).node for x in arrays]
    shape = broadcast_shape([n.type.shape for n in nodes], "arrays")
    return tuple(Array(broadcast(n, shape)) for n in nodes)


@implements(np.concatenate)
def concatenate(arrays: Sequence[Any], axis: int | None = 0, *, dtype: Any = None) -> Array:
    """Join arrays along an axis, flattened if it is None, as `numpy.concatenate`.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.concatenate([dt.arange(2), dt.ones(1)]).compute()
    array([0., 1., 1.])
    """
    nodes = [asarray(x).node for x in arrays]
    if axis is None:
        nodes, axis = [reshape_tensor(n, (-1,) if n.type.size else (0,)) for n in nodes], 0
    if dtype is not None:
        nodes = [_same_kind(n, as_dtype(dtype)) for n in nodes]
    return Array(concat_tensors(nodes, axis))


def _same_kind(x: Tensor, dtype: np.dtype[Any]) -> Tensor:
    if not np.can_cast(x.type.dtype, dtype, "same_kind"):
        raise DTypeError(f"cannot concatenate {x.type} as {dtype.name}: it is of another kind")
    return astype(x, dtype)


def concat(arrays: Sequence[Any], /, *, axis: int | None = 0) -> Array:
    """Join arrays along an axis: the Array API's name of `concatenate`.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.concat([dt.ones((1, 2)), dt.zeros((1, 2))]).shape
    (2, 2)
    """
    return concatenate(arrays, axis)


@implements(np.reshape)
def reshape(x: Any, /, shape: int | Sequence[int], order: str = "C") -> Array:
    """Return the same cells, in C order, under another shape; one length may be -1.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.reshape(dt.arange(6), (2, -1)).shape
    (2, 3)
    """
    if order != "C":
        raise ShapeError(f"reshape in order {order!r} is not known: there is 'C'")
    return Array(reshape_tensor(asarray(x).node, lengths_of(shape)))


@implements(np.ravel)
def ravel(x: Any, order: str = "C") -> Array:
    """Return all cells in one dimension, in C order.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.ravel(dt.ones((2, 3))).shape
    (6,)
    """
    array = asarray(x)
    return reshape(array, (array.size,), order)


@implements(np.moveaxis)
def moveaxis(x: Any, source: int | Sequence[int], destination: int | Sequence[int]) -> Array:
    """Move dimensions to other places, the others keeping their order, as `numpy.moveaxis`.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.moveaxis(dt.ones((2, 3, 4)), 0, -1).shape
    (3, 4, 2)
    """
    array = asarray(x)
    sources = _in_order(source, array.ndim, "source")
    places = _in_order(destination, array.ndim, "destination")
    if len(sources) != len(places):
        raise ShapeError("`source` and `destination` must have the same number of elements")
    order = [axis for axis in range(array.ndim) if axis not in sources]
    for place, axis in sorted(zip(places, sources, strict=True)):
        order.insert(place, axis)
    return transpose(array, order)


@implements(np.swapaxes)
def swapaxes(x: Any, axis1: int, axis2: int) -> Array:
    """Exchange two dimensions.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.swapaxes(dt.ones((2, 3, 4)), 0, 2).shape
    (4, 3, 2)
    """
    array = asarray(x)
    first, second = (normalize_axis(a, array.ndim) for a in (axis1, axis2))
    order = list(range(array.ndim))
    order[first], order[second] = order[second], order[first]
    return transpose(array, order)


def _in_order(axes: int | Sequence[int], ndim: int, name: str) -> list[int]:
    given = list(axes) if isinstance(axes, Sequence) else [axes]
    normalize_axes(given, ndim, name)
    return [normalize_axis(a, ndim, name) for a in given]
