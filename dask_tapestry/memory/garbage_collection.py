"""Garbage collection: when Python need not run its collector."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Lock

from dask_tapestry.caches import clear_caches
from dask_tapestry.memory.tuning import FEW_OLD_OBJECTS, OLD_PART

_others_freeze = Event()
_turn = Lock()


class _Old:
    """Objects that count as old.

    Attributes
    ----------
    since
        How many were made old since what functions remember was last forgotten.
    stayed
        How many objects there were when all had been looked at, less those that have gone; None
        before anything was planned.
    """

    since = 0
    stayed: int | None = None


@contextmanager
def collection_paused() -> Iterator[None]:
    """Collect no garbage meanwhile, where thousands of objects are made and none of them is any.

    Looking at them took 45 % of the time of writing out tasks, and 25 % of that of planning. What
    is left of them afterwards counts as old, so that it is looked at as seldom as all else that
    stays: looking at it at once took 10 to 40 % of the time of planning again, and found nothing.
    Python's collector looks at old objects only when it has made a quarter of them old itself. So
    those that are made old here are counted; when they are half as many more, what functions
    remember is forgotten, and if as many are left then, all are looked at.

    Examples
    --------
    >>> with collection_paused():
    ...     gc.isenabled()
    False
    """
    was_on = gc.isenabled()
    gc.disable()
    if _Old.stayed is None:
        _in_turn(_note_what_stays)
    try:
        yield
    finally:
        if was_on:
            _in_turn(_count_as_old)
            gc.enable()


def _in_turn(count: Callable[[], None]) -> None:
    """Count objects, unless another thread does, or somebody else has frozen some.

    What others have frozen stays so, and then nothing is counted, from then on: to count frozen
    objects is to walk them, 25 ms for three million, each time that anything is planned.
    """
    if _others_freeze.is_set() or not _turn.acquire(blocking=False):
        return  # a thread that waited would find nothing left to do
    try:
        if gc.get_freeze_count():
            _others_freeze.set()
        else:
            count()
    finally:
        _turn.release()


def _note_what_stays() -> None:
    """Count the objects there are before anything was planned."""
    _Old.stayed = _counted()


def _count_as_old() -> None:
    """All objects are those of the oldest generation; none is looked at until there are many."""
    young, times, _ = gc.get_count()
    made = young + times * gc.get_threshold()[0]  # the latter have left at most so many
    gc.freeze()
    gc.unfreeze()
    _look_if_many(made)


def _look_if_many(made: int) -> None:
    """Collect garbage among old objects if those of late may be as many as Python would let be.

    Nearly all that is left of long planning then is what functions remember: .8 to 1.5 of .9 to
    1.7 million objects that a large job makes. It is forgotten first, and what is left is counted:
    looking at all of it each time took 7 to 20 % of planning these, and found nothing.

    Parameters
    ----------
    made
        How many objects were made old just now.
    """
    _Old.since += made
    stayed = _Old.stayed or 0
    most = max(FEW_OLD_OBJECTS, stayed // OLD_PART)
    if _Old.since <= most:
        return
    if made <= most:  # else they are there; of those that were counted before, most have gone
        _Old.since = _counted() - stayed
        if _Old.since <= most:
            return
    clear_caches()
    _Old.since, left = 0, _counted()
    if left - stayed > most:
        gc.collect()
        _Old.stayed = _counted()
    else:
        _Old.stayed = min(left, stayed)


def _counted() -> int:
    """How many objects there are; all of them count as old from then on.

    A list of them would hold a tuple that another thread is filling, which then cannot be given its
    length: Python raises a SystemError there.
    """
    gc.freeze()
    count = gc.get_freeze_count()
    gc.unfreeze()
    return count
