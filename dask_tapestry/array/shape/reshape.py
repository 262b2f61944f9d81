"""The same cells under other coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dask_tapestry.array.core.array import Array
from dask_tapestry.array.core.convert import asarray
from dask_tapestry.array.core.dispatch import implements
from dask_tapestry.array.core.shapes import lengths_of, shape_of
from dask_tapestry.errors import ArgumentError, ShapeError
from dask_tapestry.operators.axes import Axes, normalize_axes, normalize_axis
from dask_tapestry.operators.broadcast import broadcast, broadcast_shape
from dask_tapestry.operators.permute import permute
from dask_tapestry.operators.reshape import reshape as reshape_tensor
from dask_tapestry.operators.reverse import reverse
from dask_tapestry.operators.squeeze import squeeze as squeeze_tensor
from dask_tapestry.operators.unsqueeze import unsqueeze

__all__ = [
    "broadcast_arrays",
    "broadcast_shapes",
    "broadcast_to",
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
def transpose(a: Any, axes: Sequence[int] | None = None) -> Array:
    """Reorder dimensions, by default reverse them, as `numpy.transpose`.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.transpose(dt.ones((2, 3, 4))).shape
    (4, 3, 2)
    """
    return Array(permute(asarray(a).node, axes))


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
def flip(m: Any, axis: Axes = None) -> Array:
    """Reverse the order of cells along `axis`, by default all, as `numpy.flip`.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.flip(dt.arange(3)).compute()
    array([2, 1, 0])
    """
    return Array(reverse(asarray(m).node, axis))


@implements(np.squeeze)
def squeeze(a: Any, axis: Axes = None) -> Array:
    """Drop dimensions of length one, as `numpy.squeeze`.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.squeeze(dt.ones((1, 3, 1))).shape
    (3,)
    """
    return Array(squeeze_tensor(asarray(a).node, axis))


@implements(np.expand_dims)
def expand_dims(a: Any, axis: int | Sequence[int] = 0) -> Array:
    """Insert dimensions of length one at `axis` of the result, as `numpy.expand_dims`.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.expand_dims(dt.ones(3), (0, 2)).shape
    (1, 3, 1)
    """
    return Array(unsqueeze(asarray(a).node, tuple(axis) if isinstance(axis, Sequence) else axis))


@implements(np.broadcast_to)
def broadcast_to(array: Any, shape: int | Sequence[int], subok: bool = False) -> Array:
    """Repeat dimensions of length one, and new leading ones, without a copy.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.broadcast_to(dt.arange(2), (2, 2)).compute()
    array([[0, 1],
           [0, 1]])
    """
    del subok  # as NumPy's, without effect
    return Array(broadcast(asarray(array).node, shape_of(shape)))


@implements(np.broadcast_arrays)
def broadcast_arrays(*arrays: Any, subok: bool = False) -> tuple[Array, ...]:
    """Broadcast arrays against each other.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> [x.shape for x in dt.broadcast_arrays(dt.ones(3), dt.ones((2, 1)))]
    [(2, 3), (2, 3)]
    """
    del subok  # as NumPy's, without effect
    nodes = [asarray(x).node for x in arrays]
    shape = broadcast_shape([n.type.shape for n in nodes] or [()], "arrays")
    return tuple(Array(broadcast(n, shape)) for n in nodes)


def broadcast_shapes(*shapes: int | Sequence[int]) -> tuple[int, ...]:
    """Return the shape that all `shapes` broadcast to, as `numpy.broadcast_shapes`.

    Raises
    ------
    ShapeError
        If there is none.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.broadcast_shapes((3, 1), 4, ())
    (3, 4)
    """
    return broadcast_shape([shape_of(shape) for shape in shapes] or [()], "shapes")


@implements(np.reshape)
def reshape(
    a: Any, /, shape: int | Sequence[int], order: str = "C", *, copy: bool | None = None
) -> Array:
    """Return the same cells under another shape, as `numpy.reshape`; one length may be -1.

    Parameters
    ----------
    order
        In which cells are counted: ``"C"``, the last index fastest, or ``"F"``, the first one.
        Values have no layout in memory, so that ``"A"`` is ``"C"``.
    copy
        Has no meaning for values; False cannot be promised.

    Raises
    ------
    ShapeError
        If the shapes hold different numbers of cells, or the order is none of these.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.reshape(dt.arange(6), (2, -1)).shape
    (2, 3)
    """
    if copy is False:
        raise ArgumentError("Unable to avoid creating a copy while reshaping.")
    if order == "K":
        raise ArgumentError("order 'K' is not permitted for reshaping")
    sides = lengths_of(shape)
    if _order(order) == "F":  # the same in C order, with all dimensions reversed
        backward = reshape_tensor(permute(asarray(a).node, None), sides[::-1])
        return Array(permute(backward, None))
    return Array(reshape_tensor(asarray(a).node, sides))


def _order(order: str) -> str:
    """``"F"``, or ``"C"`` for all orders that mean it here."""
    if order not in ("C", "F", "A", "K"):
        raise ArgumentError(f"order must be one of 'C', 'F', 'A', or 'K' (got {order!r})")
    return "F" if order == "F" else "C"


@implements(np.ravel)
def ravel(a: Any, order: str = "C") -> Array:
    """Return all cells in one dimension, in C order, or the first index fastest (``"F"``).

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.ravel(dt.ones((2, 3))).shape
    (6,)
    """
    array = asarray(a)
    return reshape(array, (array.size,), _order(order))


@implements(np.moveaxis)
def moveaxis(a: Any, source: int | Sequence[int], destination: int | Sequence[int]) -> Array:
    """Move dimensions to other places, the others keeping their order, as `numpy.moveaxis`.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.moveaxis(dt.ones((2, 3, 4)), 0, -1).shape
    (3, 4, 2)
    """
    array = asarray(a)
    sources = _in_order(source, array.ndim, "source")
    places = _in_order(destination, array.ndim, "destination")
    if len(sources) != len(places):
        raise ShapeError("`source` and `destination` must have the same number of elements")
    order = [axis for axis in range(array.ndim) if axis not in sources]
    for place, axis in sorted(zip(places, sources, strict=True)):
        order.insert(place, axis)
    return transpose(array, order)


@implements(np.swapaxes)
def swapaxes(a: Any, axis1: int, axis2: int) -> Array:
    """Exchange two dimensions.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.swapaxes(dt.ones((2, 3, 4)), 0, 2).shape
    (4, 3, 2)
    """
    array = asarray(a)
    first, second = (normalize_axis(a, array.ndim) for a in (axis1, axis2))
    order = list(range(array.ndim))
    order[first], order[second] = order[second], order[first]
    return transpose(array, order)


def _in_order(axes: int | Sequence[int], ndim: int, name: str) -> list[int]:
    given = list(axes) if isinstance(axes, Sequence) else [axes]
    normalize_axes(given, ndim, name)
    return [normalize_axis(a, ndim, name) for a in given]
