"""Jobs whose cluster grows beyond twice its workers, or loses half: stopped and planned again.

That is done with writes that are resumed alone: what is written stays, and what is left is planned
for the workers that are there. Of other jobs the dashboard's page says it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from threading import Event, Thread
from time import monotonic
from typing import Any, TypeVar

from dask_tapestry.imports import asyncio
from dask_tapestry.lower.tuning import SETTLED_SECONDS, WORKERS_LOOK_SECONDS
from dask_tapestry.planner.machine.resources import Resources, workers_of
from dask_tapestry.planner.plan import PlannedGraph
from dask_tapestry.planner.replan import differs, is_worth_it, replanned
from dask_tapestry.teg import Sink

V = TypeVar("V")


def goes_on(plan: PlannedGraph) -> bool:
    """Whether all that a plan is for are writes that are resumed."""
    sinks = [x.operator for x in plan.written if isinstance(x.operator, Sink)]
    effects = all(plan.is_effect(root) for root in plan.graph.roots)
    return effects and bool(sinks) and all(sink.resumes for sink in sinks)


class WorkerCountWatch:
    """Looks how many workers a job has, and stops it when there are others for long.

    Parameters
    ----------
    plan
        Of the job.
    client
        Whose workers run it.
    """

    def __init__(self, plan: PlannedGraph, client: Any) -> None:
        self.plan, self.client = plan, client
        self.there: Resources | None = None  # for which the job is to be planned again

    @contextmanager
    def cancelling(self, futures: Iterable[Any]) -> Iterator[None]:
        """Inside a ``with`` block these futures are cancelled when there are other workers."""
        own = list(futures)
        if not own or not goes_on(self.plan):
            yield
            return
        ended = Event()
        thread = Thread(target=self._look, args=(own, ended), daemon=True, name="tapestry-watch")
        thread.start()
        try:
            yield
        finally:
            ended.set()

    def _look(self, futures: list[Any], ended: Event) -> None:
        worker_count, since = self.plan.resources.workers, monotonic()
        while not ended.wait(WORKERS_LOOK_SECONDS):
            try:
                workers = workers_of(self.client)
            except Exception:  # a scheduler that has gone is told by who waits for the futures
                return
            if workers is None or workers.workers != worker_count:
                worker_count, since = workers.workers if workers else 0, monotonic()
            elif (
                differs(self.plan.resources.workers, worker_count)
                and monotonic() - since >= SETTLED_SECONDS
            ):
                if is_worth_it(self.plan, workers) and not ended.is_set():
                    self.there = workers
                    self.client.cancel(futures, force=True)
                return


def replanned_on_change(
    plan: PlannedGraph, client: Any, run: Callable[[PlannedGraph, WorkerCountWatch], V]
) -> V:
    """Run a plan; again for the workers that are there, as often as it was stopped for that."""
    while True:
        watch = WorkerCountWatch(plan, client)
        try:
            return run(plan, watch)
        except (CancelledError, asyncio.CancelledError):
            if watch.there is None:
                raise
            plan = replanned(plan, watch.there)
