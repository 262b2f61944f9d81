"""Threads of libraries below us: while several blocks run at a time, BLAS runs each in one thread.

A block that has a worker to itself has the worker's threads: Dask starts workers whose BLAS starts
one.

Two blocks that each start as many BLAS threads as there are cores took 2 to 4 times as long as two
that start one each (products of 2000 x 6250 and 3000 x 3000 float64 on 2 cores).

Where a library's threads are the process's, the first block that needs it sets the limit and the
last one takes it back, in a thread of its own, as threadpoolctl lets one thread alone do so; where
they are the calling thread's, each block sets its own.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache
from threading import Lock
from typing import Any

from threadpoolctl import ThreadpoolController

_lock = Lock()
_users = 0
_limit: Any = None


def threads_each(count: int | None = 1) -> AbstractContextManager[None]:
    """Let BLAS start `count` threads for a block inside a ``with`` block; None for its own choice.

    Of blocks that run at a time the first one sets the number of the process.
    """
    return nullcontext() if count is None else _threads_each(count)


@contextmanager
def _threads_each(count: int) -> Iterator[None]:
    """What `threads_each` is of a number."""
    _enter(count)
    try:
        with _limited(count):
            yield
    finally:
        _leave()


def _enter(count: int) -> None:
    global _users, _limit
    with _lock:
        _users += 1
        if _users == 1:
            _limit = _keeper().submit(_limited, count).result()


def _leave() -> None:
    global _users, _limit
    with _lock:
        _users -= 1
        if not _users:
            _keeper().submit(_limit.restore_original_limits).result()
            _limit = None


def _limited(count: int) -> Any:
    return _libraries().limit(limits=count, user_api="blas")


@cache
def _libraries() -> ThreadpoolController:
    """The thread pools of the libraries that are loaded; looking for them takes milliseconds."""
    return ThreadpoolController()


@cache
def _keeper() -> ThreadPoolExecutor:
    """The thread that sets the process's limit."""
    return ThreadPoolExecutor(1, "tapestry-blas")


def _forget() -> None:
    """A forked process has no keeper, and none of the blocks that were running."""
    global _lock, _users, _limit
    _lock, _users, _limit = Lock(), 0, None
    _keeper.cache_clear()


os.register_at_fork(after_in_child=_forget)
