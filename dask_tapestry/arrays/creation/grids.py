"""Grids of coordinates: `indices`, `meshgrid`, index tensors, and functions of coordinates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from dask_tapestry.amounts import function as callable_of
from dask_tapestry.amounts import is_one_of, listed
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.chunks import Chunks, cuts_from
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.declared_arguments import checked
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.core.dtypes import as_dtype
from dask_tapestry.arrays.core.layout_arguments import takes_chunks, with_chunks
from dask_tapestry.arrays.core.shape_arguments import shape_of
from dask_tapestry.arrays.creation.filled import full
from dask_tapestry.arrays.shape.broadcasting import broadcast_arrays, broadcast_to
from dask_tapestry.arrays.shape.reshaping import reshape
from dask_tapestry.arrays.shape.transposing import swapaxes
from dask_tapestry.errors import ShapeError
from dask_tapestry.operators.cells.elementwise import astype, elementwise
from dask_tapestry.operators.cells.where import where
from dask_tapestry.operators.generators.coordinates import INDEX_DTYPE, coordinates
from dask_tapestry.operators.joins.stack import stack
from dask_tapestry.operators.reductions.reduce import reduce
from dask_tapestry.teg import Tensor, TensorType

__all__ = [
    "bounding_box",
    "fromfunction",
    "index_tensor",
    "indices",
    "meshgrid",
]


@overload
def indices(
    dimensions: Sequence[int],
    dtype: DTypeLike | None = int,
    sparse: Literal[False] = False,
    *,
    chunks: Chunks = None,
) -> Array: ...
@overload
def indices(
    dimensions: Sequence[int],
    dtype: DTypeLike | None = int,
    *,
    sparse: Literal[True],
    chunks: Chunks = None,
) -> tuple[Array, ...]: ...
@checked
def indices(
    dimensions: Sequence[int],
    dtype: DTypeLike | None = int,
    sparse: bool = False,
    *,
    chunks: Chunks = None,
) -> Array | tuple[Array, ...]:
    """Return the coordinates of the cells of a grid, as `numpy.indices`; they take no memory.

    {Parameters}
        dimensions: Shape of the grid.
        dtype: By default int64.
        sparse: Whether to return one array a dimension, of length one along the others.
        chunks: Nominal chunks of the grid, in any form that Dask takes.
    {Returns} Array or tuple of Array: Shape ``(len(dimensions), *dimensions)``; with `sparse` a
        tuple of arrays, which broadcast to the grid.
    {Raises} ShapeError: For a negative length.
    {See Also}
        meshgrid : from vectors of coordinates.
        index_tensor : of the cells of an array.
    {Examples}
    >>> dt.indices((2, 2)).compute()
    array([[[0, 0],
            [1, 1]],
    <BLANKLINE>
           [[0, 1],
            [0, 1]]])
    """
    shape = shape_of(listed(dimensions, "lengths"))
    kind = as_dtype(dtype)
    cuts = None if chunks is None else cuts_from(chunks, TensorType(shape, kind))
    if not sparse:
        whole = Array(astype(_coordinates(shape), kind))
        grid = None if cuts is None else [tuple(one.lengths()) for one in cuts]
        return whole if grid is None else with_chunks(whole, (1, *grid))
    sides = [tuple(n if d == dim else 1 for d, n in enumerate(shape)) for dim in range(len(shape))]
    axes = [Array(astype(coordinates(side, dim), kind)) for dim, side in enumerate(sides)]
    if cuts is None:
        return tuple(axes)
    return tuple(with_chunks(x, {dim: tuple(cuts[dim].lengths())}) for dim, x in enumerate(axes))


def index_tensor(x: ArrayLike) -> Array:
    """Return the coordinates of the cells of an array, as an array that is never stored.

    It slices and permutes like data: a part of it still says where its cells lie.

    {Parameters} x: The array; only its shape matters.
    {Returns} Array: Shape ``(x.ndim, *x.shape)``, int64.
    {See Also} indices : of a shape.

    Notes
    -----
    Source: Tapestry whitepaper, "Index Tensors".

    {Examples}
    >>> dt.index_tensor(dt.ones((2, 3)))[:, 1, ::2].compute()
    array([[1, 1],
           [0, 2]])
    """
    return Array(_coordinates(asarray(x).shape))


def _coordinates(shape: tuple[int, ...]) -> Tensor:
    if not shape:
        return full((0,), 0, INDEX_DTYPE).node
    return stack([coordinates(shape, dim) for dim in range(len(shape))])


def bounding_box(mask: ArrayLike) -> tuple[Array, Array]:
    """Return the least and the greatest coordinates of the true cells of a mask.

    {Parameters} mask: Booleans, or numbers that are true unless they are zero.
    {Returns} least, greatest : Array: Shape ``(mask.ndim,)``, int64, both inclusive; -1 where no
        cell is true.

    Notes
    -----
    Source: Tapestry whitepaper, "Index Tensors": the bounding box of a cat.

    {Examples}
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
    *xi: ArrayLike,
    copy: bool = True,
    sparse: bool = False,
    indexing: Literal["xy", "ij"] = "xy",
) -> tuple[Array, ...]:
    """Return coordinate arrays of a grid from vectors, as `numpy.meshgrid`.

    {Parameters}
        *xi: Vectors of coordinates, one a dimension.
        copy: As NumPy's, without effect: arrays are values.
        sparse: Whether each array has length one along the dimensions of the others.
        indexing: ``"xy"``: the first vector lies along the second dimension; ``"ij"``: along the
            first.
    {Returns} tuple of Array: One array for each vector, in its dtype.
    {Raises} ShapeError: For another indexing.
    {Examples}
    >>> x, y = dt.meshgrid(dt.arange(3), dt.arange(2))
    >>> x.compute()
    array([[0, 1, 2],
           [0, 1, 2]])
    """
    del copy
    if not is_one_of(indexing, ("xy", "ij")):
        raise ShapeError("Valid values for `indexing` are 'xy' and 'ij'.")
    rank = len(xi)
    arrays = [asarray(x) for x in xi]
    lines = [reshape(x, (*(1,) * i, x.size, *(1,) * (rank - 1 - i))) for i, x in enumerate(arrays)]
    if indexing == "xy" and rank > 1:
        lines[:2] = [swapaxes(x, 0, 1) for x in lines[:2]]
    return tuple(lines) if sparse or not lines else tuple(broadcast_arrays(*lines))


@checked
@takes_chunks
def fromfunction(
    function: Callable[..., Any],
    shape: Sequence[int],
    *,
    dtype: DTypeLike | None = float,
    like: ArrayLike | None = None,  # noqa: ARG001
    **kwargs: Any,
) -> Array:
    """Return `function` of the coordinates of a grid; it is called once, on arrays of them.

    {Parameters}
        function: Called as ``function(i, j, ..., **kwargs)`` with one array a dimension.
        shape: Shape of the grid.
        dtype: Dtype of the coordinates, by default float64.
        {like}
        **kwargs: Passed to `function`.
    {Returns} Array: What `function` returned, broadcast to `shape` unless that is impossible.
    {See Also} indices
    {Examples}
    >>> dt.fromfunction(lambda i, j: i + 10 * j, (2, 2), dtype=int).compute()
    array([[ 0, 10],
           [ 1, 11]])
    """
    sides = shape_of(listed(shape, "lengths"))
    kind = as_dtype(dtype)
    places = [Array(astype(coordinates(sides, dim), kind)) for dim in range(len(sides))]
    result = asarray(callable_of("function", function)(*places, **kwargs))
    try:
        return broadcast_to(result, sides)
    except ShapeError:
        return result
