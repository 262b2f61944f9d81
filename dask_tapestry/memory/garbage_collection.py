"""Garbage collection: when Python need not run its collector."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Lock

from dask_tapestry.caches import clear_caches
from dask_tapestry.memory.tuning import FEW_OLD_OBJECTS, OLD_PART

_others_freeze = Event()
_turn = Lock()


class _Old:
    """Objects that count as old: those that do since all were looked at, and how many stayed."""

    since = 0
    stayed = 0


@contextmanager
def collection_paused() -> Iterator[None]:
    """Collect no garbage meanwhile, where thousands of objects are made and none of them is any.

    Looking at them took 45 % of the time of writing out tasks, and 25 % of that of planning. What
    is left of them afterwards counts as old, so that it is looked at as seldom as all else that
    stays: looking at it at once took 10 to 40 % of the time of planning again, and found nothing.
    Python's collector looks at old objects only when it has made a quarter of them old itself. So
    those that are made old here are counted; all are looked at when they are half as many more.

    Examples
    --------
    >>> with collection_paused():
    ...     gc.isenabled()
    False
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            _count_as_old()
            gc.enable()


def _count_as_old() -> None:
    """All objects are those of the oldest generation; none is looked at until there are many.

    What somebody else has frozen stays frozen, and then nothing is done, from then on: to count
    frozen objects is to walk them, 25 ms for three million, each time that anything is planned.
    """
    if _others_freeze.is_set() or not _turn.acquire(blocking=False):
        return  # a thread that waited would find nothing left to do
    try:
        if gc.get_freeze_count():
            _others_freeze.set()
            return
        young, times, _ = gc.get_count()
        _Old.since += young + times * gc.get_threshold()[0]  # the latter have left at most so many
        gc.freeze()
        gc.unfreeze()
    finally:
        _turn.release()
    _look_if_many()


def _look_if_many() -> None:
    """Collect garbage among old objects if those of late may be as many as Python would let be.

    Nearly all that is left of long planning then is what functions remember: 1.4 of 1.5 million
    objects after 14 large jobs. It is forgotten first: to look at it again with each job took 10 %
    of planning these.
    """
    most = max(FEW_OLD_OBJECTS, _Old.stayed // OLD_PART)
    if _Old.since <= most:
        return
    _Old.since = len(gc.get_objects()) - _Old.stayed  # most have gone since they were counted
    if _Old.since > most:
        clear_caches()
        gc.collect()
        _Old.since, _Old.stayed = 0, len(gc.get_objects())
