"""``x[key]``, `__getitem__`, for every key that NumPy takes: slices, integers, places, masks."""

from __future__ import annotations

from typing import Any, TypeGuard

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.index_keys import Advanced, Key, in_bounds, parse
from dask_tapestry.arrays.core.key_types import UserItem, UserKey
from dask_tapestry.arrays.core.known_masks import masked_by
from dask_tapestry.arrays.core.parts import part
from dask_tapestry.arrays.indexing.fields import chosen_fields, names_fields
from dask_tapestry.arrays.indexing.regular_places import in_place_of_table, with_chunks_of
from dask_tapestry.arrays.masks.boolean_mask import masked, nonzero
from dask_tapestry.errors import (
    IndexingError,
    ShapeError,
)
from dask_tapestry.io.sources.numpy_source import constant
from dask_tapestry.operators.broadcast_shapes import broadcast_shape
from dask_tapestry.operators.indexing.index_ranges import IndexRanges
from dask_tapestry.operators.indexing.take import take_places
from dask_tapestry.operators.views.permute import permute
from dask_tapestry.operators.views.slice import Item, basic_slice
from dask_tapestry.teg import Tensor


def getitem(x: ArrayLike, key: UserKey) -> Array:
    """Return ``x[key]``, as NumPy.

    A mask picks as many cells as are true; they are counted when the shape is first asked for.

    {Parameters}
        {x}
        key: Integers, slices, Ellipsis, None, integer arrays and masks; of structured cells also
            the name of a field, or a list of names. Places that are arrays of this library are
            checked when they are computed.
    {Returns} Array: The cells in the dtype of `x`, shaped by NumPy's rules.
    {Raises}
        IndexingError: For an index out of bounds, too many of them, or one of another kind.
        ArgumentError: If there is no field of that name.
    {Examples}
    >>> x = dt.arange(10)
    >>> x[2:9:3].compute(), x[[1, -1]].compute(), x[x % 4 == 1].compute()
    (array([2, 5, 8]), array([1, 9]), array([1, 5, 9]))
    """
    node = asarray(x).node
    if names_fields(key, node):
        return part(chosen_fields(node, key))
    items = key if isinstance(key, tuple) else (key,)
    if _are_basic(items):
        return part(basic_slice(node, items))
    parsed = in_bounds(parse(key, node.type), node.type)
    sliced = basic_slice(node, parsed.basic)
    match parsed.advanced:
        case ():
            return part(sliced)
        case (Advanced() as only,) if only.is_mask:
            if isinstance(only.cells, np.ndarray):
                return masked_by(
                    _with_mask_dims_at(sliced, only.dims, parsed.at), parsed.at, only.cells
                )
            return masked(_with_mask_dims_at(sliced, only.dims, parsed.at), parsed.at, only.cells)
    places, dims, bounds = places_of(parsed)
    picked = take_places(sliced, places, dims, parsed.at, bounds)
    slices = in_place_of_table(parsed)
    return Array(picked if slices is None else with_chunks_of(basic_slice(sliced, slices), picked))


def _with_mask_dims_at(x: Tensor, dims: tuple[int, ...], at: int) -> Tensor:
    """`x` with the dimensions that a mask indexes moved to where its cells will be."""
    if dims[0] == at:
        return x
    order = [dim for dim in range(x.type.ndim) if dim not in dims]
    return permute(x, (*order[:at], *dims, *order[at:]))


def _are_basic(items: tuple[UserItem, ...]) -> TypeGuard[tuple[Item, ...]]:
    """Whether a key holds only integers, slices, None and Ellipsis, as most keys do."""
    return all(type(one) in (int, slice) or one is None or one is Ellipsis for one in items)


def places_of(key: Key) -> tuple[list[Tensor], list[int], IndexRanges | None]:
    """Integer tensors for all advanced items, the dimensions they index, and their bounds if known.

    {Raises} IndexingError: If they do not broadcast.
    """
    indices: list[Tensor] = []
    dims: list[int] = []
    host_indices: list[np.ndarray[Any, Any]] = []
    for item in key.advanced:
        dims += item.dims
        if isinstance(item.cells, np.ndarray):
            positions = np.nonzero(item.cells) if item.is_mask else (item.cells,)
            host_indices += positions
            indices += [constant(one) for one in positions]
        elif item.is_mask:
            indices += [one.node for one in nonzero(Array(item.cells))]
        else:
            indices.append(item.cells)
    shape = [p.type.shape for p in indices]
    try:
        broadcast_shape(shape, "indexing arrays")
    except ShapeError:
        texts = " ".join(map(str, shape))
        raise IndexingError(
            f"shape mismatch: indexing arrays could not be broadcast together with shapes {texts}"
        ) from None
    return (
        indices,
        dims,
        IndexRanges.of(host_indices) if len(host_indices) == len(indices) else None,
    )
