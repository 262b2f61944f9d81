"""Progress of a job: parts that are done, and what remains by the plan and by measures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from dask_tapestry.diagnostics.step_text import counted
from dask_tapestry.diagnostics.tuning import (
    FULL_MEMORY,
    IDLE_THREADS,
    MOST_CORRECTION,
    TRUSTED_SHARE,
)
from dask_tapestry.lower.job import label_of
from dask_tapestry.planner.replan import differs

Report = Mapping[str, Any]  # of a job or of a step, as `lower.job_watch` reports them
WORDS: Final = {
    "compute": "computing",
    "network": "bytes that move between workers",
    "store": "reading and writing stores",
    "tasks": "handling of tasks by the scheduler",
    "link": "bytes between workers and their devices",
    "memory": "memory of the workers",
}


class JobProgress(NamedTuple):
    """How far a job is.

    Attributes
    ----------
    done
        Part of its predicted seconds that has been worked off: 0 to 1.
    elapsed, remaining
        Seconds since it began, and those that it may still take.
    correction
        Measured seconds for each predicted one, as far as can be told.
    limit
        What limits it now, in words.
    """

    done: float
    elapsed: float
    remaining: float
    correction: float
    limit: str


def part_done(step: Report) -> float:
    """Part of a step's tasks that are done: 0 to 1.

    Examples
    --------
    >>> part_done({"blocks": 4, "measured": {"tasks": 4, "done": 1}})
    0.25
    """
    measured = step["measured"]
    return float(measured["done"]) / float(max(1, measured["tasks"] or step["blocks"]))


def bytes_made(step: Report) -> int:
    """Bytes of a step's results so far, or of a write those that are stored.

    Examples
    --------
    >>> measured = {"tasks": 4, "done": 1, "bytes": 16}
    >>> bytes_made({"blocks": 4, "result": 0, "written": 4000, "measured": measured})
    1000
    """
    is_write = step["written"] and not step["result"]
    return round(step["written"] * part_done(step)) if is_write else int(step["measured"]["bytes"])


def progress_of(job: Report, now: Report | None = None) -> JobProgress:
    """How far a job is; `now` is what its scheduler tells of all workers."""
    steps: Sequence[Report] = job["steps"]
    predicted = sum(step["seconds"] for step in steps)
    worked = sum(step["seconds"] * part_done(step) for step in steps)
    elapsed = max(0.0, (job["end"] or job["now"]) - job["begin"])
    if job["state"] == "done":
        return JobProgress(1.0, elapsed, 0.0, elapsed / predicted if predicted else 1.0, "")
    trust = TRUSTED_SHARE * predicted
    found = (elapsed + trust) / (worked + trust) if predicted else 1.0
    correction = min(MOST_CORRECTION, max(1 / MOST_CORRECTION, found))
    done = worked / predicted if predicted else 0.0
    return JobProgress(
        done, elapsed, (predicted - worked) * correction, correction, _limit(job, now)
    )


def critical(job: Report) -> Report | None:
    """The running step from which the longest way leads to the end, by predicted seconds.

    None where no step runs.
    """
    steps: Sequence[Report] = job["steps"]
    ways = [step["seconds"] * (1 - part_done(step)) for step in steps]
    for number in reversed(range(len(steps))):
        for read in steps[number]["reads"]:
            if read < number:  # producers come first
                own = steps[read]["seconds"] * (1 - part_done(steps[read]))
                ways[read] = max(ways[read], own + ways[number])
    running = [n for n, step in enumerate(steps) if step["measured"]["running"]]
    return steps[max(running, key=lambda n: ways[n])] if running else None


def _limit(job: Report, now: Report | None) -> str:
    """What limits a job that runs: what its critical step takes most of, as measured if it is."""
    step = critical(job)
    running = [] if step is None else [step]
    if now is not None and now.get("fullest", 0.0) > FULL_MEMORY:
        return "memory"
    waiting = any(s["measured"]["open"] > s["measured"]["running"] for s in job["steps"])
    if now is not None and waiting and now["busy"] < IDLE_THREADS * now["threads"]:
        return "tasks"
    kinds = dict.fromkeys(("compute", "network", "store", "tasks", "link"), 0.0)
    for step in running or [s for s in job["steps"] if part_done(s) < 1]:
        for kind, seconds in step["kinds"].items():
            kinds[kind] += seconds
    moved = sum(s["measured"]["transfer"] for s in running)
    if moved > sum(s["measured"]["compute"] for s in running):
        return "network"
    return max(kinds, key=lambda kind: kinds[kind])


def sentence(job: Report, progress: JobProgress, now: Report | None = None) -> str:
    """What limits a job now, or how it ended; and whether it was planned for other workers.

    `now` is what its scheduler tells of all workers.

    Examples
    --------
    >>> job = {"state": "done", "steps": []}
    >>> sentence(job, JobProgress(1, 2.0, 0, 1, ""))
    'The job is done.'
    """
    if job["state"] == "failed":
        wrong = [label_of(s) for s in job["steps"] if s["measured"]["erred"]]
        return f"The job has failed in {', '.join(wrong)}."
    if job["state"] != "running":
        return "The job is done." if job["state"] == "done" else "The job was cancelled."
    step = critical(job)
    where = "" if step is None else f" in {label_of(step)}"
    return f"Now limited by {WORDS[progress.limit]}{where}.{_another_number(job, now)}"


def _another_number(job: Report, now: Report | None) -> str:
    """What is said where workers are more than twice those of the plan, or less than half."""
    there = 0 if now is None else int(now.get("workers", 0))
    if not there or not differs(int(job["workers"]), there):
        return ""
    return (
        f" It is planned for {counted(job['workers'], 'worker')} and has {there:,}: a write with "
        "resume=True is planned again, of any other the plan stays."
    )
