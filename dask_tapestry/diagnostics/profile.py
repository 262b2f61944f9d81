"""The profile of a run: seconds and bytes beside the predicted ones, step by step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any, Final, NamedTuple

from dask.utils import format_bytes

from dask_tapestry.diagnostics.job_text import plain
from dask_tapestry.diagnostics.local_jobs import last_of
from dask_tapestry.diagnostics.step_text import duration
from dask_tapestry.diagnostics.tuning import LABEL_LETTERS
from dask_tapestry.errors import PlanError
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.lower.cluster_jobs import job_of
from dask_tapestry.lower.job import fingerprint, label_of
from dask_tapestry.planner.machine.resources import live_client
from dask_tapestry.planner.memory.simulate import simulate
from dask_tapestry.planner.plan import PlannedGraph

HEADS: Final = (
    "step", "tasks", "seconds", "predicted", "thread seconds", "result", "predicted", "peak",
    "predicted",
)  # fmt: skip
NONE: Final = "–"
STYLE: Final = (
    ".tp table{border-collapse:collapse}.tp th,.tp td{padding:3px 10px;text-align:right;"
    "white-space:nowrap;border-bottom:1px solid #e6e9ee}.tp th:first-child,.tp td:first-child"
    "{text-align:left}"
)


class StepProfile(NamedTuple):
    """A step, measured and predicted.

    Attributes
    ----------
    name
        Words and line of the user.
    tasks, done
        How many tasks it has, and how many of them ended well.
    seconds, predicted_seconds
        From its first task to the end of its last one, and the plan's estimate for it alone. Steps
        overlap, and share threads where they do.
    thread_seconds
        Seconds that its tasks took, of all threads together.
    transfer_seconds
        Seconds that workers waited for what these tasks read from other workers.
    bytes, predicted_bytes
        Of its results; 0 is predicted of what writes to a store.
    peak, predicted_peak
        The most that a worker's memory had grown by while it ran, other steps' values included, and
        what a simulated run of the plan holds in that time. Memory is looked at now and then: of
        what is short 0 is seen.
    """

    name: str
    tasks: int
    done: int
    seconds: float
    predicted_seconds: float
    thread_seconds: float
    transfer_seconds: float
    bytes: int
    predicted_bytes: int
    peak: int
    predicted_peak: int


@dataclass(frozen=True)
class Profile:
    """What a plan took when it ran, as `PlannedGraph.profile` returns it.

    Attributes
    ----------
    title
        The job, by the words and the line of its last step.
    state
        ``"running"``, ``"done"``, ``"failed"`` or ``"cancelled"``.
    seconds, predicted_seconds
        Of the whole job so far, and the sum of what the plan estimates for its steps.
    peak, predicted_peak
        Bytes by which the memory of a worker had grown at most, and the plan's bound for them.
    steps
        Each step, producers first.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> p = dt.plan(dt.arange(10**6).sum())
    >>> p.compute()
    np.int64(499999500000)
    >>> found = p.profile()
    >>> found.state, [step.done == step.tasks for step in found.steps][-1]
    ('done', True)
    """

    title: str
    state: str
    seconds: float
    predicted_seconds: float
    peak: int
    predicted_peak: int
    steps: tuple[StepProfile, ...]

    @property
    def headline(self) -> str:
        """State, seconds and memory in one line."""
        seen = f", peak {format_bytes(self.peak)}" if self.peak else ""
        return (
            f"{self.title}: {self.state}, {duration(self.seconds)}{seen}; predicted "
            f"{duration(self.predicted_seconds)}, peak {format_bytes(self.predicted_peak)} a worker"
        )

    def __repr__(self) -> str:
        rows = [HEADS, *map(_texts, self.steps)]
        rows = [(plain(row[0])[:LABEL_LETTERS], *row[1:]) for row in rows]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        return "\n".join([plain(self.headline), *[_aligned(row, widths) for row in rows]])

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{name}</th>" for name in HEADS)
        rows = "".join(
            f"<tr>{''.join(f'<td>{escape(text)}</td>' for text in _texts(step))}</tr>"
            for step in self.steps
        )
        return (
            f'<style>{STYLE}</style><div class="tp"><p>{escape(self.headline)}</p>'
            f"<table><tr>{head}</tr>{rows}</table></div>"
        )


def profile_of(plan: PlannedGraph) -> Profile:
    """What the last run of `plan` took, on the live cluster or in this process.

    Raises
    ------
    PlanError
        If no run of it is known.
    """
    job = _last_job(plan)
    measured = [(step, step["measured"]) for step in job["steps"]]
    steps = [
        StepProfile(
            label_of(planned_step),
            counts["tasks"] or planned_step["blocks"],
            counts["done"],
            max(0.0, counts["stop"] - counts["start"]),
            planned_step["seconds"],
            counts["compute"],
            counts["transfer"],
            counts["bytes"],
            planned_step["result"],
            counts["peak"],
            peak,
        )
        for (planned_step, counts), peak in zip(measured, _peaks(plan), strict=False)
    ]
    grown = max((one["grown"] for one in job["by_worker"].values()), default=0)
    seconds = max(0.0, (job["end"] or job["now"]) - job["begin"])
    return Profile(
        job["title"], job["state"], seconds, job["seconds"], grown, job["bound"], tuple(steps)
    )


def _last_job(plan: PlannedGraph) -> Mapping[str, Any]:
    if not plan.steps:
        raise PlanError("the plan has no steps: its results are computed already")
    name, client = fingerprint(plan), live_client()
    if client is not None and client.asynchronous:
        raise PlanError(
            "profile blocks: with an asynchronous client, look at the dashboard, page /tapestry"
        )
    here = last_of(name)
    there = job_of(client, name) if client is not None else None
    jobs = [job for job in (here, there) if job is not None]
    if not jobs:
        where = "on this cluster" if client is not None else "in this process"
        raise PlanError(
            f"no run of the plan is known {where}: p.compute() or p.persist() makes one, or "
            "dt.compute() of its arrays on a cluster or within dt.ProgressBar(); the last 50 are "
            "remembered"
        )
    return max(jobs, key=lambda job: float(job["begin"]))


def _peaks(plan: PlannedGraph) -> Iterator[int]:
    """The most that a worker holds while each step runs, as simulated."""
    run = simulate(plan)
    times = [moment.seconds for moment in run.moments]
    for step in run.steps:
        held = [
            moment.bytes
            for moment, end in zip(run.moments, [*times[1:], run.seconds], strict=True)
            if moment.seconds <= step.end and end >= step.begin
        ]
        yield round(max(held, default=0))


def _texts(step: StepProfile) -> tuple[str, ...]:
    tasks = f"{step.tasks:,}" if step.done == step.tasks else f"{step.done:,} of {step.tasks:,}"
    times = (step.seconds, step.predicted_seconds, step.thread_seconds)
    sizes = (step.bytes, step.predicted_bytes, step.peak, step.predicted_peak)
    return (
        step.name,
        tasks,
        *[duration(t) if t else NONE for t in times],
        *[format_bytes(n) if n else NONE for n in sizes],
    )


def _aligned(row: Sequence[str], widths: Sequence[int]) -> str:
    first, *others = (f"{text:>{width}}" for text, width in zip(row, widths, strict=True))
    return "  ".join([f"{row[0]:<{len(first)}}", *others])
