"""Keys: what stands between the brackets of ``x[...]``, sorted into what NumPy makes of it.

A key has a *basic* part (slices, new axes, pinned integers), which is applied first, and *advanced*
items (integer arrays and masks), which then pick cells of what the basic part left.
"""

from __future__ import annotations

from collections.abc import Iterator
from operator import index as as_index
from typing import Any, NamedTuple

import numpy as np

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.dask_arrays import from_dask_array
from dask_tapestry.arrays.core.key_types import UserKey
from dask_tapestry.errors import IndexingError
from dask_tapestry.io.sources.coerce import as_tensor
from dask_tapestry.memory.buffer_pool import POOL
from dask_tapestry.operators.views.slice import Item
from dask_tapestry.teg import Tensor, TensorType
from dask_tapestry_kernels.block_format import is_on_device

INVALID = (
    "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean "
    "arrays are valid indices"
)
Cells = np.ndarray[Any, Any] | Tensor


class Advanced(NamedTuple):
    """An integer array or a mask, and the dimensions it indexes of what the basic part leaves.

    `axis` is the first one it indexes of the array; of a lone truth value None.
    """

    cells: Cells
    dims: tuple[int, ...]
    axis: int | None

    @property
    def is_mask(self) -> bool:
        """Whether it says for each cell if it is taken."""
        return _is_mask(self.cells)


class Key(NamedTuple):
    """A key for arrays of one shape.

    Attributes
    ----------
    basic
        For `basic_slice`; whole slices where advanced items follow.
    advanced
        The rest, in order.
    at
        Where the dimensions of what is picked begin, counted in the dimensions that stay.
    """

    basic: tuple[Item, ...]
    advanced: tuple[Advanced, ...]
    at: int


def parse(key: UserKey, x: TensorType) -> Key:
    """Sort a key for an array of type `x`; known places are not looked at yet, see `in_bounds`.

    Raises
    ------
    IndexingError
        For too many indices, a mask of another shape, or another kind of thing.
    """
    entries = [_item(index) for index in (key if isinstance(key, tuple) else (key,))]
    items = list(_filled(entries, x))
    basic: list[Item] = []
    advanced: list[Advanced] = []
    axis = dim = 0
    for item in items:
        if item is Ellipsis:
            continue
        if not _is_array(item):
            basic.append(item)
            axis += item is not None
            dim += not isinstance(item, int)
            continue
        index = _advanced(item, x, axis, dim)
        basic += [None] if index.axis is None else [slice(None)] * len(index.dims)
        axis += 0 if index.axis is None else len(index.dims)
        dim += len(index.dims)
        advanced.append(index)
    return Key(tuple(basic), tuple(advanced), _lead(items, advanced))


def _advanced(item: Cells, x: TensorType, axis: int, dim: int) -> Advanced:
    """An array of a key, at `axis` of `x` and dimension `dim` of what the basic part leaves."""
    if not _is_mask(item):
        return Advanced(item, (dim,), axis)
    if not _shape(item):  # a lone truth value has an axis of its own
        return Advanced(_truth(item), (dim,), None)
    return Advanced(_mask_of_shape(item, x, axis), tuple(range(dim, dim + len(_shape(item)))), axis)


def _lead(items: list[Any], advanced: list[Advanced]) -> int:
    """The first dimension of indexed cells: the first array's, or 0 if slices part arrays.

    Beside arrays, NumPy counts integers among them.
    """
    if not advanced:
        return 0
    places = [n for n, one in enumerate(items) if _is_array(one) or isinstance(one, int)]
    if places[-1] - places[0] + 1 != len(places):
        return 0
    return sum(one is None or isinstance(one, slice) for one in items[: places[0]])


def in_bounds(key: Key, x: TensorType) -> Key:
    """The key with known places wrapped and within the bounds of an array of type `x`.

    Raises
    ------
    IndexingError
        If one is out of bounds; where nothing is picked, NumPy looks at no place.
    """
    nothing = any(_picks_nothing(index.cells) for index in key.advanced)
    in_range = []
    for index in key.advanced:
        cells = index.cells
        if isinstance(cells, np.ndarray) and not index.is_mask and index.axis is not None:
            side = x.shape[index.axis]
            cells = np.zeros_like(cells) if nothing else wrapped(cells, side, index.axis)
        in_range.append(index._replace(cells=cells))
    return key._replace(advanced=tuple(in_range))


def _item(entry: Any) -> Any:
    """An item as int, slice, None, Ellipsis, NumPy array or tensor."""
    if entry is None or entry is Ellipsis or isinstance(entry, slice):
        return entry
    is_array = isinstance(entry, Array)  # whose chunks are not written out to be looked at
    if not is_array and hasattr(entry, "__dask_graph__") and hasattr(entry, "chunks"):
        return _item(from_dask_array(entry))
    if is_array:
        return entry.node if entry.dtype.kind in "iub" else _refuse()
    if isinstance(entry, bool | np.bool_):
        return np.asarray(entry)
    if not isinstance(entry, np.ndarray) and hasattr(entry, "__index__"):
        return as_index(entry)
    if is_on_device(entry):
        return _item(Array(as_tensor(entry)))
    cells = np.asarray(entry)
    if not cells.ndim and cells.dtype.kind in "iu":
        return int(cells)
    if cells.dtype.kind not in "iub" and isinstance(entry, np.ndarray):
        raise IndexingError("arrays used as indices must be of integer (or boolean) type")
    if cells.dtype.kind not in "iub" and not (cells.size == 0 and isinstance(entry, list)):
        _refuse()
    return cells.astype(np.intp) if cells.dtype.kind not in "iub" else cells


def _refuse() -> Any:
    raise IndexingError(INVALID)


def _filled(items: list[Any], x: TensorType) -> Iterator[Any]:
    """The items, with the axes that an Ellipsis or nothing stands for written out behind it."""
    indexed_axes = sum(_consumes(entry) for entry in items)
    if indexed_axes > x.ndim:
        raise IndexingError(
            f"too many indices for array: array is {x.ndim}-dimensional, "
            f"but {indexed_axes} were indexed"
        )
    dots = sum(entry is Ellipsis for entry in items)
    if dots > 1:
        raise IndexingError("an index can only have a single ellipsis ('...')")
    for entry in items if dots else [*items, Ellipsis]:
        yield entry
        if entry is Ellipsis:
            yield from [slice(None)] * (x.ndim - indexed_axes)


def _consumes(item: Any) -> int:
    """Axes that an item indexes."""
    if item is None or item is Ellipsis:
        return 0
    if _is_array(item) and _is_mask(item):
        return len(_shape(item))
    return 1


def _is_array(item: Any) -> bool:
    return isinstance(item, np.ndarray | Tensor)


def _dtype(cells: Cells) -> np.dtype[Any]:
    return cells.dtype if isinstance(cells, np.ndarray) else cells.type.dtype


def _is_mask(cells: Cells) -> bool:
    return _dtype(cells).kind == "b"


def _shape(cells: Cells) -> tuple[int, ...]:
    return cells.shape if isinstance(cells, np.ndarray) else cells.type.shape


def _truth(cells: Cells) -> Cells:
    """A truth value as places along an axis of length one, or as a mask of it."""
    if isinstance(cells, np.ndarray):
        return np.zeros(int(cells), np.intp)
    from_scalar: Tensor = Array(cells).reshape(1).node
    return from_scalar


def _picks_nothing(cells: Cells) -> bool:
    """Whether an array of a key picks no cell, whatever the others say."""
    if isinstance(cells, np.ndarray) and cells.dtype == bool:
        return not cells.any()
    return 0 in _shape(cells)


def _mask_of_shape(mask: Cells, x: TensorType, axis: int) -> Cells:
    """A mask of the shape it indexes; NumPy lets one without cells pass for any."""
    sides = x.shape[axis : axis + len(_shape(mask))]
    for number, (n, m) in enumerate(zip(_shape(mask), sides, strict=True)):
        if n not in (0, m):
            raise IndexingError(
                f"boolean index did not match indexed array along axis {axis + number}; size "
                f"of axis is {m} but size of corresponding boolean axis is {n}"
            )
    return mask if _shape(mask) == sides else np.zeros(sides, bool)


def wrapped(indices: np.ndarray[Any, Any], extent: int, axis: int) -> np.ndarray[Any, Any]:
    """Known places along an axis, negative ones counted from the end.

    Raises
    ------
    IndexingError
        If one is out of bounds.
    """
    if not indices.size:
        return indices.astype(np.intp)
    low, high = int(indices.min()), int(indices.max())
    if low < -extent or high >= extent:
        raise IndexingError(
            f"index {high if high >= extent else low} is out of bounds for axis {axis} with size "
            f"{extent}"
        )
    # a copy, as callers may change their array later
    positive = POOL.empty(indices.shape, np.dtype(np.intp))
    np.copyto(positive, indices, casting="unsafe")
    return np.where(positive < 0, positive + extent, positive) if low < 0 else positive
