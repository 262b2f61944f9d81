"""The page of jobs as HTML, for dashboard and notebooks: a graph with progress, and a table.

Nothing of what users name is trusted: all texts are escaped.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any, Final

from dask.utils import format_bytes

from dask_tapestry.diagnostics.job_progress import (
    Report,
    bytes_made,
    part_done,
    progress_of,
    sentence,
)
from dask_tapestry.diagnostics.step_text import counted, duration
from dask_tapestry.diagnostics.tuning import BOX_LETTERS, JOBS_IN_FULL, MOST_JOB_STEPS_DRAWN
from dask_tapestry.lower.job import label_of

WIDE, HIGH, GAP, SPACE = 244, 46, 40, 14  # of a box of the graph, and between boxes
COLOURS: Final = {"running": "#2f6fb0", "done": "#3c8a5a", "failed": "#b23b3b", "cancelled": "#777"}
STYLE: Final = """
.tj{font:14px/1.45 system-ui,-apple-system,"Segoe UI",sans-serif;color:#1d2430;background:#fff;
 max-width:1400px;padding:4px 18px 18px}
.tj h1{font-size:20px;font-weight:600;margin:14px 0 4px}
.tj h2{font-size:16px;font-weight:600;margin:0}
.tj .job{border:1px solid #dfe4ea;border-radius:8px;padding:14px 18px;margin:14px 0}
.tj .state{float:right;color:#fff;border-radius:10px;padding:1px 10px;font-size:12px}
.tj .bar{background:#e8ecf1;border-radius:5px;height:10px;overflow:hidden;margin:8px 0}
.tj .bar i{display:block;height:100%;border-radius:5px}
.tj .facts{color:#556070}.tj .why{margin:2px 0 10px}
.tj .scroll{overflow-x:auto;margin:10px 0}
.tj table{border-collapse:collapse;width:100%;font-size:13px;margin-top:8px}
.tj th{font-weight:500;color:#556070;border-bottom:1px solid #cfd6de;text-align:right;
 padding:3px 5px}
.tj td{border-bottom:1px solid #eef1f4;text-align:right;padding:3px 5px;
 font-variant-numeric:tabular-nums;white-space:nowrap}
.tj th:first-child,.tj td:first-child{text-align:left}
.tj td .bar{width:70px;height:8px;margin:0 0 0 auto}
.tj .memory{display:grid;grid-template-columns:minmax(120px,max-content) 1fr max-content;
 gap:4px 12px;align-items:center;font-size:13px;max-width:760px}
.tj .memory .bar{position:relative;margin:0;overflow:visible}
.tj .memory b{position:absolute;top:-3px;bottom:-3px;width:2px;background:#b23b3b}
.tj svg{display:block}.tj svg text{font:12px system-ui,sans-serif}
"""


def jobs_html(report: Mapping[str, Any]) -> str:
    """All jobs of a scheduler, the last one first."""
    jobs: Sequence[Report] = report["jobs"]
    body = "".join(job_html(job, report) for job in jobs[:JOBS_IN_FULL])
    rest = "".join(f"<tr>{_job_row(job)}</tr>" for job in jobs[JOBS_IN_FULL:])
    if rest:
        head = "<tr><th>earlier jobs</th><th>state</th><th>measured</th><th>predicted</th></tr>"
        body += f'<div class="job"><table>{head}{rest}</table></div>'
    if not jobs:
        body = "<p>No job of dask_tapestry has run on this scheduler yet.</p>"
    return f'<style>{STYLE}</style><div class="tj"><h1>Jobs</h1>{body}</div>'


def job_html(job: Report, now: Report | None = None) -> str:
    """One job: how far it is, its graph, its steps, and the memory of workers."""
    progress, state = progress_of(job, now), str(job["state"])
    colour = COLOURS[state]
    left = f", about {duration(progress.remaining)} left" if state == "running" else ""
    facts = (
        f"{progress.done:.0%} · {duration(progress.elapsed)}{left} · predicted "
        f"{duration(job['seconds'])} on {counted(job['workers'], 'worker')} of "
        f"{counted(job['threads'], 'thread')}"
    )
    return (
        f'<div class="job"><span class="state" style="background:{colour}">{escape(state)}</span>'
        f"<h2>{escape(job['title'])}</h2>{_bar(progress.done, colour)}"
        f'<div class="facts">{escape(facts)}</div>'
        f'<p class="why">{escape(sentence(job, progress, now))}</p>'
        f'<div class="scroll">{graph_svg(job["steps"])}</div>'
        f"{steps_table(job['steps'])}{_memory(job)}</div>"
    )


def steps_table(steps: Sequence[Report]) -> str:
    """Measured beside predicted amounts of each step."""
    heads = (
        "step", "", "tasks", "seconds", "predicted", "thread seconds", "transfers",
        "result", "read", "moved", "written", "memory", "a block",
    )  # fmt: skip
    head = "".join(f"<th>{name}</th>" for name in heads)
    rows = "".join(f"<tr>{''.join(_cells(step))}</tr>" for step in steps)
    return f'<div class="scroll"><table><tr>{head}</tr>{rows}</table></div>'


def _cells(step: Report) -> Iterator[str]:
    measured = step["measured"]
    colour = COLOURS[
        "failed" if measured["erred"] else "done" if part_done(step) == 1 else "running"
    ]
    yield f"<td title='{escape(step['type'], True)}'>{escape(label_of(step))}</td>"
    yield f"<td>{_bar(part_done(step), colour)}</td>"
    yield f"<td>{measured['done']:,} / {measured['tasks'] or step['blocks']:,}</td>"
    wall = max(0.0, measured["stop"] - measured["start"])
    seconds = (wall, step["seconds"], measured["compute"], measured["transfer"])
    yield from (f"<td>{duration(s) if s else '–'}</td>" for s in seconds)
    amounts = (bytes_made(step), step["read"], step["moved"], step["written"])
    yield from (f"<td>{format_bytes(n) if n else '–'}</td>" for n in amounts)
    yield from (
        f"<td>{format_bytes(n) if n else '–'}</td>" for n in (measured["peak"], step["work"])
    )


def _bar(part: float, colour: str) -> str:
    percent = round(100 * max(0.0, min(1.0, part)), 1)
    return f'<div class="bar"><i style="width:{percent}%;background:{colour}"></i></div>'


def _job_row(job: Report) -> str:
    told = progress_of(job)
    return (
        f"<td>{escape(job['title'])}</td><td>{escape(job['state'])}</td>"
        f"<td>{duration(told.elapsed)}</td><td>{duration(job['seconds'])}</td>"
    )


def _memory(job: Report) -> str:
    """What workers' memory has grown by at most, against the plan's bound and their limits."""
    workers, bound = job["by_worker"], job["bound"]
    if not workers:
        return ""
    most = max([bound, *[w["grown"] for w in workers.values()]]) * 1.1 or 1
    mark = round(100 * bound / most, 1)
    rows = []
    for address, worker in list(workers.items())[:16]:
        part = round(100 * worker["grown"] / most, 1)
        colour = COLOURS["failed" if worker["grown"] > bound else "running"]
        rows.append(
            f"<span>{escape(str(address))}</span>"
            f'<div class="bar"><i style="width:{part}%;background:{colour}"></i>'
            f'<b style="left:{mark}%"></b></div><span>{format_bytes(worker["grown"])}</span>'
        )
    return (
        f'<p class="facts">Memory that workers took for it, at most; the red line is the plan\'s '
        f"bound, {format_bytes(bound)}.</p><div class='memory'>{''.join(rows)}</div>"
    )


def graph_svg(steps: Sequence[Report]) -> str:
    """The graph of a plan: a box for each step, filled as far as it is done."""
    steps = steps[:MOST_JOB_STEPS_DRAWN]
    if not steps:
        return ""
    columns: list[int] = []
    for step in steps:
        columns.append(1 + max((columns[n] for n in step["reads"] if n < len(columns)), default=-1))
    rows = [columns[:n].count(column) for n, column in enumerate(columns)]
    positions = [
        (4 + c * (WIDE + GAP), 4 + r * (HIGH + SPACE)) for c, r in zip(columns, rows, strict=True)
    ]
    width = 8 + max(columns) * (WIDE + GAP) + WIDE
    height = 8 + max(rows) * (HIGH + SPACE) + HIGH
    arrows = "".join(
        _arrow(positions[x], positions[n])
        for n, step in enumerate(steps)
        for x in step["reads"]
        if x < n
    )
    boxes = "".join(_box(step, at) for step, at in zip(steps, positions, strict=True))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" role="img" '
        f'aria-label="steps of the plan">{arrows}{boxes}</svg>'
    )


def _arrow(source: tuple[int, int], target: tuple[int, int]) -> str:
    x, y = source[0] + WIDE, source[1] + HIGH // 2
    u, v = target[0], target[1] + HIGH // 2
    bend = (x + u) // 2
    return f'<path d="M{x} {y}C{bend} {y} {bend} {v} {u} {v}" fill="none" stroke="#aab4c0"/>'


def _box(step: Report, at: tuple[int, int]) -> str:
    x, y = at
    measured, part = step["measured"], part_done(step)
    colour = COLOURS["failed" if measured["erred"] else "done" if part == 1 else "running"]
    label = label_of(step)
    short = label if len(label) <= BOX_LETTERS else f"{label[: BOX_LETTERS - 1]}…"
    tasks = f"{measured['done']:,} of {measured['tasks'] or step['blocks']:,} · {step['grid']}"
    return (
        f"<g><title>{escape(label)} → {escape(step['type'])} {escape(step['grid'])}</title>"
        f'<rect x="{x}" y="{y}" width="{WIDE}" height="{HIGH}" rx="6" fill="#f3f6f9" '
        f'stroke="#cfd6de"/><rect x="{x}" y="{y}" width="{round(WIDE * part)}" height="{HIGH}" '
        f'rx="6" fill="{colour}" fill-opacity=".2"/>'
        f'<text x="{x + 10}" y="{y + 19}" fill="#1d2430">{escape(short)}</text>'
        f'<text x="{x + 10}" y="{y + 36}" fill="#667080">{escape(tasks[:30])}</text></g>'
    )
