"""Places where plans are measured: what they are made for, how one is run, which clock counts."""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple
from unittest.mock import patch

import dask
import distributed

from dask_tapestry.arrays.planning.plan import Plan
from dask_tapestry.planner.machine.resources import Resources, current
from dask_tapestry_kernels.blas_threads import threads_each

WORKERS = 2
PATIENCE = 20.0  # seconds until results that were dropped are gone
# By default Dask drops copies every other second: some runs would find what others must fetch.
KEEP_COPIES = {"distributed.scheduler.active-memory-manager.start": False}


def _as_it_is() -> None:
    """Nothing is left of a run that another one could find."""


class Place(NamedTuple):
    """Where plans run.

    `restore` takes away what earlier runs left, so that each run does the same work.
    """

    resources: Resources
    run: Callable[[Plan], object]
    clock: Callable[[], float] = time.perf_counter
    restore: Callable[[], None] = _as_it_is


def timed(place: Place, plan: Plan) -> float:
    """Seconds of one run."""
    place.restore()
    start = place.clock()
    place.run(plan)
    return place.clock() - start


@contextmanager
def on_threads() -> Iterator[Place]:
    """Run plans on all threads of this process."""
    yield Place(current(), lambda plan: plan.compute(scheduler="threads"))


@contextmanager
def on_one() -> Iterator[Place]:
    """Run plans on one thread; seconds are those of the processor."""
    one = Resources(workers=1, threads=1, local=True)
    with threads_each(1):
        yield Place(one, lambda plan: plan.compute(scheduler="sync"), time.process_time)


@contextmanager
def on_cluster() -> Iterator[Place]:
    """Run plans on the workers of a cluster on this machine, and leave results there."""
    with (
        patch.dict(os.environ, DASK_TAPESTRY_KERNELS="wait"),  # of the workers
        dask.config.set(KEEP_COPIES),
        distributed.LocalCluster(
            n_workers=WORKERS, threads_per_worker=1, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        workers = Workers(client)
        yield Place(current(), workers.run, restore=workers.restore)


PLACES = {"threads": on_threads, "cluster": on_cluster, "one": on_one}


class Workers:
    """Those of a cluster, on which the same blocks lie before each run.

    Results are released when they are dropped, a while later, and copies of what a worker has
    fetched stay as long as the block: the next run of a plan could find both.
    """

    def __init__(self, client: distributed.Client) -> None:
        self._client = client
        self._homes: dict[Any, str] = {}  # of blocks: the workers on which they were at first
        self._results: list[Any] = []

    def run(self, plan: Plan) -> None:
        """Compute a plan's results, and drop them."""
        result = plan.persist()
        distributed.wait(result)
        self._results = [future.key for future in distributed.futures_of(result)]

    def restore(self) -> None:
        """Wait until the last results are released, and drop copies of blocks."""
        end = time.perf_counter() + PATIENCE
        while self._client.run_on_scheduler(is_known, keys=self._results):
            if time.perf_counter() > end:
                raise RuntimeError(f"somebody holds {self._results}, which a run would find")
            gc.collect()  # what holds a result may be part of a cycle
        self._homes = self._client.run_on_scheduler(drop_copies, homes=self._homes)
        self._client.run(int)  # a round trip: workers have done so


def is_known(dask_scheduler: Any, keys: list[Any]) -> bool:
    """Whether the scheduler has any of the tasks."""
    return any(key in dask_scheduler.tasks for key in keys)


def drop_copies(dask_scheduler: Any, homes: dict[Any, str]) -> dict[Any, str]:
    """Drop all copies of blocks but those on the workers where they were at first.

    Returns
    -------
    dict
        Where all blocks are now.
    """
    kept: dict[Any, str] = {}
    for key, task in dask_scheduler.tasks.items():
        here = [worker.address for worker in task.who_has or ()]
        if here:
            kept[key] = homes[key] if homes.get(key) in here else here[0]
            for address in here:
                if address != kept[key]:
                    dask_scheduler.request_remove_replicas(address, [key], stimulus_id="measured")
    return kept
