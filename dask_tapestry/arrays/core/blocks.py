"""Blocks of an array by number, in its nominal chunks."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from math import prod
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from dask_tapestry.errors import IndexingError, ShapeError
from dask_tapestry.operators.layouts.nominal_chunks import with_nominal_chunks
from dask_tapestry.teg import Node
from dask_tapestry.zspace import Cuts


class Chunked(Protocol):
    """What `Blocks` needs of an array."""

    def __init__(self, node: Node, /) -> None: ...
    @property
    def node(self) -> Node: ...
    @property
    def nominal_cuts(self) -> tuple[Cuts, ...]: ...


T = TypeVar("T", bound=Chunked)


class Blocks(Generic[T]):
    """``x.blocks[i, j]``: the part of an array that the chosen blocks hold, as an array.

    {Examples}
    >>> x = dt.arange(10).rechunk(4)
    >>> x.blocks.shape, x.blocks[1].compute(), x.blocks[1:].shape
    ((3,), array([4, 5, 6, 7]), (6,))
    >>> x.blocks[[2, 0]].compute()
    array([8, 9, 0, 1, 2, 3])
    """

    def __init__(self, take: Callable[[tuple[Any, ...]], T], cuts: tuple[Cuts, ...]) -> None:
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
        if any(k is None for k in keys):
            raise ShapeError("numpy.newaxis (None) is not supported among numbers of blocks")
        if len(keys) > len(self._cuts):
            raise IndexingError(f"{len(keys)} block numbers for {len(self._cuts)} dimensions")
        keys += (slice(None),) * (len(self._cuts) - len(keys))
        listed = [axis for axis, k in enumerate(keys) if isinstance(k, list | np.ndarray)]
        if len(listed) > 1:
            raise ShapeError("blocks are chosen by a list of numbers along one dimension only")
        made = self._take(tuple(_cells(c, k) for c, k in zip(self._cuts, keys, strict=True)))
        return self._in_blocks(made, listed[0], keys[listed[0]]) if listed else made

    def _in_blocks(self, made: T, axis: int, numbers: Any) -> T:
        """Blocks that were chosen by a list, as the chunks of what they make."""
        cuts = list(made.nominal_cuts)
        cuts[axis] = Cuts.of_lengths([b - a for a, b in _listed(self._cuts[axis], numbers)] or [0])
        return type(made)(with_nominal_chunks(made.node, tuple(cuts)))

    def ravel(self) -> list[T]:
        """Return all blocks, in C order."""
        return [self[index] for index in product(*map(range, self.shape))]


def _cells(cuts: Cuts, key: Any) -> slice | np.ndarray[Any, Any]:
    """Cells of the chosen blocks: one number, a slice of neighbours, or a list."""
    if isinstance(key, list | np.ndarray):
        spans = [np.arange(a, b) for a, b in _listed(cuts, key)]
        return np.concatenate(spans) if spans else np.arange(0)
    if isinstance(key, slice):
        first, end, step = key.indices(cuts.count)
        if step != 1:
            raise IndexingError(f"blocks are chosen one by one or as neighbours, not by {key}")
        return slice(cuts.block(first)[0], cuts.block(end - 1)[1]) if end > first else slice(0, 0)
    return slice(*_block(cuts, key))


def _listed(cuts: Cuts, numbers: Any) -> list[tuple[int, int]]:
    """Where the blocks of a list begin and end."""
    return [_block(cuts, n) for n in np.asarray(numbers).reshape(-1).tolist()]


def _block(cuts: Cuts, number: Any) -> tuple[int, int]:
    if not isinstance(number, int | np.integer) or not -cuts.count <= number < cuts.count:
        raise IndexingError(f"there is no block {number!r} among {cuts.count}")
    return cuts.block(int(number) % cuts.count)
