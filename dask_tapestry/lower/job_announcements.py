"""Jobs that were announced: where graphs arrive, those who count tasks look for what these are.

A description travels within its graph. A scheduler that unpickles one is watched from then on: its
process has this library, so nothing is registered beforehand, no message is sent, and a scheduler
that was started again is watched as the first one was.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Container, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any, Final

from dask_tapestry.imports import lazy_import
from dask_tapestry.lower.dask_private import live_schedulers
from dask_tapestry.lower.tuning import JOBS_WAITING

WATCH: Final = "dask_tapestry.lower.job_watch"  # by name: it imports this module, and distributed
_waiting: deque[dict[str, Any]] = deque(maxlen=JOBS_WAITING)
_lock = Lock()
_recorders: list[object] = []


def announce(job: dict[str, Any] | None) -> None:
    """Say in a scheduler's process that tasks of a job come; have the scheduler watched."""
    if job is None:
        return
    with _lock:
        _waiting.append(job)
    for scheduler in live_schedulers():
        lazy_import(WATCH).watch(scheduler)


def announce_here(job: dict[str, Any]) -> None:
    """Say that tasks of a job will run in this process."""
    with _lock:
        _waiting.append(job)


def take_announced(groups: Container[str]) -> list[dict[str, Any]]:
    """Jobs of which a step has a group of tasks among `groups`; they wait no more."""
    if not _waiting:
        return []
    with _lock:
        mine = [job for job in _waiting if any(step["name"] in groups for step in job["steps"])]
        for job in mine:
            _waiting.remove(job)
    return mine


def peek_announced(groups: Collection[str]) -> list[dict[str, Any]]:
    """Like `take_announced`, but the jobs stay announced until `forget`, for several watchers."""
    jobs, step_names = list[dict[str, Any]](), set[str]()
    with _lock:
        for job in reversed(_waiting):  # a compute that failed to start has left its job there
            names = {step["name"] for step in job["steps"]}
            if not names.isdisjoint(groups) and names.isdisjoint(step_names):
                jobs.append(job)
                step_names |= names
    return jobs


def forget(run: str) -> None:
    """Say that the job of this name has ended."""
    with _lock:
        for job in [one for one in _waiting if one["id"] == run]:
            _waiting.remove(job)


def recorded() -> bool:
    """Whether somebody counts the tasks of this process, so that jobs are to be described."""
    return bool(_recorders)


@contextmanager
def recording(who: object) -> Iterator[None]:
    """Inside a ``with`` block, jobs that run in this process are described for `who`."""
    _recorders.append(who)
    try:
        yield
    finally:
        _recorders.remove(who)
