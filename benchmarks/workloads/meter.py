"""What a run takes besides time: processors' seconds, seconds of planning, and tasks."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from dask.callbacks import Callback


class Meter:
    """Counts what runs take: of this process, and of a client's workers where there is one.

    Attributes
    ----------
    planning
        Seconds in which this library planned.
    tasks
        Tasks of the graphs that ran, in this process or on the client's scheduler.
    """

    def __init__(self, client: Any = None) -> None:
        self.client = client
        self.planning = 0.0
        self.tasks = 0

    def cpu_seconds(self) -> float:
        """Processors' seconds so far, of all threads of all processes that compute."""
        workers = {} if self.client is None else self.client.run(time.process_time)
        return float(time.process_time() + sum(workers.values()))

    @contextmanager
    def planning_timed(self) -> Iterator[None]:
        """Add up what this library plans in a ``with`` block."""
        from dask_tapestry.planner import cache, long_jobs

        plan_of = cache.plan_of

        def timed(*graph: Any) -> Any:
            begin = time.perf_counter()
            try:
                return plan_of(*graph)
            finally:
                self.planning += time.perf_counter() - begin

        with patch.object(cache, "plan_of", timed), patch.object(long_jobs, "plan_of", timed):
            yield

    @contextmanager
    def tasks_counted(self) -> Iterator[None]:
        """Count the tasks of what runs in a ``with`` block.

        It looks on as a progress bar does, and so is no block whose seconds should count: what is
        brief enough to be computed without Dask's scheduler is not while somebody looks on.
        """
        if self.client is None:
            with Callback(start=self._begun):
                yield
            return
        self.client.run_on_scheduler(_keep_count)
        yield
        self.tasks += self.client.run_on_scheduler(_count)

    def _begun(self, graph: Any) -> None:
        self.tasks += len(graph)


def _keep_count(dask_scheduler: Any) -> None:
    """Let a scheduler count the tasks that graphs bring to it."""
    from distributed import SchedulerPlugin

    class Tasks(SchedulerPlugin):
        name = "tasks of workloads"
        count = 0

        def update_graph(self, scheduler: Any, *, tasks: Any, **_: Any) -> None:
            self.count += len(tasks)

    dask_scheduler.add_plugin(Tasks())


def _count(dask_scheduler: Any) -> int:
    """The tasks counted; the counting ends."""
    plugin = dask_scheduler.plugins["tasks of workloads"]
    dask_scheduler.remove_plugin(name=plugin.name)
    return int(plugin.count)
