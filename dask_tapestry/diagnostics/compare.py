"""Comparison of two plans, as text."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from dask.utils import format_bytes

from dask_tapestry.diagnostics.plan_summaries import plan_summary
from dask_tapestry.diagnostics.plan_summary import PlanSummary, StepSummary
from dask_tapestry.diagnostics.step_text import counted, duration
from dask_tapestry.diagnostics.tuning import ALIKE_FIGURES, MOST_DIFFERENCES_SHOWN
from dask_tapestry.planner.plan import PlannedGraph


def difference(one: PlannedGraph | PlanSummary, other: PlannedGraph | PlanSummary) -> str:
    """Write what differs: resources, totals, steps of one plan alone, grids and costs.

    Steps are the same if they compute one node; others are compared in order, where they have the
    same operators and type.
    """
    first, second = (p if isinstance(p, PlanSummary) else plan_summary(p) for p in (one, other))
    lines = []
    if first.resources != second.resources:
        lines.append(f"resources: {first.resources} -> {second.resources}")
    lines += _totals(first, second)
    pairs, gone, new = _matched(first, second)
    changes = [text for pair in pairs for text in _changes(*pair)]
    changes += [f"only in the first: {_named(step)}, {_cost_text(step)}" for step in gone]
    changes += [f"only in the second: {_named(step)}, {_cost_text(step)}" for step in new]
    lines += changes[:MOST_DIFFERENCES_SHOWN]
    if len(changes) > MOST_DIFFERENCES_SHOWN:
        lines.append(f"… and {counted(len(changes) - MOST_DIFFERENCES_SHOWN, 'other difference')}")
    return "\n".join(lines) or "the plans are the same"


def _totals(first: PlanSummary, second: PlanSummary) -> Iterator[str]:
    """Costs that differ."""
    before, after = first.cost, second.cost
    for name in dict.fromkeys((*before, *after)):
        a, b = before.get(name, 0.0), after.get(name, 0.0)
        if abs(a - b) > ALIKE_FIGURES * max(abs(a), abs(b)):
            yield f"{name}: {_figure(name, a)} -> {_figure(name, b)}{_percent(a, b)}"


def _matched(
    first: PlanSummary, second: PlanSummary
) -> tuple[list[tuple[StepSummary, StepSummary]], list[StepSummary], list[StepSummary]]:
    """Steps of both plans in pairs, steps of the first alone, and of the second alone."""
    known = {step.digest: step for step in second.steps}
    pairs = {s.digest: known[s.digest] for s in first.steps if s.digest in known}
    waiting: dict[tuple[str, str], list[StepSummary]] = defaultdict(list)
    for step in reversed(second.steps):
        if step.digest not in pairs:
            waiting[step.label, step.type].append(step)
    removed = []
    for step in first.steps:
        if step.digest not in pairs:
            alike = waiting[step.label, step.type]
            if alike:
                pairs[step.digest] = alike.pop()
            else:
                removed.append(step)
    left = {step.digest for steps in waiting.values() for step in steps}
    new = [step for step in second.steps if step.digest in left]
    ordered = [(step, pairs[step.digest]) for step in first.steps if step.digest in pairs]
    return ordered, removed, new


def _changes(one: StepSummary, other: StepSummary) -> Iterator[str]:
    """What differs between two steps that compute the same."""
    changes = []
    if one.chain != other.chain:
        changes.append(f"{one.chain} -> {other.chain}")
    if one.dims != other.dims:
        changes.append(f"{one.grid} -> {other.grid}")
    a, b = one.seconds, other.seconds
    if changes or abs(a - b) > ALIKE_FIGURES * max(a, b):
        changes.append(f"{duration(a)} -> {duration(b)}")
    if changes:
        yield f"{_named(one)}: {'; '.join(changes)}"


def _named(step: StepSummary) -> str:
    """The last function, its line, and its type."""
    words = step.words._replace(functions=step.words.functions[-1:])
    return f"{words.label} {step.type}"


def _cost_text(step: StepSummary) -> str:
    return f"{step.grid}, {counted(step.tasks, 'task')}, {duration(step.seconds)}"


def _figure(name: str, value: float) -> str:
    if "bytes" in name:
        return format_bytes(int(value))
    return duration(value) if "seconds" in name else f"{value:,.4g}"


def _percent(before: float, after: float) -> str:
    return f" ({100 * (after / before - 1):+.0f} %)" if before else ""
