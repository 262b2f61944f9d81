"""Loaded specs: those that a process has unpickled, each as one object while a task holds it.

What functions remember of their programs is forgotten after so many: the memory of a worker does
not grow with the jobs that it has run.
"""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import Generic, NamedTuple, TypeVar
from weakref import WeakValueDictionary

from dask_tapestry.caches import clear_caches
from dask_tapestry.lower.tuning import (
    SPECS_HELD,
    SPECS_HELD_BYTES,
    SPECS_UNTIL_FORGOTTEN,
)

Spec = TypeVar("Spec")


class _Held(NamedTuple, Generic[Spec]):
    """A spec, and the bytes that it came in."""

    spec: Spec
    size: int


class LoadedSpecs(Generic[Spec]):
    """Specs by key: all that tasks hold, and the last ones, whose tasks may be yet to come.

    Examples
    --------
    >>> specs = LoadedSpecs()
    >>> pair = specs.keep("pair", frozenset((1, 2)), 100)  # what may be referred to weakly
    >>> specs.get("pair") is pair, specs.get("triple")
    (True, None)
    """

    def __init__(self) -> None:
        self._alive: WeakValueDictionary[str, Spec] = WeakValueDictionary()
        self._last: OrderedDict[str, _Held[Spec]] = OrderedDict()
        self._bytes = self._count = 0
        self._lock = Lock()

    def get(self, key: str) -> Spec | None:
        """The spec of this key, if it is there."""
        with self._lock:
            if key in self._last:
                self._last.move_to_end(key)
            return self._alive.get(key)

    def keep(self, key: str, spec: Spec, size: int) -> Spec:
        """The spec of this key that is there, else this one, which came in `size` bytes."""
        with self._lock:
            found = self._alive.get(key)
            if found is not None:
                return found  # another thread was faster
            self._alive[key], self._last[key] = spec, _Held(spec, size)
            self._bytes += size
            while len(self._last) > SPECS_HELD or self._takes_too_much():
                self._bytes -= self._last.popitem(last=False)[1].size
            self._count += 1
            many = self._count % SPECS_UNTIL_FORGOTTEN == 0
        if many:
            clear_caches()  # of programs that are gone
        return spec

    def _takes_too_much(self) -> bool:
        """Whether specs came in more bytes than are held; the last one is, whatever it takes."""
        return self._bytes > SPECS_HELD_BYTES and len(self._last) > 1

    def clear(self) -> None:
        """Let go of all."""
        with self._lock:
            self._alive.clear()
            self._last.clear()
            self._bytes = 0
