"""Keys: what stands between the brackets of ``x[...]``, sorted into what NumPy makes of it.

A key has a *basic* part (slices, new axes, pinned integers), which is applied first, and *advanced*
items (integer arrays and masks), which then pick cells of what the basic part left.
"""

from __future__ import annotations

from collections.abc import Iterator
from operator import index as as_index
from typing import Any, NamedTuple

import numpy as np

from dask_tapestry.array.array import Array
from dask_tapestry.errors import IndexingError
from dask_tapestry.operators.slice import Item
from dask_tapestry.teg import Tensor, TensorType

INVALID = (
    "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean "
    "arrays are valid indices"
)
Cells = np.ndarray[Any, Any] | Tensor


class Advanced(NamedTuple):
    """An integer array or a mask, and the dimensions it indexes of what the basic part leaves."""

    cells: Cells
    dims: tuple[int, ...]

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


def parse(key: Any, x: TensorType) -> Key:
    """Sort a key for an array of type `x`.

    Raises
    ------
    IndexingError
        For too many indices, one out of bounds, a mask of another shape, or another kind of thing.
    """
    given = [_item(one) for one in (key if isinstance(key, tuple) else (key,))]
    items = list(_filled(given, x))
    is_advanced = any(_is_array(one) for one in items)
    basic: list[Item] = []
    advanced: list[Advanced] = []
    axis = dim = 0
    nothing = any(_is_empty(one) for one in items)
    places: list[int] = []  # of what NumPy counts as advanced, integers beside arrays included
    lead = None
    for place, item in enumerate(items):
        if _is_array(item) or (is_advanced and isinstance(item, int)):
            places.append(place)
            lead = dim if lead is None else lead
        if not _is_array(item):
            if item is Ellipsis:
                continue
            basic.append(item)
            axis += item is not None
            dim += not isinstance(item, int)
            continue
        rank = max(1, item.ndim if isinstance(item, np.ndarray) else item.type.ndim)
        width = rank if _is_mask(item) else 1
        if _is_mask(item) and not _shape(item):  # a lone truth value has an axis of its own
            basic.append(None)
            item = _truth(item)
        else:
            basic += [slice(None)] * width
            item = _checked(item, x, axis, nothing)
            axis += width
        advanced.append(Advanced(item, tuple(range(dim, dim + width))))
        dim += width
    together = not places or places[-1] - places[0] + 1 == len(places)
    return Key(tuple(basic), tuple(advanced), (lead or 0) if together else 0)


def _item(one: Any) -> Any:
    """An item as int, slice, None, Ellipsis, NumPy array or tensor."""
    if one is None or one is Ellipsis or isinstance(one, slice):
        return one
    if isinstance(one, Array):
        return one.node if one.dtype.kind in "iub" else _refuse()
    if isinstance(one, bool | np.bool_):
        return np.asarray(one)
    if not isinstance(one, np.ndarray):
        try:
            return as_index(one)
        except TypeError:
            pass
    cells = np.asarray(one)
    if not cells.ndim and cells.dtype.kind in "iu":
        return int(cells)
    if cells.dtype.kind not in "iub" and isinstance(one, np.ndarray):
        raise IndexingError("arrays used as indices must be of integer (or boolean) type")
    if cells.dtype.kind not in "iub" and not (cells.size == 0 and isinstance(one, list)):
        _refuse()
    return cells.astype(np.intp) if cells.dtype.kind not in "iub" else cells


def _refuse() -> Any:
    raise IndexingError(INVALID)


def _filled(items: list[Any], x: TensorType) -> Iterator[Any]:
    """The items, with the axes that an Ellipsis or nothing stands for written out behind it."""
    used = sum(_consumes(one) for one in items)
    if used > x.ndim:
        raise IndexingError(
            f"too many indices for array: array is {x.ndim}-dimensional, but {used} were indexed"
        )
    dots = sum(one is Ellipsis for one in items)
    if dots > 1:
        raise IndexingError("an index can only have a single ellipsis ('...')")
    for one in items if dots else [*items, Ellipsis]:
        yield one
        if one is Ellipsis:
            yield from [slice(None)] * (x.ndim - used)


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


def _is_empty(item: Any) -> bool:
    """Whether an item picks no cell, whatever the others say; NumPy then checks no place."""
    if isinstance(item, np.ndarray) and item.dtype == bool:
        return not item.any()
    return _is_array(item) and 0 in _shape(item)


def _checked(cells: Cells, x: TensorType, axis: int, nothing: bool) -> Cells:
    """The item, known places wrapped and within bounds, masks of the shape they index."""
    if _is_mask(cells):
        for number, (n, m) in enumerate(zip(_shape(cells), x.shape[axis:], strict=False)):
            if n not in (0, m):  # NumPy lets a mask without cells pass for any
                raise IndexingError(
                    f"boolean index did not match indexed array along axis {axis + number}; size "
                    f"of axis is {m} but size of corresponding boolean axis is {n}"
                )
        sides = x.shape[axis : axis + len(_shape(cells))]
        return cells if _shape(cells) == sides else np.zeros(sides, bool)
    if not isinstance(cells, np.ndarray):
        return cells
    if nothing:
        return np.zeros(cells.shape, np.intp)
    return wrapped(cells, x.shape[axis], axis)


def wrapped(places: np.ndarray[Any, Any], extent: int, axis: int) -> np.ndarray[Any, Any]:
    """Known places along an axis, negative ones counted from the end.

    Raises
    ------
    IndexingError
        If one is out of bounds.
    """
    if not places.size:
        return places.astype(np.intp)
    low, high = int(places.min()), int(places.max())
    if low < -extent or high >= extent:
        raise IndexingError(
            f"index {high if high >= extent else low} is out of bounds for axis {axis} with size "
            f"{extent}"
        )
    known = places.astype(np.intp)
    return np.where(known < 0, known + extent, known) if low < 0 else known
