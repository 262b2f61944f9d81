"""Temporary values that computes wrote for themselves: folders that go when these end."""

from __future__ import annotations

import atexit
import os
from dataclasses import field
from logging import getLogger
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any, Final, NamedTuple

from dask_tapestry.errors import StoreError
from dask_tapestry.io.sinks.temporary_sink import TemporarySink
from dask_tapestry.io.stores.temporary_folder import hide, remove, remove_left
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.lower.leases import Lease, Leases
from dask_tapestry.planner.machine.resources import has_temporary_store
from dask_tapestry.planner.plan import PlannedGraph


class Remover:
    """A thread that removes folders, one after the other.

    A lease may end while garbage is collected, at any point of any thread: even within the start of
    a thread, whose lock in CPython 3.11 (`_shutdown_locks_lock`) a second start would wait for. So
    the thread runs before, and is told by a queue that may be used anywhere.
    """

    def __init__(self) -> None:
        self._folders: SimpleQueue[str | None] = SimpleQueue()
        self._thread: Thread | None = None
        self._process, self._starting = 0, Lock()

    def start(self) -> None:
        """Let the thread run in this process, which may be a fork of one where it runs."""
        with self._starting:
            if self._process != os.getpid():
                self._process, self._folders = os.getpid(), SimpleQueue()
                self._thread = Thread(target=self._run, name="tapestry-remove", daemon=True)
                self._thread.start()

    def remove(self, folder: str) -> None:
        """Remove a folder soon."""
        self._folders.put(folder)

    def finish(self) -> None:
        """Wait until all are removed: the process ends."""
        if self._thread is not None and self._process == os.getpid():
            self._folders.put(None)
            self._thread.join()

    def _run(self) -> None:
        while (folder := self._folders.get()) is not None:
            try:
                remove(folder)
            except Exception as error:  # of a file system of any kind
                getLogger(__name__).warning("%s is left behind: %s", folder, error)


REMOVER: Final = Remover()


@dataclass(eq=False)
class RunFolder:
    """The folder of one compute, which goes when the compute has ended.

    Attributes
    ----------
    name, root
        The compute, and where its folder lies.
    results
        Keys of the results that need it, for as long as there are futures of them; None: any.
    process
        Number of the process whose compute it is; a fork has another.
    """

    name: str
    root: str
    results: frozenset[Any] | None = None
    process: int = field(default_factory=os.getpid)

    def ended(self) -> None:
        """Remove the folder: at once from sight, its cells by another thread."""
        if self.process != os.getpid():
            return
        hidden = hide(self.root, self.name)
        if hidden is not None:
            REMOVER.remove(hidden)


class FolderLease(NamedTuple):
    """The right to use a compute's folder."""

    lease: Lease
    folder: RunFolder

    def needed_for(self, results: frozenset[Any] | None) -> None:
        """Say which keys' futures need it once the graph is gone; None: any key's."""
        self.folder.results = results


RUN_FOLDERS: Final = Leases[RunFolder]()


@atexit.register
def _remove_all() -> None:
    RUN_FOLDERS.clear()
    REMOVER.finish()


def exchanged_through(plan: PlannedGraph) -> TemporarySink | None:
    """A sink by which a plan exchanges values through a store; None if it has none."""
    operators = (step.program.instructions[-1:] for step in plan.steps.values())
    sinks = (one.operator for last in operators for one in last)
    return next((sink for sink in sinks if isinstance(sink, TemporarySink)), None)


def lease_of_folder(plan: PlannedGraph, client: Any) -> FolderLease | None:
    """The lease on the folder of the compute that a plan has been told of; None where it has none.

    What processes of this machine have left there is removed.

    Raises
    ------
    StoreError
        If a client's workers may not all reach it.
    """
    sink = exchanged_through(plan)
    if sink is None:
        return None
    if client is not None and not has_temporary_store(client):
        raise StoreError(
            f"the plan exchanges a value through a store in {sink.root}, which workers on several "
            "machines may not share: the setting 'temporary-store' names a folder or a URL that "
            "all of them reach; Resources(temporary_store=False) plans without one"
        )
    remove_left(sink.root)
    REMOVER.start()
    lease = RUN_FOLDERS.lease()
    return FolderLease(lease, RUN_FOLDERS.put(RunFolder(sink.run, sink.root), lease))
