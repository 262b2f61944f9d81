"""Remote reads: what workers take of inputs that lie on other workers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class InputReads(NamedTuple):
    """What all blocks of a step take of one input.

    Attributes
    ----------
    fetched
        Bytes that they need, once for each worker, or for each block where there are fewer.
    distinct
        The same, but once for blocks that need the same box.
    nearest
        Bytes of the largest part in one held block, of all boxes that differ: one worker has it.
    boxes
        How many boxes differ.
    """

    fetched: float = 0.0
    distinct: float = 0.0
    nearest: float = 0.0
    boxes: int = 0


def bytes_from_others(
    readings: Sequence[InputReads], workers: int, together: Sequence[int] = ()
) -> list[float]:
    """Bytes of each input that workers take from others.

    What a worker takes is as likely there as with any other. But blocks are computed where the
    largest parts of their inputs lie: those of one input are there, and blocks that need the same
    of it run on one worker, as long as there is enough for all workers.

    Parameters
    ----------
    together
        A number for each input: where those of two are the same, their blocks lie together.

    Examples
    --------
    >>> rows, table = InputReads(80.0, 80.0, 80.0, 8), InputReads(20.0, 10.0, 5.0, 1)
    >>> bytes_from_others([rows, table], workers=2)
    [0.0, 10.0]
    >>> bytes_from_others([rows, rows], workers=2), bytes_from_others([rows, rows], 2, (0, 0))
    ([0.0, 40.0], [0.0, 0.0])
    """
    moved = [each.fetched * (1 - 1 / workers) for each in readings]
    near = max(range(len(moved)), key=lambda n: readings[n].nearest, default=-1)
    if near >= 0 and readings[near].nearest:
        for number, one in enumerate(readings):
            if number == near or (together and together[number] == together[near]):
                moved[number] = _beyond_nearest(one, workers)
    return moved


def _beyond_nearest(one: InputReads, workers: int) -> float:
    """Bytes of an input that workers take from others, if blocks run where its parts lie."""
    fetched = min(one.fetched, one.distinct * max(1.0, workers / max(1, one.boxes)))
    return max(0.0, fetched - max(one.nearest, fetched / workers))
