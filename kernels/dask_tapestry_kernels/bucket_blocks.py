"""Buckets: what each producer of an exchange has for each consumer, of sizes that cells decide."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.composite_blocks import Collected

Block = np.ndarray[Any, Any]
JOINED: Final = 2**16  # bytes on average: smaller buckets travel as one array, not as one each
Slices = tuple[Any, ...]  # of slices, maybe with an Ellipsis at their end


class BucketBlocks(Collected):
    """A bucket, which is an array, for each point of a range: of producers and consumers.

    Examples
    --------
    >>> buckets = BucketBlocks.empty((1, 3))
    >>> for consumer in range(3):
    ...     buckets.cells[0, consumer] = np.arange(consumer)
    >>> buckets[0:1, 1:3].cells[0, 1], buckets.nbytes
    (array([0, 1]), 24)
    """

    __slots__ = ("cells", "shape")

    def __init__(self, cells: np.ndarray[Any, Any]) -> None:
        self.cells, self.shape = cells, cells.shape

    @classmethod
    def empty(cls, shape: tuple[int, ...]) -> BucketBlocks:
        """Room for the buckets of a range of points."""
        return cls(np.empty(shape, object))

    @property
    def held(self) -> Iterator[Block]:
        return (bucket for bucket in self.cells.flat if bucket is not None)

    def like(self, shape: tuple[int, ...]) -> BucketBlocks:
        return BucketBlocks.empty(shape)

    def map(self, function: Callable[[Block], Block]) -> BucketBlocks:
        made = BucketBlocks.empty(self.shape)
        for at, bucket in np.ndenumerate(self.cells):
            made.cells[at] = function(bucket)
        return made

    def keeping(self, own: Callable[[Block], Block]) -> BucketBlocks:
        """Itself: the buckets of a producer have together all cells of what they are parts of."""
        return self

    def __getitem__(self, key: Slices) -> BucketBlocks:
        return BucketBlocks(self.cells[key])

    def transpose(self, order: Sequence[int]) -> BucketBlocks:
        """The same with the axes of the range in another order, as of an array."""
        return BucketBlocks(self.cells.transpose(order))

    def __setitem__(self, key: Slices, part: BucketBlocks) -> None:
        self.cells[key] = part.cells

    def __reduce__(self) -> tuple[Any, ...]:
        """Many small buckets as one array: each array takes .2 ms from process to process."""
        buckets = list(self.cells.flat)
        if len(buckets) > 1 and self.nbytes < JOINED * len(buckets) and _join(buckets):
            ends = np.cumsum([len(bucket) for bucket in buckets])
            return _parted, (self.shape, ends, np.concatenate(buckets))
        return _filled, (self.shape, buckets)


def _join(buckets: Sequence[Block | None]) -> bool:
    """Whether buckets are parts of what can be one array."""
    kinds = {(b.dtype, b.shape[1:]) if b is not None and b.ndim else None for b in buckets}
    return len(kinds) == 1 and None not in kinds


def _parted(shape: tuple[int, ...], ends: Block, whole: Block) -> BucketBlocks:
    return _filled(shape, [whole[a:b] for a, b in pairwise([0, *ends.tolist()])])


def _filled(shape: tuple[int, ...], buckets: list[Block]) -> BucketBlocks:
    made = BucketBlocks.empty(shape)
    for at, bucket in zip(np.ndindex(shape), buckets, strict=True):
        made.cells[at] = bucket
    return made
