"""Floating-point errors of the blocks of one compute, brought to the client that computes.

Blocks tell a `ErrorLog`. In the process that asked it remembers; pickling one gives one that sends
events instead, a message of some bytes for each block in which something went wrong. An event comes
before its task's end does, so all have come when the result is there.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from contextvars import ContextVar
from functools import partial
from threading import Lock
from typing import Any, Final
from uuid import uuid4
from weakref import WeakSet, WeakValueDictionary

from dask_tapestry.lower.errstate_reporting import CurrentLine, ErrorState, kind_of

TOPIC: Final = "tapestry-heard"  # of Dask's events
_asking: ContextVar[ErrorLog | None] = ContextVar("asking", default=None)
_listening_clients: WeakSet[Any] = WeakSet()


class ErrorLog:
    """What was heard in one compute.

    Parameters
    ----------
    kinds
        The errors of floating point that are asked for, by NumPy's names.
    run
        Name of the compute; by default it is this process that asks.
    raised
        Of these the errors that the block itself raises in which they are met.
    told
        Is given what was not heard before, at once, by the thread that hears it; None where it is
        looked for in `texts` once the compute has ended.
    """

    def __init__(
        self,
        kinds: frozenset[str],
        run: str = "",
        raised: frozenset[str] = frozenset(),
        told: Callable[[set[str]], None] | None = None,
    ) -> None:
        self.kinds, self._run, self.is_local = kinds, run, not run
        self.raised, self._told = raised, told
        self.texts: set[str] = set()

    @property
    def run(self) -> str:
        """Name of the compute; its process knows it by that once it was asked for."""
        if not self._run:
            self._run = uuid4().hex
            _runs[self._run] = self
            if self._told is not None:
                _unattended.append(self)
        return self._run

    def take(self, texts: set[str]) -> None:
        """Remember what was heard of a block, or send it to who does."""
        texts = texts - self.texts
        if not texts:
            return
        wrong = [text for text in texts if kind_of(text) in self.raised]
        if wrong:
            raise FloatingPointError(min(wrong))
        if self.is_local:
            self.add(texts)
            return
        self.texts |= texts
        _send(self.run, sorted(texts))

    @property
    def known(self) -> tuple[str, ...]:
        """What blocks in this process have told, and need not be found again."""
        return tuple(self.texts)

    def add(self, texts: set[str]) -> None:
        """Remember texts, and tell those that are new."""
        with _lock:
            new = texts - self.texts
            self.texts |= new
        if new and self._told is not None:
            self._told(new)

    def __reduce__(self) -> tuple[Any, ...]:
        return ErrorLog, (self.kinds, self.run, self.raised)

    def __dask_tokenize__(self) -> str:
        return self.run


_lock = Lock()
_runs: WeakValueDictionary[str, ErrorLog] = WeakValueDictionary()
_unattended: deque[ErrorLog] = deque(maxlen=1024)  # the last ones, which nobody else holds


def current_log() -> ErrorLog | None:
    """Whom the compute that is being prepared should tell; None where nobody asks."""
    return _asking.get()


def raised_by_blocks() -> list[str]:
    """The errors that blocks of the compute that is being prepared raise: then they are others."""
    heard = current_log()
    return [] if heard is None else sorted(heard.raised)


class collect_errors:  # noqa: N801  (a context manager, as `numpy.errstate`)
    """Inside a ``with`` block, what is computed tells `heard`."""

    def __init__(self, heard: ErrorLog) -> None:
        self.heard = heard

    def __enter__(self) -> ErrorLog:
        self._before = _asking.set(self.heard)
        return self.heard

    def __exit__(self, *error: object) -> None:
        _asking.reset(self._before)


def without_collection() -> AbstractContextManager[Any]:
    """Inside a ``with`` block, what is prepared tells what goes wrong by itself, when it is met.

    For computes that nobody asks for who sees their end. The state of `numpy.errstate` and the
    user's line are those of now.
    """
    if current_log() is not None:
        return nullcontext()
    state, line = ErrorState(), CurrentLine()
    told = partial(state.tell, warn=line.warn)
    return collect_errors(ErrorLog(state.asked, "", state.raised, told))


def hear_from(client: Any) -> None:
    """Have what is heard on a cluster's workers brought here."""
    if current_log() is not None and client not in _listening_clients:
        client.subscribe_topic(TOPIC, _take)
        _listening_clients.add(client)


def _take(event: tuple[float, tuple[str, list[str]]]) -> None:
    run, texts = event[1]
    heard = _runs.get(run)
    if heard is not None:
        heard.add(set(texts))


def _send(run: str, texts: list[str]) -> None:
    """Send an event from a worker; processes that are no workers have nobody to send it to."""
    module = sys.modules.get("distributed.worker")
    try:
        worker = None if module is None else module.get_worker()
    except ValueError:
        return
    if worker is not None:
        worker.log_event(TOPIC, (run, texts))
