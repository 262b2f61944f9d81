"""A plan as a page: what limits it, its steps in order of time, and what was found beside it.

The page is complete in itself: it needs no network and has no script. All that users name is
escaped. It is drawn from what is told of a plan alone, so that a plan file has the same page.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Final

from dask.utils import format_bytes

from dask_tapestry.diagnostics.bottleneck import limit
from dask_tapestry.diagnostics.charts import frontier_svg, memory_svg
from dask_tapestry.diagnostics.explain import COSTS, headline, inputs_text
from dask_tapestry.diagnostics.html_text import html_text, named
from dask_tapestry.diagnostics.plan_summaries import plan_summary
from dask_tapestry.diagnostics.plan_summary import PlanSummary, StepSummary
from dask_tapestry.diagnostics.step_details import Measured
from dask_tapestry.diagnostics.step_rows import Code, step_rows
from dask_tapestry.diagnostics.step_text import duration
from dask_tapestry.diagnostics.steps_picture import steps_svg
from dask_tapestry.diagnostics.tuning import MOST_POINTS_DRAWN, MOST_STEPS_DRAWN, NOTEBOOK_ROWS
from dask_tapestry.planner.plan import PlannedGraph

HEAD: Final = ("step", "what you wrote", "result", "blocks", "grid", "decided by", "time", "reads")
PAGE: Final = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width"><title>Plan</title><style>{style}</style></head>
<body class="tapestry"><h1>Plan</h1><p class="limit">{limit}</p><p>{resources}</p>
<div class="tiles">{tiles}</div>
<h2>Steps, in the order in which they begin</h2>{steps}
<div class="charts">{charts}</div>
{graph}<h2>Cost</h2><div class="scroll"><table>{cost}</table></div></body></html>
"""


def plan_page(
    plan: PlanSummary, measured: Mapping[int, Measured] | None = None, code: Code | None = None
) -> str:
    """A page of what `told_whole` tells.

    `measured` is what steps took, by their numbers from 1 on; `code` tells the text of a line of
    the user's, which no line that a file names is given to.
    """
    charts = "".join(f"<figure><h2>{name}</h2>{svg}</figure>" for name, svg in _charts(plan))
    return PAGE.format(
        style=_style(),
        limit=html_text(limit(plan)),
        resources=html_text(plan.resources),
        tiles=_tiles(plan, measured or {}),
        steps=step_rows(plan, measured or {}, code),
        charts=charts,
        graph=_graph(plan),
        cost=_cost_rows(plan.cost),
    )


def plan_html(plan: PlannedGraph) -> str:
    """What a notebook shows of a plan: totals and a table of steps."""
    summary = plan_summary(plan)
    rows = "".join(_row(n, step) for n, step in enumerate(summary.steps[:NOTEBOOK_ROWS], start=1))
    more = len(summary.steps) - NOTEBOOK_ROWS
    note = f"<p>… and {more:,} more steps: see <code>visualize()</code></p>" if more > 0 else ""
    head = "".join(f"<th>{name}</th>" for name in HEAD)
    return (
        f'<style>{_style()}</style><div class="tapestry">'
        f"<p>Plan for {html_text(summary.resources)}<br>{html_text(headline(summary))}</p>"
        f"<table><tr>{head}</tr>{rows}</table>{note}</div>"
    )


@cache
def _style() -> str:
    """The file beside this one."""
    return files("dask_tapestry.diagnostics").joinpath("page.css").read_text("utf-8")


def _tiles(plan: PlanSummary, measured: Mapping[int, Measured]) -> str:
    cost = plan.cost
    shown = {
        "predicted time": duration(cost["seconds"]),
        "steps": f"{len(plan.steps):,}",
        "tasks": f"{int(cost['tasks']):,}",
        "read": format_bytes(int(cost["bytes_read"])),
        "moved": format_bytes(int(cost["bytes_moved"])),
        "written": format_bytes(int(cost["bytes_written"])),
        "peak of a worker": format_bytes(int(cost["peak_worker_bytes"])),
    }
    if measured:
        peak = max(one.peak for one in measured.values())
        shown["measured peak"] = format_bytes(round(peak))
    return "".join(f"<div><b>{amount}</b>{name}</div>" for name, amount in shown.items())


def _charts(plan: PlanSummary) -> Iterator[tuple[str, str]]:
    if plan.memory:
        yield "Memory of a worker", memory_svg(plan.memory, plan.memory_bytes)
    resource = _resource(plan)
    if resource:
        costs = [cost for cost in plan.points if {"seconds", resource} <= cost.keys()]
        svg = frontier_svg(costs[:MOST_POINTS_DRAWN], plan.chosen, resource)
        yield "Plans that were found beside this one", svg


def _resource(plan: PlanSummary) -> str:
    """What the plans of the frontier differ in most, beside their seconds; "" if in nothing."""
    spread = {"": 1.0}
    for name in ("bytes_moved", "bytes_read", "peak_worker_bytes"):
        known = [cost[name] for cost in plan.points if {"seconds", name} <= cost.keys()]
        if known and {"seconds", name} <= plan.chosen.keys() and min(known) >= 0:
            spread[name] = (max(known) + 1) / (min(known) + 1)
    return max(spread, key=spread.__getitem__)


def _graph(plan: PlanSummary) -> str:
    if not 1 < len(plan.steps) <= MOST_STEPS_DRAWN:
        return ""
    return f'<h2>What reads what</h2><div class="graph scroll">{steps_svg(plan.steps)}</div>'


def _row(number: int, step: StepSummary) -> str:
    cells = (
        str(number),
        step.words.label,
        step.type,
        f"{step.blocks:,}",
        step.grid,
        step.decided,
        duration(step.seconds),
        inputs_text(step),
    )
    return f"<tr>{''.join(f'<td>{named(cell)}</td>' for cell in cells)}</tr>"


def _cost_rows(cost: Mapping[str, float]) -> str:
    return "".join(
        f'<tr><th>{named(name)}</th><td class="number">{_figure(name, value)}</td></tr>'
        for name, value in cost.items()
    )


def _figure(name: str, value: float) -> str:
    if name not in COSTS:
        return f"{value:,.6g}"
    if "bytes" in name:
        return format_bytes(int(value))
    if "seconds" in name:
        return duration(value)
    return f"{value:,.3g}" if "waste" in name else f"{value:,.6g}"
