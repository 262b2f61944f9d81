"""Ids of writers: which write made what is stored, so that one that runs again knows its own.

Users compute a sink several times, and Dask runs a task again if its worker was lost. A sink that
makes an array therefore leaves its `WriterId` beside it, and `next_step` tells a later run what to
do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

Step = Literal["keep", "repeat", "create"]


class WriterId(NamedTuple):
    """The write that made an array or enlarged it.

    Attributes
    ----------
    write
        Name of the write: one for each sink, however often it is computed.
    run
        Name of the compute in which the write ran last.
    over
        Names of the earlier writes to this place that this one follows: done, and replaced.
    """

    write: str
    run: str
    over: tuple[str, ...] = ()

    @classmethod
    def of(cls, stored: Sequence[Any] | None) -> WriterId | None:
        """Return the maker from what `stored` gave."""
        if stored is None:
            return None
        write, run, *over = stored
        return cls(write, run, tuple(*over))

    @property
    def stored(self) -> list[Any]:
        """The maker as JSON and pickle keep it."""
        return [self.write, self.run, *([list(self.over)] if self.over else [])]

    def has_done(self, write: str) -> bool:
        """Whether a write is done: this one, or one that it has replaced."""
        return write in (self.write, *self.over)


def next_step(
    maker: WriterId,
    stored: WriterId | None,
    beside: WriterId | None,
    *,
    once: bool,
    overwrite: bool,
) -> Step:
    """Return what a write has to do before its first cell.

    Parameters
    ----------
    maker
        The write, in the compute that runs now.
    found, beside
        What made the array that is in the place, and the one that is written beside it.
    once
        Whether the write must not be done twice: its value reads what it replaces.
    overwrite
        Whether the write may replace what others made.

    Returns
    -------
    {"keep", "repeat", "create"}
        Leave everything as it is, write into the array that this write made, or make a new one.

    Examples
    --------
    >>> mine, again = WriterId("a", "first run"), WriterId("a", "second run")
    >>> next_step(mine, None, None, once=False, overwrite=False)
    'create'
    >>> next_step(mine, mine, None, once=False, overwrite=False)
    'keep'
    >>> next_step(again, mine, None, once=False, overwrite=False)
    'repeat'
    """
    if maker in (stored, beside):
        return "keep"  # a task that Dask runs again: other tasks may have written since
    if stored is None:
        return "create"
    if maker.write in stored.over:
        return "keep" if once or not overwrite or stored.run == maker.run else "create"
    if stored.write != maker.write:
        return "create"
    return "keep" if once else "repeat"
