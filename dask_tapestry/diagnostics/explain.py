"""`explain`: a plan as text, with steps, grids, bytes, seconds and reasons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from dask.utils import format_bytes

from dask_tapestry.diagnostics.plan_summaries import plan_summary
from dask_tapestry.diagnostics.plan_summary import PlanSummary, StepSummary
from dask_tapestry.diagnostics.step_text import KINDS, counted, duration
from dask_tapestry.diagnostics.tuning import NAMED_RESULT_BYTES, NEGLIGIBLE_SHARE
from dask_tapestry.planner.plan import PlannedGraph

COSTS: Final = frozenset(
    (
        "seconds",
        "compute_seconds",
        "bytes_read",
        "bytes_written",
        "bytes_moved",
        "bytes_within_hosts",
        "memory_bytes",
        "peak_worker_bytes",
        "peak_worker_compute",
        "memory_waste",
        "compute_waste",
        "result_bytes",
        "result_seconds",
        "tasks",
    )
)  # that every plan has; others are the users' own


def explain(plan: PlannedGraph | PlanSummary, *, all: bool = False, rates: bool = False) -> str:
    """Write the plan as text: what runs, how it is cut, what that takes, and why.

    Steps are called by the functions that the user called; with `all` their operators are named
    too, views, fields and joins among them.
    """
    summary = plan if isinstance(plan, PlanSummary) else plan_summary(plan)
    lines = [f"plan for {summary.resources}", f"  {headline(summary)}"]
    for number, step in enumerate(summary.steps, start=1):
        lines.append(f"step {number}: {step.words.label} -> {step.type}")
        if all:
            lines.append(f"  operators: {step.chain}")
        lines += [f"  {line}" for line in _step_lines(step)]
    lines += _result_lines(summary)
    if rates:
        lines.append(summary.rates)
    return "\n".join(lines)


def headline(plan: PlanSummary) -> str:
    """Totals of a plan in one line."""
    cost, within = plan.cost, int(plan.cost.get("bytes_within_hosts", 0))
    near = f" ({format_bytes(within)} within hosts)" if within else ""
    own = [f"; {name} {value:,.4g}" for name, value in cost.items() if name not in COSTS]
    return (
        f"{counted(int(cost['tasks']), 'task')} in {counted(len(plan.steps), 'step')}, about "
        f"{duration(cost['seconds'])}; read {format_bytes(int(cost['bytes_read']))}, move "
        f"{format_bytes(int(cost['bytes_moved']))}{near}, "
        f"write {format_bytes(int(cost['bytes_written']))}, "
        f"peak {format_bytes(int(cost['peak_worker_bytes']))} a worker" + "".join(own)
    )


def _result_lines(plan: PlanSummary) -> Iterator[str]:
    """What bringing the results to the client takes, if it takes long."""
    size, blocks, seconds = plan.results
    if size >= NAMED_RESULT_BYTES and seconds > NEGLIGIBLE_SHARE * plan.cost["seconds"]:
        yield (
            f"results: {format_bytes(size)} in {counted(blocks, 'block')}, which "
            f"compute() brings to this process in about {duration(seconds)} more"
        )
        if 0 < plan.memory_bytes < plan.cost["peak_worker_bytes"]:
            each = format_bytes(int(plan.memory_bytes))
            yield (
                f"  in several rounds, as workers have {each} each: they would hold the peak if "
                "all results stayed there"
            )


def _step_lines(step: StepSummary) -> Iterator[str]:
    """What is said of a step, below its name."""
    yield f"{blocks_text(step)}: {step.grid} ({step.decided})"
    least = NEGLIGIBLE_SHARE * step.seconds
    kinds = [
        f"{kind} {duration(seconds)}"
        for kind, seconds in zip(KINDS.values(), step.kinds, strict=True)
        if seconds > least
    ]
    yield f"about {duration(step.seconds)}: {', '.join(kinds) or 'nothing to do'}"
    yield bytes_text(step)
    yield from step.again
    if step.second:
        yield f"next best: {step.second}"
    if not step.counted:
        yield "bytes, slices and edges are not counted, as its blocks are too unlike each other"
    if step.inputs:
        yield f"reads {inputs_text(step)}"


def blocks_text(step: StepSummary) -> str:
    """``8 blocks on fast workers and 3 slices, 24 edges``."""
    slices = f" and {counted(step.slices, 'slice')}" if step.slices else ""
    if step.parts:
        tasks, parts = counted(step.slices, "task"), counted(step.parts, "part")
        slices = f" and {tasks} that exchange {parts} of blocks in bulk"
    edges = f", {counted(step.edges, 'edge')}" if step.edges else ""
    where = f" on {step.place}" if step.place else ""
    return f"{counted(step.blocks, 'block')}{where}{slices}{edges}"


def bytes_text(step: StepSummary) -> str:
    """What a step reads, moves and writes, and what a block of it holds."""
    moves = {"read": step.read, "moved": step.moved, "written": step.written}
    carried = [f"{format_bytes(round(n))} {what}" for what, n in moves.items() if n >= 1]
    alone = ", one at a time on a worker" if step.alone else ""
    return f"{', '.join([*carried, f'{format_bytes(round(step.work))} held by a block'])}{alone}"


def inputs_text(step: StepSummary) -> str:
    """``step 2, memory float64[3], 9 of zarr int8[5]``: alike sources are counted."""
    texts = Counter(f"step {x}" if isinstance(x, int) else x for x in step.inputs)
    return ", ".join(
        text if count == 1 else f"{count:,} of {text}" for text, count in texts.items()
    )
