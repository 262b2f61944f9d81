"""Folders of what computes have written for themselves: each goes when its compute has ended."""

from __future__ import annotations

import atexit
from dataclasses import field
from typing import Any, Final

from dask_tapestry.errors import StoreError
from dask_tapestry.io.sinks.temporary_sink import TemporarySink
from dask_tapestry.io.stores.temporary_folder import release
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.lower.leases import Lease, Leases
from dask_tapestry.planner.machine.resources import has_temporary_store
from dask_tapestry.planner.plan import PlannedGraph


@dataclass(eq=False)
class RunFolder:
    """The folder of one compute, which goes when its results are there."""

    name: str
    root: str
    results: frozenset[Any] | None = field(default=frozenset())

    def ended(self) -> None:
        """Remove the folder."""
        release(self.root, self.name)


RUN_FOLDERS: Final = Leases[RunFolder]()
atexit.register(RUN_FOLDERS.clear)


def exchanged_through(plan: PlannedGraph) -> TemporarySink | None:
    """One of the sinks by which a plan exchanges values through a store, if it has any."""
    operators = (step.program.instructions[-1:] for step in plan.steps.values())
    sinks = (one.operator for last in operators for one in last)
    return next((sink for sink in sinks if isinstance(sink, TemporarySink)), None)


def lease_of_folder(plan: PlannedGraph, client: Any) -> Lease | None:
    """The lease on the folder of the compute that a plan has been told of; None where it has none.

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
    RUN_FOLDERS.put(RunFolder(sink.run, sink.root))
    return Lease(RUN_FOLDERS)


def needed_for(lease: Lease, run: str, results: frozenset[Any] | None) -> None:
    """Say which keys' futures need the folder of a compute once its graph is gone."""
    folder = RUN_FOLDERS._lent[run]
    RUN_FOLDERS.lend(lease, [folder], results)
