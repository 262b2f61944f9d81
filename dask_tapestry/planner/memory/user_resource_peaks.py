"""Users' own resources in a plan: those with limits are peaks, which must stay within them."""

from __future__ import annotations

from collections.abc import Iterator

from dask_tapestry.planner.cost.step import PlannedSteps, Step
from dask_tapestry.teg import Node


def plan_amounts(plan: PlannedSteps) -> dict[str, float]:
    """What the steps of a plan take: those with limits at a time, all others in all."""
    found: dict[str, float] = {}
    for step in plan.steps.values():
        for name, amount in step.estimate.own.items():
            found[name] = found.get(name, 0.0) + amount
    return found | {name: _peak(name, plan) for name in found if name in plan.resources.limits}


def limits_are_kept(plan: PlannedSteps) -> Iterator[str]:
    """Blocks that may run at a time take no more of a resource than there is."""
    amounts = plan_amounts(plan)
    for name, most in plan.resources.limits.items():
        if amounts.get(name, 0.0) > most:
            steps = [s.node.operator.label for s in plan.steps.values() if s.estimate.own.get(name)]
            yield (
                f"{', '.join(steps)} may take {amounts[name]:g} of {name!r} at a time, of which "
                f"there is {most:g}; fewer blocks cannot be made"
            )


def _peak(name: str, plan: PlannedSteps) -> float:
    """The most of a resource that steps take at a time: one, and those that do not wait for it."""
    takers = [step for step in plan.steps.values() if step.estimate.own.get(name)]
    before = {step.node: _ancestors(step, plan) for step in takers}
    return max(
        sum(
            other.estimate.own[name]
            for other in takers
            if other.node not in before[step.node] and step.node not in before[other.node]
        )
        for step in takers
    )


def _ancestors(step: Step, plan: PlannedSteps) -> set[Node]:
    """The nodes whose steps a step reads, itself or through others."""
    producers: set[Node] = set()
    stack = list(step.inputs)
    while stack:
        node = stack.pop()
        if node not in producers and node in plan.steps:
            producers.add(node)
            stack += plan.steps[node].inputs
    return producers
