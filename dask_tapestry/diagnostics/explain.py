"""A plan as text and as a page: steps, grids, bytes and reasons."""

from __future__ import annotations

from html import escape

from dask.utils import format_bytes, format_time

from dask_tapestry.plan.plan import Plan
from dask_tapestry.plan.step import Step
from dask_tapestry.teg import Node

PAGE = """<style>
.tapestry {{ font-family: sans-serif; font-size: 14px; }}
.tapestry table {{ border-collapse: collapse; margin: 0.5em 0 1em; }}
.tapestry th, .tapestry td {{ border-bottom: 1px solid #ddd; padding: 3px 10px; text-align: left; }}
.tapestry td.number {{ text-align: right; font-variant-numeric: tabular-nums; }}
</style>
<div class="tapestry">
<p>{headline}</p>
{cost}
{steps}
{picture}
</div>"""


def explain(plan: Plan) -> str:
    """Write the plan as text: what runs, how it is cut, and why."""
    cost = plan.cost
    lines = [
        f"plan for {plan.resources}",
        f"  {counted(int(cost['tasks']), 'task')} in {counted(len(plan.steps), 'step')}, about "
        f"{format_time(cost['seconds'])}; read {format_bytes(int(cost['bytes_read']))}, move "
        f"{format_bytes(int(cost['bytes_moved']))}, "
        f"write {format_bytes(int(cost['bytes_written']))}, "
        f"peak {format_bytes(int(cost['peak_worker_bytes']))} a worker",
    ]
    number = {node: i for i, node in enumerate(plan.steps, start=1)}
    for node, step in plan.steps.items():
        lines.append(f"step {number[node]}: {operators(step)} -> {node.type}")
        grid = ", ".join(map(str, step.cuts)) or "one cell"
        lines.append(f"  {counted(step.count, 'block')}: [{grid}] ({step.reason})")
        lines.append(
            f"  a block reads {format_bytes(step.needs.read)} "
            f"and holds {format_bytes(step.needs.work)}"
        )
        reads = [_source(x, number) for x in step.inputs]
        if reads:
            lines.append(f"  reads {', '.join(reads)}")
    return "\n".join(lines)


def counted(number: int, what: str) -> str:
    """``1 block``, ``2 blocks``.

    Examples
    --------
    >>> counted(1, "block"), counted(2000, "task")
    ('1 block', '2,000 tasks')
    """
    return f"{number:,} {what}" + "s" * (number != 1)


def operators(step: Step) -> str:
    """Names of a step's operators in order, repeated ones counted."""
    names: list[str] = []
    counts: list[int] = []
    for instruction in step.program.instructions:
        name = instruction.operator.name
        if names and names[-1] == name:
            counts[-1] += 1
        else:
            names.append(name)
            counts.append(1)
    parts = [f"{n} x{c}" if c > 1 else n for n, c in zip(names, counts, strict=True)]
    return " > ".join(parts) or step.node.operator.name


def _source(node: Node, number: dict[Node, int]) -> str:
    known = number.get(node)
    return f"step {known}" if known is not None else f"{node.operator.name} {node.type}"


def plan_html(plan: Plan) -> str:
    """Return a page of the plan: headline, cost, steps and a picture of the graph."""
    cost_rows = "".join(
        f"<tr><th>{escape(name)}</th><td class='number'>{_figure(name, value)}</td></tr>"
        for name, value in plan.cost.items()
    )
    number = {node: i for i, node in enumerate(plan.steps, start=1)}
    step_rows = "".join(_step_row(step, number) for step in plan.steps.values())
    head = "".join(
        f"<th>{name}</th>"
        for name in (
            "step",
            "operators",
            "result",
            "blocks",
            "cut",
            "why",
            "reads",
            "holds",
            "from",
        )
    )
    return PAGE.format(
        headline=escape(f"Plan for {plan.resources}"),
        cost=f"<table>{cost_rows}</table>",
        steps=f"<table><tr>{head}</tr>{step_rows}</table>",
        picture=plan.written.to_svg(),
    )


def _step_row(step: Step, number: dict[Node, int]) -> str:
    cells = (
        str(number[step.node]),
        operators(step),
        str(step.node.type),
        f"{step.count:,}",
        ", ".join(map(str, step.cuts)),
        step.reason,
        format_bytes(step.needs.read),
        format_bytes(step.needs.work),
        ", ".join(_source(x, number) for x in step.inputs),
    )
    return "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>"


def _figure(name: str, value: float) -> str:
    if "bytes" in name:
        return format_bytes(int(value))
    if "seconds" in name:
        return format_time(value)
    return f"{value:,.3g}" if "waste" in name else f"{int(value):,}"
