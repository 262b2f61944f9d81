"""Blocks of a worker that are computed one by one, as two of them would not fit beside each other.

Dask has limits of tasks that a worker runs at a time only for workers that were started with them.
So a thread waits for its turn here: what other threads compute are the blocks of other steps. No
block waits for another one while it is computed, so each has its turn.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from threading import Lock

from dask_tapestry.lower.tuning import WAITER_LOOK_SECONDS
from dask_tapestry_kernels.stopping import stop_if_asked

_changing = Lock()
_turns: dict[str, _Turn] = {}


class _Turn:
    """Whose turn it is of those who take turns, and how many these are."""

    __slots__ = ("lock", "users")

    def __init__(self) -> None:
        self.lock, self.users = Lock(), 0


def one_by_one(name: str) -> AbstractContextManager[None]:
    """Inside a ``with`` block, no other thread of this process is in one of this `name`.

    An empty name is nobody's. Blocks of a compute that is run by a block have another name, so that
    none waits for the one that waits for it.

    Raises
    ------
    StoppedError
        If the block that waits is not wanted any more.

    Examples
    --------
    >>> with one_by_one("tapestry-plan"):
    ...     print("alone")
    alone
    """
    return _turn_of(name) if name else nullcontext()


@contextmanager
def _turn_of(name: str) -> Iterator[None]:
    """What `one_by_one` is of a name."""
    with _changing:
        turn = _turns.setdefault(name, _Turn())
        turn.users += 1
    try:
        while not turn.lock.acquire(timeout=WAITER_LOOK_SECONDS):
            stop_if_asked()
        try:
            yield
        finally:
            turn.lock.release()
    finally:
        with _changing:
            turn.users -= 1
            if not turn.users:
                del _turns[name]
