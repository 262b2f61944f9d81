"""Search: from a rewritten graph to the steps of the best plan that was found.

A seed is built producers first: forms, then what is held and grids, each the best for its own step.
Then single choices are changed as long as that pays.
"""

from __future__ import annotations

from dask_tapestry.errors import MemoryLimitError
from dask_tapestry.plan.choices import Choices, State
from dask_tapestry.plan.evaluate import evaluate
from dask_tapestry.plan.footprint import needs_of
from dask_tapestry.plan.form_choice import choose_forms
from dask_tapestry.plan.improve import improve
from dask_tapestry.plan.limits import TASK_SHARES, Limits
from dask_tapestry.plan.machine import Machine
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
    state: State | None = None
    for share in TASK_SHARES:
        limits = Limits.of(resources, share)
        if method == "none":
            state = evaluate(graph, Choices(), Pricing(machine, limits.uncut))
        else:
            state = _found(graph, Pricing(machine, limits))
        if not state.shortfall:
            return state
    assert state is not None
    worst = max(state.placed.values(), key=lambda priced: priced.cost.work)
    raise MemoryLimitError(_refusal(worst, Limits.of(resources, TASK_SHARES[-1]).task))


def _found(graph: Graph, pricing: Pricing) -> State:
    formed, forms = choose_forms(graph, pricing)
    return improve(evaluate(formed, Choices(forms=forms), pricing), pricing)


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
            cost=priced.cost,
            needs=needs_of(
                priced.group.program, largest_box(priced.grid), priced.held, machine.workers == 1
            ),
            name="",
            second=priced.second,
        )
        for node, priced in state.placed.items()
    }
