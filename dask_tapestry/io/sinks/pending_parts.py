"""Pending parts of a resumed write: boxes of a sink's output, and their parts of blocks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dask_tapestry.io.journals.journal import Box
from dask_tapestry.zspace import ZRange


def parts_of(box: ZRange, pending: Sequence[ZRange] | None) -> Iterator[ZRange]:
    """The parts of a box that are to be written: all of it where nothing is known."""
    if pending is None:
        yield box
        return
    for one in pending:
        part = box.intersection(one)
        if not part.is_empty:
            yield part


def as_ranges(
    boxes: Sequence[Box] | None, origin: tuple[int, ...] | None = None
) -> tuple[ZRange, ...] | None:
    """Boxes of an array as ranges of what lies from `origin` on.

    Examples
    --------
    >>> as_ranges([((3, 9),)], (2,))
    (ZRange((1,), (7,)),)
    """
    if boxes is None:
        return None
    made = [ZRange([lo for lo, _ in box], [hi for _, hi in box]) for box in boxes]
    return tuple([one.translate([-n for n in origin]) if origin else one for one in made])
