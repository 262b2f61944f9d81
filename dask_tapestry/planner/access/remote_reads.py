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
    at_home
        Of an input in runs, the share that lies on the worker with most of all such inputs.
    """

    fetched: float = 0.0
    distinct: float = 0.0
    nearest: float = 0.0
    boxes: int = 0
    at_home: float = 0.0


def bytes_from_others(
    readings: Sequence[InputReads], workers: int, together: Sequence[int] = ()
) -> list[float]:
    """Bytes of each input that workers take from others.

    What a worker takes is as likely there as with any other. But blocks are computed where the
    largest parts of their inputs lie: those of one input are there, and blocks that need the same
    of it run on one worker, as long as there is enough for all workers. Of inputs in runs together
    more may be on one worker than of any other one: then blocks are computed there.

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
    >>> bytes_from_others([rows._replace(at_home=1.0), rows._replace(at_home=0.75)], workers=2)
    [0.0, 20.0]
    """
    groups = together or range(len(readings))
    if together:  # else each has its own share
        readings = [
            each._replace(at_home=_share_of(group, groups, readings))
            for each, group in zip(readings, groups, strict=True)
        ]
    moved = [each.fetched * (1 - 1 / workers) for each in readings]
    lone = [n for n, each in enumerate(readings) if each.nearest and not each.at_home]
    near = max(lone, key=lambda n: readings[n].nearest, default=None)
    at_home = sum(each.distinct * each.at_home for each in readings)
    if near is not None and readings[near].nearest > at_home:
        for n, each in enumerate(readings):
            if groups[n] == groups[near]:
                fetched = _fetched_by_few(each, workers)
                moved[n] = max(0.0, fetched - max(each.nearest, fetched / workers))
    elif at_home:
        for n, each in enumerate(readings):
            if each.at_home:
                few = workers * each.at_home > 1.0
                fetched = _fetched_by_few(each, workers) if few else each.fetched
                moved[n] = fetched * (1 - each.at_home)
    return moved


def _share_of(group: int, groups: Sequence[int], readings: Sequence[InputReads]) -> float:
    """The share at home of inputs that lie together: of which one is in runs, all are."""
    own = zip(groups, readings, strict=True)
    return max((each.at_home for other, each in own if other == group), default=0.0)


def _fetched_by_few(one: InputReads, workers: int) -> float:
    """Bytes that are fetched where blocks that need the same of an input run on one worker."""
    return min(one.fetched, one.distinct * max(1.0, workers / max(1, one.boxes)))
