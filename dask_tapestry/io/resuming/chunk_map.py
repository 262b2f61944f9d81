"""Maps of chunks: which of a part of an array are still to be written, and their boxes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from dask_tapestry.io.journals.journal import Box

Mask = np.ndarray[Any, np.dtype[np.bool_]]


class ChunkMap(NamedTuple):
    """The stored chunks that a box of an array meets; those that are missing are true.

    Attributes
    ----------
    box
        The cells.
    sides
        Shape of the stored chunks.
    missing
        One cell a chunk.

    Examples
    --------
    >>> chunks = ChunkMap.of(((2, 9),), (4,))
    >>> chunks.strike(((4, 8),))
    >>> chunks.boxes(), chunks.missing_count, chunks.missing.size
    ((((2, 4),), ((8, 9),)), 2, 3)
    """

    box: Box
    sides: tuple[int, ...]
    missing: Mask

    @classmethod
    def of(cls, box: Box, sides: tuple[int, ...]) -> ChunkMap:
        """The map of a box of which nothing is written."""
        grid = [
            -(-hi // n) - lo // n if hi > lo else 0 for (lo, hi), n in zip(box, sides, strict=True)
        ]
        return cls(box, sides, np.ones(grid, bool))

    def strike(self, written: Box) -> None:
        """Say that the chunks which a box meets are written."""
        self.missing[self._index(written)] = False

    def _index(self, box: Box) -> tuple[slice, ...]:
        spans = zip(self.box, self.sides, box, strict=True)
        first = [(own // n, n, lo, hi) for (own, _), n, (lo, hi) in spans]
        return tuple(
            [slice(max(0, lo // n - at), max(0, -(-hi // n) - at)) for at, n, lo, hi in first]
        )

    @property
    def missing_count(self) -> int:
        """How many chunks are missing."""
        return int(np.count_nonzero(self.missing))

    def boxes(self) -> tuple[Box, ...]:
        """Boxes of the cells of missing chunks, which do not meet."""
        return tuple([self._cells(chunks) for chunks in _boxes(self.missing)])

    def _cells(self, chunks: Box) -> Box:
        """Cells of a box of chunks."""
        every = zip(chunks, self.box, self.sides, strict=True)
        cells = [((lo // n + a) * n, (lo // n + b) * n, lo, hi) for (a, b), (lo, hi), n in every]
        return tuple([(max(first, lo), min(last, hi)) for first, last, lo, hi in cells])


def _boxes(missing: Mask) -> Iterator[Box]:
    """Yield boxes of true cells: rows that are alike are one box."""
    if not missing.ndim:
        yield from [()] * bool(missing)
        return
    if not missing.size:
        return
    rows = missing.reshape(len(missing), -1)
    edges = [0, *(np.flatnonzero((rows[1:] != rows[:-1]).any(1)) + 1).tolist(), len(rows)]
    for lo, hi in pairwise(edges):
        for rest in _boxes(missing[lo]):
            yield ((lo, hi), *rest)
