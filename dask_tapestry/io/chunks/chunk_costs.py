"""Costs of reading or writing a box of a chunked array: whole chunks are decoded and encoded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise, product
from math import prod
from typing import NamedTuple

from dask_tapestry.io.tuning import LARGE_CHUNK_BYTES, SMALL_CHUNKS_AT_ONCE
from dask_tapestry.zspace import ZRange


def touched_chunk_cells(box: ZRange, chunks: tuple[int, ...] | None, shape: tuple[int, ...]) -> int:
    """Return the number of cells in the chunks that meet `box`.

    Examples
    --------
    >>> touched_chunk_cells(ZRange((3,), (5,)), (4,), (10,))
    8
    """
    if chunks is None or box.is_empty:
        return box.size
    return prod(
        min(-(-hi // side) * side, extent) - lo // side * side
        for lo, hi, side, extent in zip(box.lo, box.hi, chunks, shape, strict=True)
    )


class ReadBuffers(NamedTuple):
    """What reading has in memory beside the cells: chunks as stored, and decoded.

    Attributes
    ----------
    nbytes
        Of a chunk that is decoded.
    chunks
        How many at most are in hand side by side.
    in_place
        Whether a chunk that is wanted whole is decoded to where its cells are to be.
    """

    nbytes: int
    chunks: int
    in_place: bool = False

    @classmethod
    def by_zarr(cls, sides: tuple[int, ...], itemsize: int, inline: bool = True) -> ReadBuffers:
        """Return what zarr has in hand; `inline` says whether it reads in the thread that asks."""
        size = prod(sides) * itemsize
        return cls(size, 1 if inline and size >= LARGE_CHUNK_BYTES else SMALL_CHUNKS_AT_ONCE)

    @property
    def helper_bytes(self) -> int:
        """Bytes of another thread that reads chunks too, where they are in hand one by one."""
        return 2 * self.nbytes if self.chunks == 1 else 0

    def scratch_bytes(
        self, box: ZRange, sides: tuple[int, ...], shape: tuple[int, ...] | None = None
    ) -> int:
        """Bytes beside the cells `box` of an array with such chunks.

        Where memory is filled in place, the last chunk of an array of this `shape`, which may lie
        partly beyond its end, is decoded elsewhere, beside fewer cells.

        Examples
        --------
        >>> ReadBuffers(16, 10).scratch_bytes(ZRange((0,), (5,)), (2,))
        96
        >>> in_place = ReadBuffers(16, 1, in_place=True)
        >>> in_place.scratch_bytes(ZRange((0,), (4,)), (2,), (9,))
        24
        """
        if self.in_place and shape is not None and _are_whole(box, sides):
            return self.nbytes + max(
                [self.nbytes * (n % side) // side for n, side in zip(shape, sides, strict=True)],
                default=0,
            )
        return 2 * self.nbytes * min(self.chunks, _count_met(box, sides))


def write_scratch_bytes(box: ZRange, chunks: tuple[int, ...], itemsize: int) -> int:
    """Bytes of chunks, as in memory and as stored, that writing `box` takes beside its cells.

    A single chunk is written from where its cells are.

    Examples
    --------
    >>> write_scratch_bytes(ZRange((0,), (5,)), (2,), 8)
    64
    >>> write_scratch_bytes(ZRange((0,), (10**6,)), (10**6,), 8)
    8000000
    """
    met = _count_met(box, chunks)
    if not met:
        return 0
    size = prod(chunks) * itemsize
    stored = 1 if size >= LARGE_CHUNK_BYTES else min(met, SMALL_CHUNKS_AT_ONCE)
    return size * (stored if met == 1 else stored + 1)


def _count_met(box: ZRange, chunks: tuple[int, ...]) -> int:
    """Number of chunks that meet `box`."""
    if box.is_empty:
        return 0
    spans = zip(box.lo, box.hi, chunks, strict=True)
    return prod(-(-hi // side) - lo // side for lo, hi, side in spans)


def _are_whole(box: ZRange, sides: tuple[int, ...]) -> bool:
    """Whether a box is of whole chunks, the cells of each of which lie in a row in it.

    Examples
    --------
    >>> _are_whole(ZRange((2, 0), (6, 5)), (2, 5)), _are_whole(ZRange((0, 0), (2, 10)), (2, 5))
    (True, False)
    """
    if any(lo % side or n % side for lo, n, side in zip(box.lo, box.shape, sides, strict=True)):
        return False
    several = [axis for axis, n in enumerate(box.shape) if n != sides[axis]]
    return not box.is_empty and all(side == 1 for side in sides[: max(several, default=0)])


def split_by_chunk(
    selection: Sequence[slice], chunks: Sequence[int], itemsize: int
) -> Iterator[tuple[slice, ...]]:
    """Yield the parts of a selection that lie in one chunk each; all of it if chunks are small.

    Examples
    --------
    >>> list(split_by_chunk((slice(3, 12),), (10,), 2**20))
    [(slice(3, 10, None),), (slice(10, 12, None),)]
    >>> list(split_by_chunk((slice(3, 12),), (10,), 8))
    [(slice(3, 12, None),)]
    """
    if prod(chunks) * itemsize < LARGE_CHUNK_BYTES or any(
        part.step not in (None, 1) for part in selection
    ):
        yield tuple(selection)
        return
    edges = [
        [part.start, *range((part.start // side + 1) * side, part.stop, side), part.stop]
        for part, side in zip(selection, chunks, strict=True)
    ]
    yield from product(*[[slice(*span) for span in pairwise(line)] for line in edges])
