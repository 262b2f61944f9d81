"""Coordinates as arrays: grids, index tensors, matrices made of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import index
from typing import Any

import numpy as np

from dask_tapestry.array.core.array import Array
from dask_tapestry.array.core.convert import asarray, with_chunks
from dask_tapestry.array.core.dispatch import implements
from dask_tapestry.array.core.dtypes import as_dtype
from dask_tapestry.array.core.shapes import known_order, only_cpu, shape_of
from dask_tapestry.array.creation.filled import full, ones
from dask_tapestry.array.shape.reshape import (
    broadcast_arrays,
    broadcast_to,
    reshape,
    swapaxes,
)
from dask_tapestry.errors import ShapeError
from dask_tapestry.operators.coordinates import INDEX_DTYPE, coordinates
from dask_tapestry.operators.diagonal import on_diagonal
from dask_tapestry.operators.elementwise import astype, elementwise
from dask_tapestry.operators.reduce import reduce
from dask_tapestry.operators.stack import stack
from dask_tapestry.operators.where import where
from dask_tapestry.teg import Tensor

__all__ = [
    "bounding_box",
    "eye",
    "fromfunction",
    "identity",
    "index_tensor",
    "indices",
    "meshgrid",
    "vander",
]


def eye(
    N: int,
    M: int | None = None,
    k: int = 0,
    dtype: Any = float,
    order: str = "C",
    *,
    device: str | None = None,
    like: Any = None,  # noqa: ARG001
    chunks: Any = None,
) -> Array:
    """Return a matrix with ones on a diagonal and zeros elsewhere; it takes no memory.

    Parameters
    ----------
    N, M
        Rows and columns; by default as many columns as rows.
    k
        How many places the diagonal lies above the main one.
    order, device, like
        As NumPy's, without effect.
    chunks
        Nominal chunks, in any form that Dask takes; by default those of a canonical grid.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.eye(2, 3, 1).compute()
    array([[0., 1., 0.],
           [0., 0., 1.]])
    """
    known_order(order)
    only_cpu(device)
    rows, columns = shape_of((index(N), index(N if M is None else M)))
    x = Array(astype(on_diagonal((rows, columns), index(k)), as_dtype(dtype)))
    return with_chunks(x, chunks)


def identity(n: int, dtype: Any = None, *, like: Any = None) -> Array:  # noqa: ARG001
    """Return the square matrix with ones on its diagonal.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.identity(2, int).compute()
    array([[1, 0],
           [0, 1]])
    """
    return eye(n, dtype=float if dtype is None else dtype)


def indices(dimensions: Sequence[int], dtype: Any = int, sparse: bool = False) -> Any:
    """Return the coordinates of the cells of a grid, as `numpy.indices`; they take no memory.

    Parameters
    ----------
    dimensions
        Shape of the grid.
    sparse
        Whether to return one array a dimension, of length one along the others.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.indices((2, 2)).compute()
    array([[[0, 0],
            [1, 1]],
    <BLANKLINE>
           [[0, 1],
            [0, 1]]])
    """
    shape = shape_of(tuple(dimensions))
    kind = as_dtype(dtype)
    if not sparse:
        return Array(astype(_coordinates(shape), kind))
    sides = [tuple(n if d == dim else 1 for d, n in enumerate(shape)) for dim in range(len(shape))]
    return tuple(Array(astype(coordinates(side, dim), kind)) for dim, side in enumerate(sides))


def index_tensor(x: Any) -> Array:
    """Return the coordinates of the cells of `x`: a lazy array of shape ``(x.ndim, *x.shape)``.

    It is never stored, and slices and permutes like data: a part of it still says where its cells
    lie.

    Source: Tapestry whitepaper, "Index Tensors".

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.index_tensor(dt.ones((2, 3)))[:, 1, ::2].compute()
    array([[1, 1],
           [0, 2]])
    """
    return Array(_coordinates(asarray(x).shape))


def _coordinates(shape: tuple[int, ...]) -> Tensor:
    if not shape:
        return full((0,), 0, INDEX_DTYPE).node
    return stack([coordinates(shape, dim) for dim in range(len(shape))])


def bounding_box(mask: Any) -> tuple[Array, Array]:
    """Return the least and the greatest coordinates of the true cells of a mask.

    Both are int64 arrays of shape ``(mask.ndim,)``, inclusive; they hold -1 where no cell is true.

    Source: Tapestry whitepaper, "Index Tensors": the bounding box of a cat.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> lo, hi = dt.bounding_box([[0, 0, 0], [0, 1, 1]])
    >>> lo.compute(), hi.compute()
    (array([1, 1]), array([1, 2]))
    """
    x = asarray(mask).node
    if not x.type.ndim:
        none = full((0,), 0, INDEX_DTYPE)
        return none, none
    ends = [_ends(x, dim) for dim in range(x.type.ndim)]
    return Array(stack([lo for lo, _ in ends])), Array(stack([hi for _, hi in ends]))


def _ends(mask: Tensor, dim: int) -> tuple[Tensor, Tensor]:
    """First and last coordinate along `dim` at which a cell is true; -1 if none is."""
    extent = mask.type.shape[dim]
    if not extent:
        none = full((), -1, INDEX_DTYPE).node
        return none, none
    line = reduce(mask, "any", tuple(d for d in range(mask.type.ndim) if d != dim))
    places = coordinates((extent,), 0)
    first = reduce(where(line, places, extent), "min", 0)
    last = reduce(where(line, places, -1), "max", 0)
    return where(elementwise("less", last, 0), -1, first), last


@implements(np.meshgrid)
def meshgrid(
    *xi: Any, copy: bool = True, sparse: bool = False, indexing: str = "xy"
) -> tuple[Array, ...]:
    """Return coordinate arrays of a grid from vectors, as `numpy.meshgrid`.

    Parameters
    ----------
    copy
        As NumPy's, without effect: arrays are values.
    sparse
        Whether each array has length one along the dimensions of the others.
    indexing
        ``"xy"``: the first vector lies along the second dimension; ``"ij"``: along the first.

    Raises
    ------
    ShapeError
        For another indexing.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> x, y = dt.meshgrid(dt.arange(3), dt.arange(2))
    >>> x.compute()
    array([[0, 1, 2],
           [0, 1, 2]])
    """
    del copy
    if indexing not in ("xy", "ij"):
        raise ShapeError("Valid values for `indexing` are 'xy' and 'ij'.")
    rank = len(xi)
    arrays = [asarray(x) for x in xi]
    lines = [reshape(x, (*(1,) * i, x.size, *(1,) * (rank - 1 - i))) for i, x in enumerate(arrays)]
    if indexing == "xy" and rank > 1:
        lines[:2] = [swapaxes(x, 0, 1) for x in lines[:2]]
    return tuple(lines) if sparse or not lines else tuple(broadcast_arrays(*lines))


def fromfunction(
    function: Callable[..., Any],
    shape: Sequence[int],
    *,
    dtype: Any = float,
    like: Any = None,  # noqa: ARG001
    **kwargs: Any,
) -> Array:
    """Return `function` of the coordinates, called once on arrays of them.

    What it returns is broadcast to `shape`, unless that is impossible.

    Parameters
    ----------
    function
        Called as ``function(i, j, ..., **kwargs)`` with one array a dimension.
    dtype
        Of the coordinates.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.fromfunction(lambda i, j: i + 10 * j, (2, 2), dtype=int).compute()
    array([[ 0, 10],
           [ 1, 11]])
    """
    sides = shape_of(tuple(shape))
    kind = as_dtype(dtype)
    places = [Array(astype(coordinates(sides, dim), kind)) for dim in range(len(sides))]
    result = asarray(function(*places, **kwargs))
    try:
        return broadcast_to(result, sides)
    except ShapeError:
        return result


@implements(np.vander)
def vander(x: Any, N: int | None = None, increasing: bool = False) -> Array:
    """Return the powers of a vector as columns, falling or `increasing`, as `numpy.vander`.

    Raises
    ------
    ShapeError
        For anything but a vector, or a negative number of columns.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.vander([2, 3], 3).compute()
    array([[4, 2, 1],
           [9, 3, 1]])
    """
    array = asarray(x)
    if array.ndim != 1:
        raise ShapeError("x must be a one-dimensional array or sequence.")
    count = array.size if N is None else index(N)
    kind = np.promote_types(array.dtype, int)
    shape_of((count,))
    if not count:
        return full((array.size, 0), 0, kind)
    base = astype(array.node, kind)
    columns = [ones(array.size, kind).node, base][:count]
    while len(columns) < count:
        columns.append(elementwise("multiply", columns[-1], base))
    return Array(stack(columns if increasing else columns[::-1], 1))
