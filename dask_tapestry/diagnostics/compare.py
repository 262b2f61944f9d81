"""What differs between two plans, as text."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from dask.utils import format_bytes

from dask_tapestry.diagnostics.step_text import counted, duration, grid_text, operators
from dask_tapestry.planner.cost.step import Step
from dask_tapestry.planner.plan import Plan

ALIKE: Final = 0.005  # parts by which figures may differ and count as the same
MOST_SHOWN: Final = 50  # steps that differ; of more, these are shown and the others counted


def difference(first: Plan, second: Plan) -> str:
    """Write what differs: resources, totals, steps of one plan alone, grids and costs.

    Steps are the same if they compute one node; others are compared in order, where they have the
    same operators and type.
    """
    lines = []
    if first.resources != second.resources:
        lines.append(f"resources: {first.resources} -> {second.resources}")
    lines += _totals(first, second)
    pairs, gone, new = _matched(first, second)
    changes = [text for pair in pairs for text in _changes(*pair)]
    changes += [f"only in the first: {_named(step)}, {_cost_text(step)}" for step in gone]
    changes += [f"only in the second: {_named(step)}, {_cost_text(step)}" for step in new]
    lines += changes[:MOST_SHOWN]
    if len(changes) > MOST_SHOWN:
        lines.append(f"… and {counted(len(changes) - MOST_SHOWN, 'other difference')}")
    return "\n".join(lines) or "the plans are the same"


def _totals(first: Plan, second: Plan) -> Iterator[str]:
    """Costs that differ."""
    before, after = first.cost, second.cost
    for name in dict.fromkeys((*before, *after)):
        a, b = before.get(name, 0.0), after.get(name, 0.0)
        if abs(a - b) > ALIKE * max(abs(a), abs(b)):
            yield f"{name}: {_figure(name, a)} -> {_figure(name, b)}{_percent(a, b)}"


def _matched(first: Plan, second: Plan) -> tuple[list[tuple[Step, Step]], list[Step], list[Step]]:
    """Steps of both plans in pairs, steps of the first alone, and of the second alone."""
    pairs = {node: second.steps[node] for node in first.steps if node in second.steps}
    waiting: dict[tuple[str, str], list[Step]] = defaultdict(list)
    for node, step in second.steps.items():
        if node not in pairs:
            waiting[_kind(step)].append(step)
    for steps in waiting.values():
        steps.reverse()
    gone = []
    for node, step in first.steps.items():
        if node not in pairs:
            alike = waiting[_kind(step)]
            if alike:
                pairs[node] = alike.pop()
            else:
                gone.append(step)
    left = {id(step) for steps in waiting.values() for step in steps}
    new = [step for step in second.steps.values() if id(step) in left]
    ordered = [(step, pairs[node]) for node, step in first.steps.items() if node in pairs]
    return ordered, gone, new


def _kind(step: Step) -> tuple[str, str]:
    return step.node.operator.label, str(step.node.type)


def _changes(one: Step, other: Step) -> Iterator[str]:
    """What differs between two steps that compute the same."""
    found = []
    if operators(one) != operators(other):
        found.append(f"{operators(one)} -> {operators(other)}")
    if one.cuts != other.cuts:
        found.append(f"{grid_text(one.cuts)} -> {grid_text(other.cuts)}")
    a, b = one.cost.seconds, other.cost.seconds
    if found or abs(a - b) > ALIKE * max(a, b):
        found.append(f"{duration(a)} -> {duration(b)}")
    if found:
        yield f"{_named(one)}: {'; '.join(found)}"


def _named(step: Step) -> str:
    return f"{step.node.operator.label} {step.node.type}"


def _cost_text(step: Step) -> str:
    return (
        f"{grid_text(step.cuts)}, {counted(step.cost.tasks, 'task')}, {duration(step.cost.seconds)}"
    )


def _figure(name: str, value: float) -> str:
    if "bytes" in name:
        return format_bytes(int(value))
    return duration(value) if "seconds" in name else f"{value:,.4g}"


def _percent(before: float, after: float) -> str:
    return f" ({100 * (after / before - 1):+.0f} %)" if before else ""
