"""Idle threads of a process: those that compute no block decode and encode chunks of others'.

Each block says that a thread is busy with it. Where one has several chunks to read or write, as
many helpers begin as there are idle threads; each ends with its chunk once all threads are busy.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from threading import Lock, local
from typing import Any

from dask_tapestry.thread_map import started_helpers

_lock = Lock()
_busy = 0


Call = Callable[[], object]
Mending = Callable[[int, Exception], object]


class _Block(local):
    threads = 0  # of the process, as the block that this thread computes knows; it may have none


_block = _Block()


@contextmanager
def busy_thread(threads: int) -> Iterator[None]:
    """Inside a ``with`` block, one of the `threads` that may compute in this process is busy."""
    before = _block.threads
    _block.threads = threads
    _take()
    try:
        yield
    finally:
        _give_back()
        _block.threads = before


@contextmanager
def waiting_thread() -> Iterator[None]:
    """Inside a ``with`` block, this thread waits for another one, and is idle."""
    _give_back()
    try:
        yield
    finally:
        _take()


def threads_known() -> int:
    """The threads of which the block that this thread computes knows."""
    return _block.threads


def by_idle_threads(calls: Sequence[Call], together: int = 1, mend: Mending | None = None) -> None:
    """Make all `calls`, by this thread and by idle ones.

    Parameters
    ----------
    together
        How many a helper takes at a time, as fewer take less time than asking for it.
    mend
        Called by this thread with the number of a call that failed, and its error.

    Raises
    ------
    Exception
        That of the first call that failed, or of mending it.

    Examples
    --------
    >>> found = []
    >>> by_idle_threads([lambda: found.append(1), lambda: 1 // 0], mend=print)
    1 integer division or modulo by zero
    >>> found
    [1]
    """
    _Calls(calls, together, mend or _raise).made()


def _raise(_: int, error: Exception) -> None:
    raise error


class _Calls:
    """Calls that several threads make, each of them the next ones."""

    def __init__(self, calls: Sequence[Call], together: int, mend: Mending) -> None:
        self._waiting = deque(enumerate(calls))
        self._together, self._mend, self._threads = together, mend, _block.threads
        self._failed: dict[int, Exception] = {}  # of helpers
        self._ended: list[BaseException] = []
        self._helping: list[Future[None]] = []
        self._last = len(calls)  # that is to be mended

    def made(self) -> None:
        """Make them; when this ends no helper is in one, whatever has happened."""
        raised: Exception | None = None
        try:
            while self._waiting:
                self._ask_for_help()
                self._make_some(self._mend_own)
        except Exception as own:
            raised = own
        finally:
            self._waiting.clear()
            for helper in self._helping:
                if not helper.cancel():
                    helper.exception()
        for interrupt in self._ended:
            raise interrupt
        for number, error in sorted(self._failed.items()):
            if raised is None or number < self._last:
                self._mend(number, error)
        if raised is not None:
            raise raised

    def _mend_own(self, number: int, error: Exception) -> None:
        self._last = number
        self._mend(number, error)

    def _ask_for_help(self) -> None:
        """Have a helper for each idle thread, as long as there are calls for them."""
        left = -(-len(self._waiting) // self._together) - 1  # beside those for this thread
        if left < 1 or _busy >= self._threads:
            return
        self._helping = [helper for helper in self._helping if not helper.done()]
        asked = sum(not helper.running() for helper in self._helping)
        wanted = min(self._threads - _busy, left) - asked
        self._helping += started_helpers(self._help, wanted)

    def _help(self) -> None:
        while self._waiting and _take(self._threads):
            try:
                self._make_some(self._failed.__setitem__)
            finally:
                _give_back()

    def _make_some(self, failed: Mending) -> None:
        for _ in range(self._together):
            try:
                number, call = self._waiting.popleft()
            except IndexError:  # another thread took the last one
                return
            try:
                call()
            except Exception as error:
                failed(number, error)
            except BaseException as error:
                self._ended.append(error)
                self._waiting.clear()


def _take(most: int | None = None) -> bool:
    """Make one more thread busy, if fewer than `most` are."""
    global _busy
    with _lock:
        if most is not None and _busy >= most:
            return False
        _busy += 1
        return True


def _give_back() -> None:
    global _busy
    with _lock:
        _busy -= 1


def _forget(*_: Any) -> None:
    """A forked process has none of the blocks that were running."""
    global _lock, _busy
    _lock, _busy = Lock(), 0


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
