"""The watch of jobs on a scheduler: tasks, seconds, bytes and memory of each step.

Dask counts states, seconds and bytes of groups of tasks, and each step is one. So this adds to a
task no more than a count of its runs, and looks at workers twice a second while jobs run.
"""

from __future__ import annotations

from collections import OrderedDict
from importlib import import_module
from typing import Any, Final

from distributed.diagnostics.plugin import SchedulerPlugin
from distributed.metrics import time as scheduler_time
from tornado.ioloop import PeriodicCallback

from dask_tapestry.lower.job import Job
from dask_tapestry.lower.job_announcements import take_announced
from dask_tapestry.lower.tuning import JOBS_REMEMBERED, TICK_MILLISECONDS

NAME: Final = "tapestry-jobs"
PAGES: Final = "dask_tapestry.diagnostics.dashboard"  # imported by name: it is a layer above
ENDS: Final = ("memory", "erred")
OPEN: Final = ("waiting", "queued", "no-worker", "processing")


class WatchedStep:
    """The groups of tasks of one step; fetching in several rounds makes several of one name."""

    def __init__(self, told: dict[str, Any]) -> None:
        self.told, self.runs, self.failed, self.peak = told, 0, 0, 0
        self.groups: dict[str, list[Any]] = {}
        self.kept: dict[str, Any] | None = None

    def look_for(self, groups: Any) -> None:
        """Take the groups that the scheduler has now."""
        for name in (self.told["name"], *self.told["slices"]):
            found = groups.get(name)
            known = self.groups.setdefault(name, [])
            if found is not None and not any(found is one for one in known):
                known.append(found)

    def counts(self) -> dict[str, Any]:
        """What is measured of the step."""
        if self.kept is not None:
            return self.kept
        all_groups = [group for groups in self.groups.values() for group in groups]
        own = self.groups.get(self.told["name"], [])
        states = [group.states for group in own]
        total, open_ = sum(len(g) for g in own), _sum(states, OPEN)
        erred = max(self.failed, _sum(states, ("erred",)))
        durations = [group.all_durations for group in all_groups]
        return {
            "tasks": total,
            "done": max(0, min(total - open_ - erred, self.runs)),
            "running": _sum(states, ("processing",)),
            "memory": _sum(states, ("memory",)),
            "erred": erred,
            "open": _sum([group.states for group in all_groups], OPEN),
            "runs": self.runs,
            "compute": sum(float(d.get("compute", 0)) for d in durations),
            "transfer": sum(float(d.get("transfer", 0)) for d in durations),
            "bytes": sum(int(g.nbytes_total) for g in own),
            "start": min((g.start for g in all_groups if g.start), default=0.0),
            "stop": max((g.stop for g in all_groups), default=0.0),
            "peak": self.peak,
        }


class WatchedJob:
    """A job while it runs, and what remains of it afterwards: numbers, no tasks."""

    def __init__(self, told: Job, memory: dict[str, int]) -> None:
        self.told, self.base, self.state = told, memory, "running"
        self.begin, self.end = scheduler_time(), 0.0
        self.steps = [WatchedStep(step) for step in told["steps"]]
        self.workers: dict[str, dict[str, int]] = {}

    def look(self, scheduler: Any) -> None:
        """Take the memory of workers, and see whether the job has ended."""
        counts = [step.counts() for step in self.steps]
        running = [s for s, c in zip(self.steps, counts, strict=True) if c["running"]]
        for address, one in scheduler.workers.items():
            used = one.memory.process
            grown = max(0, used - self.base.setdefault(address, used))
            seen = self.workers.setdefault(address, {"peak": 0, "grown": 0, "limit": 0})
            seen["peak"], seen["grown"] = max(seen["peak"], used), max(seen["grown"], grown)
            seen["limit"] = int(one.memory_limit or 0)
            for step in running:
                step.peak = max(step.peak, grown)
        if not any(count["open"] for count in counts):
            self._close(counts)

    def _close(self, counts: list[dict[str, Any]]) -> None:
        self.end = max([c["stop"] for c in counts], default=0.0) or scheduler_time()
        whole = all(count["runs"] >= count["tasks"] - count["erred"] for count in counts)
        erred = any(count["erred"] for count in counts)
        self.state = "failed" if erred else "done" if whole else "cancelled"
        for step, count in zip(self.steps, counts, strict=True):
            step.kept = {**count, "peak": step.peak}
            step.groups.clear()

    def report(self) -> dict[str, Any]:
        """The job as plain data: what was told of it, and measured beside it."""
        steps = [{**step.told, "measured": step.counts()} for step in self.steps]
        begun = {"begin": self.begin, "end": self.end, "now": scheduler_time(), "state": self.state}
        return {**self.told, **begun, "steps": steps, "by_worker": self.workers}


class JobWatch(SchedulerPlugin):
    """Counts what the tasks of announced jobs take on one scheduler."""

    name = NAME

    def __init__(self, scheduler: Any) -> None:
        self.scheduler = scheduler
        self.jobs: OrderedDict[str, WatchedJob] = OrderedDict()
        self._steps: dict[str, WatchedStep] = {}
        self._ticks: Any = None
        scheduler.handlers["tapestry_jobs"] = self.report_to

    def update_graph(self, scheduler: Any, **_: Any) -> None:
        for told in take_announced(scheduler.task_groups):
            job = self.jobs.get(told["id"])
            if job is None or job.state != "running":
                memory = {a: one.memory.process for a, one in scheduler.workers.items()}
                job = self.jobs[told["id"]] = WatchedJob(told, memory)
            for step in job.steps:
                step.look_for(scheduler.task_groups)
                self._steps[step.told["name"]] = step
        while len(self.jobs) > JOBS_REMEMBERED:
            self._forget(*self.jobs.popitem(last=False))
        if self._ticks is None and self.running:
            self._ticks = PeriodicCallback(self.look, TICK_MILLISECONDS)
            self._ticks.start()

    def transition(self, key: Any, start: Any, finish: Any, *_: Any, **__: Any) -> None:
        if start == "processing" and finish in ENDS and type(key) is tuple:
            step = self._steps.get(key[0])
            if step is not None:
                step.runs += finish == "memory"
                step.failed += finish == "erred"

    @property
    def running(self) -> list[WatchedJob]:
        """Jobs that have not ended."""
        return [job for job in self.jobs.values() if job.state == "running"]

    def look(self) -> None:
        """Look at running jobs; without any, rest."""
        for job in self.running:
            job.look(self.scheduler)
            if job.state != "running":
                self._forget("", job)
        if not self.running and self._ticks is not None:
            self._ticks.stop()
            self._ticks = None

    def _forget(self, _: str, job: WatchedJob) -> None:
        for step in job.steps:
            if self._steps.get(step.told["name"]) is step:
                del self._steps[step.told["name"]]

    def report(self, plan: str = "") -> dict[str, Any]:
        """All jobs that are remembered, the last one first, and the workers now.

        Of those of one `plan`, given by its fingerprint, only the last.
        """
        self.look()
        known = list(reversed(self.jobs.values()))
        jobs = [job for job in known if job.told["plan"] == plan][:1] if plan else known
        workers = self.scheduler.workers.values()
        return {
            "now": scheduler_time(),
            "workers": len(workers),
            "threads": sum(one.nthreads for one in workers),
            "busy": sum(len(one.processing) for one in workers),
            "fullest": max(
                (one.memory.process / (one.memory_limit or 1e18) for one in workers), default=0.0
            ),
            "jobs": [job.report() for job in jobs],
        }

    async def report_to(self, comm: Any = None, plan: str = "") -> dict[str, Any]:
        """`report` for a client, of jobs of one plan if it names that; `comm` is Dask's."""
        return self.report(plan)

    async def close(self) -> None:
        if self._ticks is not None:
            self._ticks.stop()


def watch(scheduler: Any) -> JobWatch:
    """Have the jobs of a scheduler counted, and shown by its dashboard, from now on."""
    known = scheduler.plugins.get(NAME)
    if known is None:
        known = JobWatch(scheduler)
        scheduler.add_plugin(known, name=NAME, idempotent=True)
        scheduler.loop.add_callback(_show, scheduler, known)
    return known  # type: ignore[no-any-return]


def _show(scheduler: Any, watched: JobWatch) -> None:
    import_module(PAGES).show(scheduler, watched)


def _sum(states: list[Any], names: tuple[str, ...]) -> int:
    return sum(one[name] for one in states for name in names)
