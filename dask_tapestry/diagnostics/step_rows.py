"""The steps of a plan as rows of a page, in order of time; steps that are alike share a row."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from dask_tapestry.diagnostics.html_text import named, table
from dask_tapestry.diagnostics.plan_summary import PlanSummary, StepSummary
from dask_tapestry.diagnostics.step_details import Measured, reads_html, step_details
from dask_tapestry.diagnostics.step_text import counted, duration
from dask_tapestry.diagnostics.tuning import (
    ALIKE_STEPS,
    CODE_LINES,
    NARROW_BAR,
    STEP_NUMBERS_NAMED,
    WHOLE_PLAN_ROWS,
)

Code = Callable[[str], str]
Numbered = tuple[int, StepSummary]


def step_rows(plan: PlanSummary, measured: Mapping[int, Measured], code: Code | None = None) -> str:
    """All rows; `code` tells the text of a line of the user's."""
    rows = groups(plan.steps)
    end = max((step.end for step in plan.steps), default=0.0) or 1.0
    whole = len(rows) <= WHOLE_PLAN_ROWS
    shown = "".join(_row(row, end, measured, code, whole) for row in rows)
    taken = "<span>measured</span>" if measured else ""
    return (
        f'<div class="list{" both" if measured else ""}"><div class="head"><span></span>'
        "<span>what you wrote</span><span>result, and how it is cut</span>"
        f"<span>when it runs, of {duration(end)}</span><span>predicted</span>{taken}</div>"
        f"{shown}</div>"
    )


def groups(steps: Iterable[StepSummary]) -> list[list[Numbered]]:
    """Numbered steps in order of time; those that differ in what they read alone are together.

    Few of a kind each have a row of their own.
    """
    timed = sorted(enumerate(steps, start=1), key=lambda one: (one[1].begin, one[0]))
    kinds: dict[tuple[object, ...], list[Numbered]] = {}
    for number, step in timed:
        kinds.setdefault(_kind(step), []).append((number, step))
    rows: list[list[Numbered]] = []
    for number, step in timed:
        alike = kinds[_kind(step)]
        if len(alike) < ALIKE_STEPS:
            rows.append([(number, step)])
        elif alike[0][0] == number:
            rows.append(alike)
    return rows


def _kind(step: StepSummary) -> tuple[object, ...]:
    return step.words, step.chain, step.type, step.grid, step.decided, step.place


def _row(
    row: Sequence[Numbered],
    end: float,
    measured: Mapping[int, Measured],
    code: Code | None,
    whole: bool,
) -> str:
    number, step = row[0]
    numbers = ", ".join(str(n) for n, _ in row[:STEP_NUMBERS_NAMED]) + (
        ", …" if len(row) > STEP_NUMBERS_NAMED else ""
    )
    times = f"<small>{len(row):,} steps</small>" if len(row) > 1 else ""
    measured_time = ""
    if measured:
        known = [measured[n].seconds for n, _ in row if n in measured]
        measured_time = f'<span class="taken">{duration(sum(known)) if known else "–"}</span>'
    first = "<h3>The first of them</h3>" if len(row) > 1 else ""
    anchor = f' id="step-{number}"' if len(row) == 1 else ""
    return (
        f'<details class="step"{anchor}><summary><span class="number">{numbers}{times}</span>'
        f"<span>{_step_title(step, code)}</span>"
        f"<span>{named(step.type, 'type')}<small>{named(step.grid)}, "
        f"{counted(step.blocks, 'block')}</small></span>"
        f"{_lane(row, end)}<span>{duration(sum(s.seconds for _, s in row))}</span>{measured_time}"
        f'</summary><div class="inside">{first}'
        f"{step_details(step, measured.get(number), whole=whole)}{_grouped_steps(row, measured)}"
        "</div></details>"
    )


def _step_title(step: StepSummary, code: Code | None) -> str:
    at = named(step.words.at, "line") if step.words.at else ""
    texts = [code(line) for line in step.words.lines[:CODE_LINES]] if code else []
    shown = "".join(f"<code>{named(text)}</code>" for text in dict.fromkeys(texts) if text)
    return f"<b>{named(step.words.text)}</b> {at}{shown}"


def _lane(row: Sequence[Numbered], end: float) -> str:
    """When steps run: bars from left to right."""
    bars: list[tuple[float, float]] = []
    for _, step in row:
        left = min(99.5, max(0.0, 100 * step.begin / end))
        right = min(100.0, max(left + 0.5, 100 * step.end / end))
        if bars and left - bars[-1][1] < NARROW_BAR:
            bars[-1] = bars[-1][0], max(right, bars[-1][1])
        else:
            bars.append((left, right))
    marks = "".join(f'<i style="left:{x:.1f}%;width:{y - x:.1f}%"></i>' for x, y in bars)
    return f'<span class="lane">{marks}</span>'


def _grouped_steps(row: Sequence[Numbered], measured: Mapping[int, Measured]) -> str:
    """The steps of a row that has several."""
    if len(row) == 1:
        return ""
    cells = [
        (
            f'<span id="step-{number}">{number}</span>',
            duration(step.begin),
            duration(step.seconds),
            *([duration(measured[number].seconds) if number in measured else "–"] * bool(measured)),
            reads_html(step.inputs),
        )
        for number, step in row
    ]
    head = ("step", "begins at", "predicted", *(["measured"] * bool(measured)), "reads")
    return f"<h3>All of them</h3>{table(head, cells)}"
