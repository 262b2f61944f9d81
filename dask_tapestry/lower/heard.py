"""What goes wrong in the blocks of one compute, brought to who asked for it.

Blocks tell a `Heard`. In the process that asked it remembers; pickling one gives one that sends
events instead, a message of some bytes for each block in which something went wrong. An event comes
before its task's end does, so all have come when the result is there.
"""

from __future__ import annotations

import sys
from contextvars import ContextVar
from typing import Any, Final
from uuid import uuid4
from weakref import WeakSet, WeakValueDictionary

TOPIC: Final = "tapestry-heard"  # of Dask's events
_asking: ContextVar[Heard | None] = ContextVar("asking", default=None)
_listening_clients: WeakSet[Any] = WeakSet()


class Heard:
    """What was heard in one compute.

    Parameters
    ----------
    kinds
        The errors of floating point that are asked for, by NumPy's names.
    run
        Name of the compute; by default it is this process that asks.
    """

    def __init__(self, kinds: frozenset[str], run: str = "") -> None:
        self.kinds, self._run, self.is_local = kinds, run, not run
        self.texts: set[str] = set()

    @property
    def run(self) -> str:
        """Name of the compute; its process knows it by that once it was asked for."""
        if not self._run:
            self._run = uuid4().hex
            _runs[self._run] = self
        return self._run

    def take(self, texts: set[str]) -> None:
        """Remember what was heard of a block, or send it to who does."""
        if texts and self.is_local:
            self.texts |= texts
        elif texts:
            _send(self.run, sorted(texts))

    def __reduce__(self) -> tuple[Any, ...]:
        return Heard, (self.kinds, self.run)

    def __dask_tokenize__(self) -> str:
        return self.run


_runs: WeakValueDictionary[str, Heard] = WeakValueDictionary()


def asked() -> Heard | None:
    """Whom the compute that is being prepared should tell; None where nobody asks."""
    return _asking.get()


class Asking:
    """Inside a ``with`` block, what is computed tells the `Heard` that it gives."""

    def __init__(self, kinds: frozenset[str]) -> None:
        self.heard = Heard(kinds)

    def __enter__(self) -> Heard:
        self._before = _asking.set(self.heard)
        return self.heard

    def __exit__(self, *error: object) -> None:
        _asking.reset(self._before)


def hear_from(client: Any) -> None:
    """Have what is heard on a cluster's workers brought here."""
    if asked() is not None and client not in _listening_clients:
        client.subscribe_topic(TOPIC, _take)
        _listening_clients.add(client)


def _take(event: tuple[float, tuple[str, list[str]]]) -> None:
    run, texts = event[1]
    heard = _runs.get(run)
    if heard is not None:
        heard.texts |= set(texts)


def _send(run: str, texts: list[str]) -> None:
    """Send an event from a worker; processes that are no workers have nobody to send it to."""
    module = sys.modules.get("distributed.worker")
    try:
        worker = None if module is None else module.get_worker()
    except ValueError:
        return
    if worker is not None:
        worker.log_event(TOPIC, (run, texts))
