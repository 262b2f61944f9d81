"""A map over threads: calls side by side, by the thread that wants them and by free helpers.

The caller works too, and waits for those helpers alone that have begun: so nobody waits for a call
that is never made, even where all helpers wait for such calls themselves.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from typing import Any, TypeVar

from dask.system import CPU_COUNT

T = TypeVar("T")


def side_by_side(
    calls: Sequence[Callable[[], T]], threads: int, stop: Callable[[], object] = lambda: None
) -> list[T]:
    """The results of `calls`, made by up to `threads` threads, the caller's among them.

    The first call that fails ends it, and its error is raised; `stop` is to stop the others. An
    interrupt ends it at once.

    Examples
    --------
    >>> side_by_side([lambda: 1, lambda: 2], threads=2)
    [1, 2]
    """
    if len(calls) == 1:
        return [calls[0]()]
    results: dict[int, T] = {}
    errors: list[BaseException] = []
    waiting = deque(enumerate(calls))

    def work() -> None:
        while waiting:
            try:
                number, call = waiting.popleft()
            except IndexError:  # another thread took the last one
                return
            try:
                results[number] = call()
            except BaseException as error:
                errors.append(error)
                waiting.clear()
                stop()

    helping = started_helpers(work, min(threads, len(calls)) - 1)
    try:
        work()
        for helper in helping:
            if not helper.cancel():
                helper.result()
    except BaseException:
        waiting.clear()
        stop()
        raise
    if errors:
        raise errors[0]
    return [results[number] for number in range(len(calls))]


def started_helpers(work: Callable[[], None], helpers: int) -> list[Future[None]]:
    """So many helpers, asked to work; none where the interpreter ends."""
    try:
        return [_helpers().submit(work) for _ in range(helpers)]
    except RuntimeError:
        return []


@cache
def _helpers() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max(1, CPU_COUNT), "tapestry-block")


def _forget(*_: Any) -> None:
    _helpers.cache_clear()  # a child has no thread of its parent's


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
