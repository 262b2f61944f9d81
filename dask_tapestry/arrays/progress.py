"""Watching what is computed: progress by the steps of plans."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack
from time import sleep, time
from types import TracebackType
from typing import Any, TextIO

from dask.base import is_dask_collection

from dask_tapestry.arrays.core.docstrings import write_out
from dask_tapestry.arrays.tuning import POLL_SECONDS
from dask_tapestry.diagnostics.job_page import jobs_html
from dask_tapestry.diagnostics.job_text import job_lines
from dask_tapestry.diagnostics.local_jobs import LocalJobs
from dask_tapestry.diagnostics.progress_drawing import ProgressDrawing, in_notebook
from dask_tapestry.errors import ArgumentTypeError, PlanError
from dask_tapestry.lower.cluster_jobs import jobs_of
from dask_tapestry.planner.machine.resources import live_client

__all__ = ["ProgressBar", "progress"]


class ProgressBar:
    """Inside a ``with`` block, what is computed shows its progress, step by step.

    Each step has the words and the line of the user, tasks that are done and bytes of its results;
    the time that remains is the plan's, corrected by what was measured so far. A terminal is drawn
    over, a log has a line every ten seconds, a notebook a table.

    {Parameters}
        file: Where to write; by default to standard output.
        every: Seconds between drawings.
    {See Also} progress

    Examples
    --------
    >>> import dask_tapestry as dt, io
    >>> log = io.StringIO()
    >>> with dt.ProgressBar(log):
    ...     total = dt.ones((1000, 1000)).sum().compute()
    >>> "The job is done." in log.getvalue()
    True
    """

    def __init__(self, file: TextIO | None = None, every: float | None = None) -> None:
        self._file, self._every = file, every
        self._here, self._since = LocalJobs(), 0.0
        self._stack = ExitStack()
        self._last: Mapping[str, Any] | None = None

    @property
    def report(self) -> dict[str, Any]:
        """Jobs since the block was entered, the last first: steps, tasks, seconds and bytes."""
        return dict(self._last if self._last is not None else self._jobs())

    def _jobs(self) -> Mapping[str, Any]:
        here, client = self._here.report(), live_client()
        if client is None or client.asynchronous:
            return here
        there = jobs_of(client)
        mine = [job for job in there["jobs"] if job["made"] >= self._since]
        return {**there, "jobs": [*mine, *here["jobs"]]}

    def __enter__(self) -> ProgressBar:
        self._since, self._last = time(), None
        self._stack.enter_context(self._here.counting())
        self._drawing = ProgressDrawing(self._jobs, self._file, self._every)
        self._drawing.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()
        self._drawing.stop()
        self._last = self._jobs()

    def __repr__(self) -> str:
        jobs = self.report["jobs"]
        text = "\n".join(line for job in reversed(jobs) for line in job_lines(job))
        return text or "<ProgressBar: no job yet>"

    def _repr_html_(self) -> str:
        return jobs_html(self.report)


class Watched:
    """Jobs on a cluster, as `progress` returns them."""

    def __init__(self, client: Any, keys: Collection[Any]) -> None:
        self._client, self._keys = client, keys
        self._groups = frozenset(map(_group, keys))
        self._last: Mapping[str, Any] = {"jobs": []}

    @property
    def report(self) -> Mapping[str, Any]:
        """What is measured of the jobs now: steps, tasks, seconds and bytes."""
        try:
            asked = jobs_of(self._client)
        except OSError:
            return self._last  # the scheduler has gone: what was heard last
        self._last = {**asked, "jobs": [j for j in asked["jobs"] if self._is_mine(j)]}
        return self._last

    def _is_mine(self, job: Mapping[str, Any]) -> bool:
        names = {*job["also"], *[step["name"] for step in job["steps"]]}
        return not self._groups.isdisjoint(names)

    @property
    def done(self) -> bool:
        """Whether no job of these runs any more.

        A job that the scheduler has not met yet is none that it tells of: futures are asked, too.
        """
        known = [self._client.futures.get(key) for key in self._keys]
        if any(state is not None and state.status == "pending" for state in known):
            return False
        return all(job["state"] != "running" for job in self.report["jobs"])

    def wait(self, file: TextIO | None = None, every: float | None = None) -> None:
        """Draw until the jobs have ended."""
        drawing = ProgressDrawing(lambda: self.report, file, every)
        drawing.start()
        try:
            while not self.done:
                sleep(POLL_SECONDS)
        finally:
            drawing.stop()

    def __repr__(self) -> str:
        report = self.report
        lines = [line for job in reversed(report["jobs"]) for line in job_lines(job, report)]
        return "\n".join(lines) or "<progress: no job of these futures is known>"

    def _repr_html_(self) -> str:
        return jobs_html(self.report)


def progress(
    *futures: Any,
    notebook: bool | None = None,
    file: TextIO | None = None,
    every: float | None = None,
) -> Watched | None:
    """Show how far jobs are that run on a cluster, step by step.

    {Parameters}
        *futures: Futures of ``client.compute``, persisted arrays, or lists of them.
        notebook: Whether to return at once an object that a notebook shows; by default in
            notebooks. Else this function draws in the terminal, and returns when the jobs have
            ended.
        file, every: Where to draw, and how many seconds apart.
    {Returns} Watched or None: In a notebook what shows the progress; its ``report`` has the
        numbers.
    {Raises} TypeError: For what is not computed on a cluster.
    {See Also} ProgressBar, distributed.progress
    {Examples}
    >>> try:
    ...     dt.progress(dt.ones(3))
    ... except TypeError as error:
    ...     print(str(error).partition(":")[0])
    progress needs futures or persisted arrays of a cluster
    """
    watched_futures = list(_futures(futures))
    client = getattr(watched_futures[0], "client", None) if watched_futures else None
    if client is None:
        raise ArgumentTypeError(
            "progress needs futures or persisted arrays of a cluster: use dt.ProgressBar() around "
            "what is computed here"
        )
    if client.asynchronous:
        raise PlanError(
            "progress blocks: with an asynchronous client, look at the dashboard, page /tapestry"
        )
    watched = Watched(client, {one.key for one in watched_futures})
    if in_notebook() if notebook is None else notebook:
        return watched
    watched.wait(file, every)
    return None


def _futures(value: Any) -> Iterator[Any]:
    """All futures in what is given."""
    if isinstance(value, list | tuple | set | frozenset):
        for entry in value:
            yield from _futures(entry)
    elif hasattr(value, "key") and hasattr(value, "client"):
        yield value
    elif is_dask_collection(value):
        yield from _of_graph(value.__dask_graph__())


def _of_graph(graph: Mapping[Any, Any]) -> Iterator[Any]:
    for task in graph.values():
        found = getattr(task, "value", task)
        if hasattr(found, "key") and hasattr(found, "client"):
            yield found


def _group(key: Any) -> str:
    return str(key[0] if isinstance(key, tuple) else key)


write_out(__name__)
