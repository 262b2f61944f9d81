"""Stored chunks: what reading a box of them takes, and which new ones a tensor is stored in."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from itertools import pairwise, product
from math import prod
from typing import Final

from dask.utils import format_bytes

from dask_tapestry.teg import Tensor
from dask_tapestry.teg.node import users_level
from dask_tapestry.teg.nominal import chunk_bytes, nominal_cuts
from dask_tapestry.zspace import ZRange, fitting_sides

CHUNKS_A_TASK = 4  # that a task has memory for, when it reads, computes and stores one
TINY_BYTES = 2**16  # a chunk below costs a store more than its bytes do
MOST_TINY = 10_000  # such chunks in an array

LARGE: Final = 2**22  # bytes of a chunk, from which handing it over by itself takes no longer
AT_A_TIME: Final = 10  # smaller chunks that zarr has in hand side by side


def touched_chunk_cells(box: ZRange, chunks: tuple[int, ...] | None, shape: tuple[int, ...]) -> int:
    """Cells of the chunks that meet `box`.

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


def chunk_scratch_bytes(box: ZRange, chunks: tuple[int, ...], itemsize: int, written: bool) -> int:
    """Bytes of chunks, as stored and decoded, that reading or writing `box` takes beside its cells.

    A single chunk is written from where its cells are.

    Examples
    --------
    >>> chunk_scratch_bytes(ZRange((0,), (5,)), (2,), 8, written=False)
    64
    >>> chunk_scratch_bytes(ZRange((0,), (10**6,)), (10**6,), 8, written=True)
    8000000
    """
    if box.is_empty:
        return 0
    spans = zip(box.lo, box.hi, chunks, strict=True)
    met = prod(-(-hi // side) - lo // side for lo, hi, side in spans)
    size = prod(chunks) * itemsize
    stored = 1 if size >= LARGE else min(met, AT_A_TIME)
    return size * (stored if written and met == 1 else stored + 1)


def split_by_chunk(
    selection: Sequence[slice], chunks: Sequence[int], itemsize: int
) -> Iterator[tuple[slice, ...]]:
    """The parts of a selection that lie in one chunk each, of large chunks; else all of it.

    Examples
    --------
    >>> list(split_by_chunk((slice(3, 12),), (10,), 2**20))
    [(slice(3, 10, None),), (slice(10, 12, None),)]
    >>> list(split_by_chunk((slice(3, 12),), (10,), 8))
    [(slice(3, 12, None),)]
    """
    if prod(chunks) * itemsize < LARGE or any(part.step not in (None, 1) for part in selection):
        yield tuple(selection)
        return
    edges = [
        [part.start, *range((part.start // side + 1) * side, part.stop, side), part.stop]
        for part, side in zip(selection, chunks, strict=True)
    ]
    yield from product(*[[slice(*span) for span in pairwise(line)] for line in edges])


def default_chunk_shape(x: Tensor, memory: int | None = None) -> tuple[int, ...]:
    """Sides of the chunks in which a tensor is stored by default: its nominal ones.

    Stores want equal chunks, so of unequal ones the longest decides. A great many tiny ones are
    joined; those that are too large for a task, which has `memory` bytes, are made smaller, with a
    warning.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> default_chunk_shape(dt.ones((6, 9), chunks=(4, 2)).node)
    (4, 2)
    """
    sides = tuple(max(1, cuts.longest) for cuts in nominal_cuts(x))
    itemsize = max(1, x.type.dtype.itemsize)
    size = prod(sides) * itemsize
    if size < TINY_BYTES and x.type.nbytes > MOST_TINY * size:
        return _joined(sides, x.type.shape, chunk_bytes() // itemsize)
    if memory is None or size * CHUNKS_A_TASK <= memory:
        return sides
    smaller = fitting_sides(sides, range(len(sides)), memory // (CHUNKS_A_TASK * itemsize))
    warnings.warn(
        f"chunks {sides} of {x.type} take {format_bytes(size)}, too much for the memory of a task; "
        f"they are stored as {smaller}: give chunks= to choose others",
        stacklevel=users_level(),
    )
    return smaller


def _joined(sides: Sequence[int], shape: Sequence[int], cells: int) -> tuple[int, ...]:
    """Multiples of `sides`, the last ones first, until a chunk has `cells` cells or is whole."""
    found = list(sides)
    for axis in reversed(range(len(found))):
        times = max(1, cells // prod(found))
        found[axis] = min(found[axis] * times, max(1, shape[axis]))
    return tuple(found)
