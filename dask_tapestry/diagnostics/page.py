"""A plan as a page: the graph of its steps, their grids and costs, when they run, and what else.

The page needs no network: its style and its script are within. Numbers travel as JSON, in which
each text is named once, so that the page of a thousand steps stays below 300 kB.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any, Final

from dask.utils import format_bytes

from dask_tapestry.diagnostics.charts import Bar, frontier_svg, memory_svg, timeline_svg
from dask_tapestry.diagnostics.explain import headline
from dask_tapestry.diagnostics.step_text import (
    decided,
    duration,
    grid_text,
    operators,
    runner_up,
    seconds_by_kind,
    sources,
)
from dask_tapestry.diagnostics.steps_picture import steps_svg
from dask_tapestry.diagnostics.tell import told
from dask_tapestry.planner.cost.step import Step
from dask_tapestry.planner.memory.simulate import simulate
from dask_tapestry.planner.memory.simulation import Simulation
from dask_tapestry.planner.plan import Plan
from dask_tapestry.teg import Node
from dask_tapestry.zspace import Cuts

ROWS: Final = 40  # steps that a notebook shows; a page shows all
LINES: Final = 48  # cuts of a dimension that are drawn
HEAD: Final = ("step", "operators", "result", "blocks", "grid", "decided by", "time", "from")
PAGE: Final = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Plan</title><style>{style}</style></head>
<body class="tapestry"><h1>Plan for {resources}</h1><p>{headline}</p>
<div class="columns"><div class="graph">{graph}</div><div class="details"></div></div>
{charts}
<h2>Cost</h2><table>{cost}</table>
<script type="application/json" id="plan">{data}</script><script>{script}</script></body></html>
"""


def plan_page(plan: Plan) -> str:
    """Return a page of the plan, complete in itself."""
    run = simulate(plan)
    charts = [
        ("When steps run", timeline_svg(_bars(plan, run))),
        ("Memory of a worker", memory_svg(run.memory, run.memory_bytes)),
        *_frontier_charts(plan),
    ]
    return PAGE.format(
        style=_text("page.css"),
        script=_text("page.js"),
        resources=escape(str(plan.resources)),
        headline=escape(headline(told(plan))),
        graph=steps_svg(plan.steps),
        charts="".join(f'<h2>{t}</h2><div class="scroll">{svg}</div>' for t, svg in charts),
        cost=_cost_rows(plan.cost),
        data=json.dumps(_data(plan), separators=(",", ":")).replace("<", "\\u003c"),
    )


def plan_html(plan: Plan) -> str:
    """Return what a notebook shows of a plan: totals and a table of steps."""
    number = {node: i for i, node in enumerate(plan.steps, start=1)}
    steps = list(plan.steps.values())
    rows = "".join(_row(step, number) for step in steps[:ROWS])
    more = len(steps) - ROWS
    note = f"<p>… and {more:,} more steps: see <code>visualize()</code></p>" if more > 0 else ""
    head = "".join(f"<th>{name}</th>" for name in HEAD)
    return (
        f'<style>{_text("page.css")}</style><div class="tapestry">'
        f"<p>Plan for {escape(str(plan.resources))}<br>{escape(headline(told(plan)))}</p>"
        f"<table><tr>{head}</tr>{rows}</table>{note}</div>"
    )


@cache
def _text(name: str) -> str:
    """A file beside this one."""
    return files("dask_tapestry.diagnostics").joinpath(name).read_text("utf-8")


def _bars(plan: Plan, run: Simulation) -> list[Bar]:
    """When each step runs, as it is simulated."""
    return [
        Bar(number, operators(step).rpartition(" > ")[2], times.begin, times.end)
        for number, (step, times) in enumerate(
            zip(plan.steps.values(), run.steps, strict=True), start=1
        )
    ]


def _frontier_charts(plan: Plan) -> Iterator[tuple[str, str]]:
    """The plans that were found beside this one, by seconds and what they move, read or hold."""
    costs = [point.cost for point in plan.points]
    chosen = {**plan.cost, "seconds": sum(s.estimate.seconds for s in plan.steps.values())}
    for resource in ("bytes_moved", "bytes_read", "peak_worker_bytes"):
        if len({cost[resource] for cost in costs}) > 1:
            yield "Plans that were found", frontier_svg(costs, chosen, resource)


def _row(step: Step, number: Mapping[Node, int]) -> str:
    cells = (
        str(number[step.node]),
        operators(step),
        str(step.node.type),
        f"{step.count:,}",
        grid_text(step.cuts),
        decided(step),
        duration(step.cost.seconds),
        ", ".join(sources(step, number)),
    )
    return "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>"


def _cost_rows(cost: Mapping[str, float]) -> str:
    return "".join(
        f'<tr><th>{escape(name)}</th><td class="number">{_figure(name, value)}</td></tr>'
        for name, value in cost.items()
    )


def _figure(name: str, value: float) -> str:
    if "bytes" in name:
        return format_bytes(int(value))
    if "seconds" in name:
        return duration(value)
    return f"{value:,.3g}" if "waste" in name else f"{value:,.6g}"


class _Words(dict[str, int]):
    """Texts by number; each is named once."""

    def __missing__(self, text: str) -> int:
        self[text] = len(self)
        return self[text]


def _data(plan: Plan) -> dict[str, Any]:
    """What the page's script reads: see `details` there."""
    words = _Words()
    number = {node: i for i, node in enumerate(plan.steps, start=1)}
    steps = [_step_data(step, number, words) for step in plan.steps.values()]
    costs = [step.cost.seconds for step in plan.steps.values()]
    longest = 1 + costs.index(max(costs)) if costs else 0
    return {"steps": steps, "words": list(words), "longest": longest}


def _step_data(step: Step, number: Mapping[Node, int], words: _Words) -> list[Any]:
    cost, second, line = step.cost, runner_up(step), step.node.line
    return [
        words[operators(step)],
        words[str(step.node.type)],
        words[line] if line else -1,
        [_dim(cuts) for cuts in step.cuts],
        words[grid_text(step.cuts)],
        words[decided(step)],
        _rounded(cost.seconds),
        [_rounded(s) for s in seconds_by_kind(cost).values()],
        [cost.blocks, cost.slices, cost.edges],
        [round(n) for n in (cost.read, cost.moved, cost.written, cost.work)],
        words[f"{second.text}, {second.why}"] if second is not None else -1,
        _reads(step, number, words),
    ]


def _reads(step: Step, number: Mapping[Node, int], words: _Words) -> Sequence[int]:
    """Numbers of steps, and of texts counted down from -1."""
    named = zip(step.inputs, sources(step, number), strict=True)
    return [number[x] if x in number else -words[text] - 1 for x, text in named]


def _dim(cuts: Cuts) -> list[Any]:
    if cuts.count == 1:
        return [cuts.extent]
    edges = list(cuts.edges[:: max(1, len(cuts.edges) // LINES)])
    return [cuts.extent, cuts.count, cuts.step, cuts.lead, *([edges] if edges else [])]


def _rounded(value: float) -> float:
    return float(f"{value:.3g}") if value else 0
