"""Slice: NumPy's basic indexing by integers, slices, Ellipsis and None."""

from __future__ import annotations

from functools import lru_cache
from operator import index as as_index
from types import EllipsisType
from typing import Any

import numpy as np

from dask_tapestry.errors import IndexingError
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.views.view import View, ViewAxis, ViewSelector
from dask_tapestry.teg import Tensor, TensorType, apply
from dask_tapestry.teg.node import form_of
from dask_tapestry.teg.operator import Types

Item = int | slice | EllipsisType | None
SliceItem = int | tuple[int, int, int] | None
Items = tuple[SliceItem, ...]


@dataclass(frozen=True)
class Slice(ViewSelector):
    """NumPy's basic indexing; each of `items` is (start, stop, step), an integer or None."""

    name = "slice"
    items: Items

    def view(self, x: TensorType) -> View:
        shape: list[int] = []
        axes: list[ViewAxis] = []
        for item in self.items:
            if item is None:
                shape.append(1)
            elif isinstance(item, tuple):
                axes.append(ViewAxis(len(shape), item[0], item[2]))
                shape.append(len(range(*item)))
            else:
                axes.append(ViewAxis(-1, item, 1))
        return View(tuple(shape), tuple(axes))

    def reads_once(self, inputs: Types) -> tuple[bool, ...]:
        return (True,)

    def text(self) -> str:
        return f"[{', '.join(_item_text(item) for item in self.items)}]"

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        key = tuple(
            slice(i[0], i[1] if i[1] >= 0 else None, i[2]) if isinstance(i, tuple) else i
            for i in self.items
        )
        result: np.ndarray[Any, Any] = inputs[0][(*key, ...)]  # a view of one cell, too
        return result


def basic_slice(x: Tensor, key: tuple[Item, ...]) -> Tensor:
    """Index `x` with integers, slices, Ellipsis and None, as NumPy's basic indexing does.

    Raises
    ------
    IndexingError
        For too many items, an integer out of bounds, or an item of another kind.
    """
    items: list[SliceItem] = []
    axis = 0
    for item in _expand(key, x.type):
        if item is None:
            items.append(None)
            continue
        items.append(_bound(item, x.type, axis))
        axis += 1
    if items == [(0, n, 1) for n in x.type.shape]:
        return x
    operator, form = _slice_of(tuple(items))
    return apply(operator, x, form=form)


@lru_cache(maxsize=1024)  # steps of a loop slice alike
def _slice_of(items: Items) -> tuple[Slice, str]:
    """The operator of a slice, and its form."""
    operator = Slice(items)
    return operator, form_of(operator)


def slice_items(x: Tensor) -> Items:
    """The `items` of a slice; () for what is not a slice."""
    return x.operator.items if isinstance(x.operator, Slice) else ()


def _expand(key: tuple[Item, ...], x: TensorType) -> tuple[Item, ...]:
    used = sum(item is not None and item is not Ellipsis for item in key)
    if used > x.ndim:
        raise IndexingError(
            f"too many indices for array: array is {x.ndim}-dimensional, but {used} were indexed"
        )
    fill = (slice(None),) * (x.ndim - used)
    dots = [i for i, item in enumerate(key) if item is Ellipsis]
    if len(dots) > 1:
        raise IndexingError("an index can only have a single ellipsis ('...')")
    return (*key[: dots[0]], *fill, *key[dots[0] + 1 :]) if dots else (*key, *fill)


def _bound(item: Any, x: TensorType, axis: int) -> int | tuple[int, int, int]:
    extent = x.shape[axis]
    if isinstance(item, slice):
        start, stop, step = item.indices(extent)
        if not range(start, stop, step):
            start, stop, step = 0, 0, 1
        return start, stop, step
    try:
        number = int(as_index(item))
    except TypeError:
        raise IndexingError(
            "only integers, slices (`:`), ellipsis (`...`) and None are valid indices here, "
            f"not {type(item).__name__}"
        ) from None
    if not -extent <= number < extent:
        raise IndexingError(
            f"index {number} is out of bounds for axis {axis} with size {extent} of {x}"
        )
    return number % extent


def _item_text(item: int | tuple[int, int, int] | None) -> str:
    if isinstance(item, tuple):
        start, stop, step = item
        return f"{start}:{stop if stop >= 0 else ''}" + (f":{step}" if step != 1 else "")
    return str(item)
