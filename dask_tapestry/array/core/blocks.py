"""Blocks of an array by number, in its nominal chunks."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from math import prod
from typing import Any, Generic, TypeVar

from dask_tapestry.errors import IndexingError
from dask_tapestry.zspace import Cuts

T = TypeVar("T")


class Blocks(Generic[T]):
    """``x.blocks[i, j]``: the part of an array that the chosen blocks hold, as an array.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> x = dt.arange(10).rechunk(4)
    >>> x.blocks.shape, x.blocks[1].compute(), x.blocks[1:].shape
    ((3,), array([4, 5, 6, 7]), (6,))
    """

    def __init__(self, take: Callable[[tuple[slice, ...]], T], cuts: tuple[Cuts, ...]) -> None:
        self._take, self._cuts = take, cuts

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of blocks along each dimension."""
        return tuple(c.count for c in self._cuts)

    @property
    def size(self) -> int:
        """Number of blocks."""
        return prod(self.shape)

    def __getitem__(self, key: Any) -> T:
        keys = key if isinstance(key, tuple) else (key,)
        if len(keys) > len(self._cuts):
            raise IndexingError(f"{len(keys)} block numbers for {len(self._cuts)} dimensions")
        keys += (slice(None),) * (len(self._cuts) - len(keys))
        return self._take(tuple(_cells(c, k) for c, k in zip(self._cuts, keys, strict=True)))

    def ravel(self) -> list[T]:
        """Return all blocks, in C order."""
        return [self[index] for index in product(*map(range, self.shape))]


def _cells(cuts: Cuts, key: Any) -> slice:
    """Cells of the chosen blocks: one number, or a slice of neighbours."""
    if isinstance(key, slice):
        first, end, step = key.indices(cuts.count)
        if step != 1:
            raise IndexingError(f"blocks are chosen one by one or as neighbours, not by {key}")
        return slice(cuts.block(first)[0], cuts.block(end - 1)[1]) if end > first else slice(0, 0)
    if not isinstance(key, int) or not -cuts.count <= key < cuts.count:
        raise IndexingError(f"there is no block {key!r} among {cuts.count}")
    return slice(*cuts.block(key % cuts.count))
