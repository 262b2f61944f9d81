"""Progress of jobs as text: the line with a bar, in a terminal or a log."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from dask.utils import format_bytes

from dask_tapestry.diagnostics.job_progress import (
    Report,
    bytes_made,
    part_done,
    progress_of,
    sentence,
)
from dask_tapestry.diagnostics.step_text import duration
from dask_tapestry.diagnostics.tuning import BAR_SIGNS, JOB_LINES
from dask_tapestry.lower.job import label_of

ENDS: Final = {"done": "done", "failed": "failed", "cancelled": "cancelled"}


def bar(part: float, width: int = BAR_SIGNS) -> str:
    """A bar of which a part is full.

    Examples
    --------
    >>> bar(0.5, 4)
    '██··'
    """
    full = round(max(0.0, min(1.0, part)) * width)
    return "█" * full + "·" * (width - full)


def step_line(step: Report, width: int) -> str:
    """A step: its words and line, a bar, tasks, seconds and bytes."""
    measured, label = step["measured"], plain(label_of(step))[:width]
    tasks = f"{measured['done']:,}/{measured['tasks'] or step['blocks']:,}"
    erred = f"  {measured['erred']:,} failed" if measured["erred"] else ""
    count = bytes_made(step)
    made = f"  {format_bytes(count)}" if count else ""
    return f"  {label:<{width}} {bar(part_done(step))} {tasks:>13}{made}{erred}"


def head_line(job: Report, now: Report | None = None) -> str:
    """A job in one line: how far it is, how long it has taken, and what may remain."""
    told = progress_of(job, now)
    ended = ENDS.get(job["state"])
    left = ended or f"about {duration(told.remaining)} left"
    title = plain(job["title"])
    return f"{title}: {told.done:.0%}, {duration(told.elapsed)}, {left}"


def job_lines(job: Report, now: Report | None = None) -> list[str]:
    """A job, its steps, and what limits it."""
    steps: Sequence[Report] = _shown(job["steps"])
    width = max([len(plain(label_of(step))) for step in steps], default=0)
    hidden = len(job["steps"]) - len(steps)
    more = [f"  … and {hidden:,} more steps"] if hidden else []
    lines = [step_line(step, min(width, 48)) for step in steps]
    return [head_line(job, now), *lines, *more, f"  {sentence(job, progress_of(job, now), now)}"]


def _shown(steps: Sequence[Report]) -> Sequence[Report]:
    """The steps that are drawn: of many, those that run, and their neighbours."""
    if len(steps) <= JOB_LINES:
        return steps
    busy = [n for n, s in enumerate(steps) if 0 < part_done(s) < 1 or s["measured"]["running"]]
    first = max(0, min((busy[0] if busy else 0) - 1, len(steps) - JOB_LINES))
    return steps[first : first + JOB_LINES]


def plain(text: str) -> str:
    r"""A name without signs that a terminal would obey.

    Examples
    --------
    >>> plain("a\x1b[31mb")
    'a?[31mb'
    """
    return "".join(sign if sign.isprintable() else "?" for sign in text)
