"""Local jobs, by Dask's schedulers of this process: the same report as of a cluster's."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from threading import Lock
from time import monotonic, time
from typing import Any, Final, Protocol

from dask.sizeof import sizeof
from dask.system import CPU_COUNT

from dask_tapestry.diagnostics.tuning import JOBS_REMEMBERED, MEMORY_LOOK_SECONDS
from dask_tapestry.lower.cancellation import CancellationCallback
from dask_tapestry.lower.cluster_jobs import jobs_of
from dask_tapestry.lower.job import Job, fingerprint
from dask_tapestry.lower.job_announcements import forget, peek_announced, recording
from dask_tapestry.planner.machine.resources import computing_with, live_client
from dask_tapestry.planner.plan import PlannedGraph

STATUS: Final = Path("/proc/self/statm")
PAGE: Final = 4096
NOTHING: Final = {
    "tasks": 0, "done": 0, "running": 0, "memory": 0, "erred": 0, "open": 0, "runs": 0,
    "compute": 0.0, "transfer": 0.0, "bytes": 0, "start": 0.0, "stop": 0.0, "peak": 0,
}  # fmt: skip


_ended: OrderedDict[str, dict[str, Any]] = OrderedDict()  # by plan, the last job of each


class LocalJobs(CancellationCallback):
    """Counts what the tasks of jobs take in this process, while it is used as a context."""

    def __init__(self) -> None:
        super().__init__(  # type: ignore[no-untyped-call]
            start=self._begin,
            pretask=self._task_begins,
            posttask=self._task_ended,
            finish=self._end,
        )
        self.jobs: OrderedDict[str, dict[str, Any]] = OrderedDict()
        self._steps: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {}
        self._began: dict[Any, float] = {}
        self._lock, self._looked, self._base = Lock(), 0.0, resident_bytes()

    @contextmanager
    def counting(self) -> Iterator[LocalJobs]:
        """Inside a ``with`` block, jobs are counted."""
        with recording(self), self.looking():
            yield self

    def _begin(self, tasks: Mapping[Any, Any]) -> None:
        groups = Counter(key[0] for key in tasks if type(key) is tuple)
        for told in peek_announced(groups):
            self._adopt(told, groups)

    def _adopt(self, announced: Job, groups: Mapping[str, int]) -> None:
        steps = []
        for step in announced["steps"]:
            count = groups.get(step["name"], 0)
            steps.append({**step, "measured": {**NOTHING, "tasks": count, "open": count}})
        job = {**announced, "begin": time(), "end": 0.0, "state": "running", "steps": steps}
        job["by_worker"] = {"this process": {"peak": 0, "grown": 0, "limit": announced["memory"]}}
        with self._lock:
            self.jobs[announced["id"]] = job
            self._steps.update({step["name"]: (step, job) for step in steps})
            while len(self.jobs) > JOBS_REMEMBERED:
                self._drop(self.jobs.popitem(last=False)[1])

    def _drop(self, job: dict[str, Any]) -> None:
        for name in [str(step["name"]) for step in job["steps"]]:
            if name in self._steps and self._steps[name][1] is job:
                del self._steps[name]

    def _task_begins(self, key: Any, tasks: Any, state: Any) -> None:
        found = self._steps.get(key[0]) if type(key) is tuple else None
        if found is not None:
            self._began[key] = now = time()
            measured = found[0]["measured"]
            measured["running"] += 1
            measured["start"] = measured["start"] or now

    def _task_ended(self, key: Any, result: Any, tasks: Any, state: Any, worker: Any) -> None:
        found = self._steps.get(key[0]) if type(key) is tuple else None
        if found is None:
            return
        (step, job), now = found, time()
        measured = step["measured"]
        measured["compute"] += now - self._began.pop(key, now)
        measured["running"] -= 1
        for name in ("done", "runs"):
            measured[name] += 1
        measured["open"] -= 1
        measured["stop"] = now
        measured["bytes"] += sizeof(result)
        self._look(measured, job)

    def _look(self, measured: dict[str, Any], job: dict[str, Any]) -> None:
        now = monotonic()
        if now - self._looked < MEMORY_LOOK_SECONDS:
            return
        self._looked = now
        used = resident_bytes()
        grown = max(0, used - self._base)
        seen = job["by_worker"]["this process"]
        seen["peak"], seen["grown"] = max(seen["peak"], used), max(seen["grown"], grown)
        measured["peak"] = max(measured["peak"], grown)

    def _end(self, tasks: Mapping[Any, Any], state: Any, failed: bool) -> None:
        groups = {key[0] for key in tasks if type(key) is tuple}
        for job in self.jobs.values():
            if job["state"] == "running" and any(s["name"] in groups for s in job["steps"]):
                job["end"], job["state"] = time(), "failed" if failed else "done"
                for step in job["steps"]:
                    if failed and step["measured"]["running"]:
                        step["measured"]["erred"] = 1
                    step["measured"]["running"] = 0
                self._drop(job)
                forget(job["id"])
                _keep(job)

    def report(self) -> dict[str, Any]:
        """All jobs that are remembered, the last one first."""
        now = time()
        with self._lock:
            jobs = [{**job, "now": now} for job in reversed(self.jobs.values())]
        busy = sum(step["measured"]["running"] for job in jobs for step in job["steps"])
        return {"now": now, "threads": CPU_COUNT, "busy": busy, "fullest": 0.0, "jobs": jobs}


class Computed(Protocol):
    """A plan as users have it."""

    core: PlannedGraph


@contextmanager
def counted_here(scheduler: Any, computed: Computed | None = None) -> Iterator[None]:
    """Inside, jobs are counted that this `scheduler` of Dask runs, or the usual one: see `last_of`.

    A cluster's scheduler counts its own: of a plan that is `computed` there, what it has counted is
    kept here, for when the cluster is closed.
    """
    with computing_with(scheduler), ExitStack() as stack:
        client = live_client()
        if client is None:
            stack.enter_context(LocalJobs().counting())
        yield
        if computed is not None and client is not None and not client.asynchronous:
            with suppress(OSError):  # a scheduler that has gone by now
                for job in jobs_of(client, fingerprint(computed.core))["jobs"]:
                    _keep(job)


def _keep(job: dict[str, Any]) -> None:
    _ended[job["plan"]] = job
    _ended.move_to_end(job["plan"])
    while len(_ended) > JOBS_REMEMBERED:
        _ended.popitem(last=False)


def last_of(plan: str) -> dict[str, Any] | None:
    """The last job of a plan, by its fingerprint, that was counted in this process."""
    return _ended.get(plan)


def resident_bytes() -> int:
    """Bytes of memory that this process has now; 0 where the system does not tell.

    Examples
    --------
    >>> resident_bytes() >= 0
    True
    """
    try:
        return int(STATUS.read_text().split()[1]) * PAGE
    except (OSError, IndexError, ValueError):
        return 0
