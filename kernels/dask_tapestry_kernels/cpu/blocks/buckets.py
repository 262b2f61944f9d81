"""Buckets: what each producer of an exchange has for each consumer, of sizes that cells decide."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dask_tapestry_kernels.cpu.blocks.collected import Collected

Block = np.ndarray[Any, Any]
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
    def nbytes(self) -> int:
        return sum(bucket.nbytes for bucket in self.cells.flat if bucket is not None)

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

    def __setitem__(self, key: Slices, part: BucketBlocks) -> None:
        self.cells[key] = part.cells

    def __reduce__(self) -> tuple[Any, ...]:
        return _filled, (self.shape, list(self.cells.flat))


def _filled(shape: tuple[int, ...], buckets: list[Block]) -> BucketBlocks:
    made = BucketBlocks.empty(shape)
    for at, bucket in zip(np.ndindex(shape), buckets, strict=True):
        made.cells[at] = bucket
    return made
