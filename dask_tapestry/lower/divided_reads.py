"""Divided reads: what a block reads from a store, read by several threads side by side.

A step of few blocks leaves threads idle, and decoding chunks takes longer than most of what is
computed of them. So a block that has a whole axis, as a fold of it, reads as fast as many blocks
that would all be held until it begins.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import Any, Final

from dask_tapestry.lower.thread_map import side_by_side
from dask_tapestry.lower.tuning import PARTS_A_READER
from dask_tapestry.teg import Source
from dask_tapestry.zspace import ZRange

Block = Any

_readers: Final[ContextVar[int]] = ContextVar("threads that read for a block", default=1)


@contextmanager
def read_by(threads: int) -> Iterator[None]:
    """Let so many threads read what a block reads inside a ``with`` block."""
    token = _readers.set(threads)
    try:
        yield
    finally:
        _readers.reset(token)


def cells_read(source: Source, box: ZRange, target: Block | None, pace: int) -> Block:
    """The cells `box` of a source; of its first axis one in `pace` is needed, the first one first.

    Parameters
    ----------
    target
        Memory for them, which the source may fill; None to let it allocate.
    """
    if pace != 1:
        return source.read_some(box, target, pace)
    parts = _parts(source, box) if target is not None and source.divisible else [box]
    if len(parts) == 1:
        return source.read(box, target)
    assert target is not None
    side_by_side(
        [partial(_read, source, part, target[part.index(box)]) for part in parts], _readers.get()
    )
    return target


def _read(source: Source, box: ZRange, place: Block) -> None:
    cells = source.read(box, place)
    if cells is not place:
        place[...] = cells


def _parts(source: Source, box: ZRange) -> list[ZRange]:
    """The box in parts that end between what is read as a whole, along its axis of most of these.

    There are a few for each thread, so that all end at about the same time.
    """
    sides, threads = source.read_sides, _readers.get()
    if threads == 1 or not sides or not box.size:
        return [box]
    rows = [
        range(lo // side, -(-hi // side))
        for lo, hi, side in zip(box.lo, box.hi, sides, strict=True)
    ]
    axis = max(range(len(rows)), key=lambda one: len(rows[one]))
    each = -(-len(rows[axis]) // (threads * PARTS_A_READER))
    edges = [row * sides[axis] for row in rows[axis][each::each]]
    ends = zip([box.lo[axis], *edges], [*edges, box.hi[axis]], strict=True)
    return [box.replace(axis, start, stop) for start, stop in ends]
