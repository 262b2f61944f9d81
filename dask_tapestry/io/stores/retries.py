"""Counts of retries: requests to stores and files that were repeated, by source.

Counted where it happens, in the process that asked: nothing is counted of requests that succeed, so
those cost nothing. A worker sends an event of each to the scheduler, from which clients that listen
(`lower/retry_events.py`) and pages of the dashboard take it.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from threading import Lock
from typing import Final, NamedTuple

from dask_tapestry.io.tuning import ERROR_CHARACTERS, MOST_RETRIED_SOURCES

TOPIC: Final = "tapestry-retries"  # of Dask's events; each is a source and a text


class Retries(NamedTuple):
    """How often one source was asked again.

    Attributes
    ----------
    times
        How often.
    last
        What had gone wrong the last time.
    """

    times: int
    last: str


_lock: Final = Lock()
_counts: dict[str, Retries] = {}


def retries() -> Mapping[str, Retries]:
    """Return how often each source was asked again, of what is known in this process.

    That is what happened in it, and on workers of clusters that it listens to.

    Examples
    --------
    >>> add_retry("a/store", "timeout")
    >>> retries()["a/store"].last
    'timeout'
    >>> forget_retries()
    """
    with _lock:
        return dict(_counts)


def forget_retries() -> None:
    """Begin to count anew."""
    with _lock:
        _counts.clear()


def add_retry(source: str, error: str) -> None:
    """Count that a source is asked again."""
    with _lock:
        known = _counts.get(source)
        if known is not None or len(_counts) < MOST_RETRIED_SOURCES:
            _counts[source] = Retries((known.times if known else 0) + 1, error)


def note_retry(source: object, error: BaseException) -> None:
    """Tell that a source is asked again after an error: on a worker, those who listen."""
    name, text = str(source), f"{type(error).__name__}: {first_line(error)}"
    module = sys.modules.get("distributed.worker")
    try:
        worker = None if module is None else module.get_worker()
    except ValueError:
        worker = None
    if worker is None:
        add_retry(name, text)
    else:
        worker.log_event(TOPIC, (name, text))


def first_line(error: BaseException) -> str:
    r"""What an error says, in one line.

    Examples
    --------
    >>> first_line(ValueError("no\nDebug source: ..."))
    'no'
    """
    said = str(error) or repr(error)
    return said.partition("\n")[0].strip()[:ERROR_CHARACTERS]
