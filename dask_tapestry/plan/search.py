"""Search: from a rewritten graph to the steps of the best plan that was found.

A seed is built producers first: forms, then what is held and grids, each the best for its own step.
Then single choices are changed as long as that pays.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from dask_tapestry.errors import MemoryLimitError
from dask_tapestry.plan.choices import Choices, State
from dask_tapestry.plan.evaluate import evaluate
from dask_tapestry.plan.footprint import needs_of
from dask_tapestry.plan.form_choice import choose_forms
from dask_tapestry.plan.improve import budget, improve
from dask_tapestry.plan.limits import TASK_SHARES, Limits
from dask_tapestry.plan.machine import Machine
from dask_tapestry.plan.memory import peak_worker_bytes
from dask_tapestry.plan.pricing import Priced, Pricing
from dask_tapestry.plan.resources import Resources
from dask_tapestry.plan.step import Step
from dask_tapestry.teg import Graph, Node
from dask_tapestry.zspace import largest_box


def search(graph: Graph, resources: Resources, method: str) -> State:
    """The best plan found for `graph`.

    Raises
    ------
    MemoryLimitError
        If a step's smallest block needs more memory than a worker has.
    """
    machine = Machine.of(resources)
    found: list[State] = []

    def fits(state: State) -> bool:
        sketch = Sketch(steps_of(state, machine), state.graph, resources)
        return peak_worker_bytes(sketch) <= resources.usable_bytes

    for share in TASK_SHARES:
        limits = Limits.of(resources, share)
        if method == "none":
            found.append(evaluate(graph, Choices(), Pricing(machine, limits.uncut)))
        else:
            found.append(_found(graph, Pricing(machine, limits), fits))
        if not found[-1].shortfall and fits(found[-1]):
            return found[-1]
    enough = next((state for state in found if not state.shortfall), None)
    if enough is not None:  # no task is too large, all together are: that is told when it is run
        return enough
    worst = max(found[0].placed.values(), key=lambda priced: priced.cost.work)
    raise MemoryLimitError(_refusal(worst, Limits.of(resources, TASK_SHARES[0]).task))


class Sketch(NamedTuple):
    """Steps as memory and cost read them."""

    steps: dict[Node, Step]
    graph: Graph
    resources: Resources


def _found(graph: Graph, pricing: Pricing, fits: Callable[[State], bool]) -> State:
    """The best plan from two seeds: with the forms that are best one by one, and without any."""
    formed, forms = choose_forms(graph, pricing)
    state = evaluate(formed, Choices(forms=forms), pricing)
    better = improve(state, pricing, fits)
    if not forms or not budget(state):
        return better
    whole = improve(evaluate(graph, Choices(), pricing), pricing, fits)
    return min(better, whole, key=lambda state: (not fits(state), state.rank))


def _refusal(priced: Priced, limit: int) -> str:
    """Why a step does not fit."""
    node = priced.group.node
    where = f" ({node.line})" if node.line else ""
    return (
        f"{node.operator.name} {node.type}{where}: its smallest block, "
        f"{largest_box(priced.grid)} of {node.type}, needs {priced.cost.work:,} bytes of memory; "
        f"the limit a task is {limit:,}"
    )


def steps_of(state: State, machine: Machine) -> dict[Node, Step]:
    """The steps of a plan, producers first."""
    return {
        node: Step(
            node=node,
            program=priced.group.program,
            inputs=priced.group.inputs,
            members=priced.group.members,
            cuts=priced.grid,
            held=priced.held,
            machine=machine,
            estimate=priced.cost,
            needs=needs_of(
                priced.group.program, largest_box(priced.grid), priced.held, machine.workers == 1
            ),
            name="",
            second=priced.second,
        )
        for node, priced in state.placed.items()
    }
