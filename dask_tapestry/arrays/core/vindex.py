"""``x.vindex[...]``: pointwise indexing, Dask's name for NumPy's with integer arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, Protocol, TypeVar

from dask_tapestry.arrays.core.key_types import UserItem, UserKey
from dask_tapestry.errors import IndexingError


class Indexable(Protocol):
    """What `VIndex` needs of an array."""

    @property
    def ndim(self) -> int: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    def transpose(self: T, *axes: Sequence[int]) -> T: ...
    def __getitem__(self: T, key: UserKey) -> T: ...


T = TypeVar("T", bound=Indexable)


class VIndex(Generic[T]):
    """What ``x.vindex`` returns: ``x.vindex[i, j]`` takes the cells ``x[i[k], j[k]]``.

    The dimensions of the index arrays come first, those taken whole after them.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> x = dt.arange(6).reshape(2, 3)
    >>> x.vindex[[0, 1], [2, 0]].compute()
    array([2, 3])
    """

    __slots__ = ("_array",)

    def __init__(self, array: T) -> None:
        self._array = array

    def __getitem__(self, key: UserKey) -> T:
        items = self._written_out(key if isinstance(key, tuple) else (key,))
        if any(item is None for item in items):
            raise IndexingError("vindex takes only integer arrays and slices")
        whole = [n for n, item in enumerate(items) if isinstance(item, slice)]
        named = [n for n in range(len(items)) if n not in whole]
        if not named and all(self._is_whole(n, item) for n, item in enumerate(items)):
            return self._array
        if not named:
            raise IndexingError("vindex takes at least one integer or integer array")
        rest = range(len(items), self._array.ndim)
        array = self._array
        if any(_is_part(item) for item in items):
            array = array[tuple(item if _is_part(item) else slice(None) for item in items)]
        front = array.transpose((*named, *whole, *rest))
        return front[tuple(items[n] for n in named)]

    def _is_whole(self, axis: int, item: UserItem) -> bool:
        """Whether a slice takes all of an axis, in order."""
        extent = self._array.shape[axis]
        return isinstance(item, slice) and item.indices(extent) == (0, extent, 1)

    def _written_out(self, items: tuple[UserItem, ...]) -> tuple[UserItem, ...]:
        """The items with whole slices in place of an Ellipsis."""
        dots = [n for n, item in enumerate(items) if item is Ellipsis]
        if not dots:
            return items
        missing = self._array.ndim - sum(item is not Ellipsis for item in items)
        return (*items[: dots[0]], *(slice(None),) * missing, *items[dots[0] + 1 :])


def _is_part(item: UserItem) -> bool:
    return isinstance(item, slice) and item != slice(None)
