"""Leases: what computes need of this process for as long as their results may come.

It is kept for as long as a graph that needs it exists, and then for as long as there are futures of
results: tasks of a cluster may be repeated until these are there.
"""

from __future__ import annotations

from logging import getLogger
from typing import Any, Generic, Protocol, TypeVar
from weakref import WeakValueDictionary, finalize

from dask_tapestry.imports import asyncio
from dask_tapestry.lower.dask_private import live_clients
from dask_tapestry.lower.tuning import SWEEP_SECONDS


class LeasedItem(Protocol):
    """Something that tasks need.

    Attributes
    ----------
    name
        Which no other has.
    results
        Keys of the results that need it; None: all may.
    """

    name: str
    results: frozenset[Any] | None

    def ended(self) -> None:
        """Nobody needs it any more."""


class Lease:
    """The right to submit what needs some things: held by graphs, expressions, kept results.

    `registry` has the things; None in another process, which cannot hold what is here.
    """

    def __init__(self, registry: Leases[Any] | None = None) -> None:
        self.registry = registry

    def __reduce__(self) -> tuple[Any, ...]:
        return Lease, ()


T = TypeVar("T", bound=LeasedItem)


class Leases(Generic[T]):
    """The registry of what is lent."""

    def __init__(self) -> None:
        self._lent: dict[str, T] = {}
        self._let: WeakValueDictionary[str, Lease] = WeakValueDictionary()

    def __len__(self) -> int:
        return len(self._lent)

    def lease(self) -> Lease:
        """A lease on what is put with it, which ends when nobody holds the lease any more."""
        lease = Lease(self)
        finalize(lease, self._ended).atexit = False
        return lease

    def put(self, one: T, lease: Lease) -> T:
        """Keep something until its lease has ended, and the results that need it are there."""
        self._let[one.name] = lease
        self._lent[one.name] = one
        return one

    def sweep(self) -> bool:
        """Drop what nobody can ask for any more; return whether a lease has ended of what is left.

        It is asked for until the results that need it are there, or nobody wants them.
        """
        wanted: set[Any] = set()
        for client in live_clients():
            wanted.update(client.futures)
        ended = [o for o in list(self._lent.values()) if o.name not in self._let]
        left = [o for o in ended if (wanted if o.results is None else wanted & o.results)]
        for one in ended:
            if one not in left and self._lent.pop(one.name, None) is not None:
                _end(one)  # once, though another thread may have been here
        return bool(left)

    def clear(self) -> None:
        """Drop all: the process ends."""
        while self._lent:
            _end(self._lent.popitem()[1])

    def _ended(self) -> None:
        """A lease has ended, at any point of any thread: its things are looked after elsewhere."""
        clients = live_clients() if self._lent else []
        if clients:
            clients[0].loop.add_callback(self._sweep_by_turns)
        else:
            self.sweep()

    async def _sweep_by_turns(self) -> None:
        while self.sweep():
            await asyncio.sleep(SWEEP_SECONDS)


def _end(one: LeasedItem) -> None:
    """End one; what goes wrong with it keeps no other from ending."""
    try:
        one.ended()
    except Exception as error:
        getLogger(__name__).warning("%s is left behind: %s", one.name, error)
