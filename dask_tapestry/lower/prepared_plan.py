"""Prepared plans: what is the same each time that a plan is run by its caller's threads.

A plan that is kept is run with other data again and again, and of a formula of few cells it took
longer to find what its blocks read than to compute them. So that is found once: the specification
of each step, its blocks in order, and where each finds its inputs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from types import EllipsisType
from typing import Any, Literal, NamedTuple

from dask_tapestry.io.sources.dask_blocks_source import BlockSource
from dask_tapestry.lower.cancellation import Cancellation
from dask_tapestry.lower.joined_blocks import values_to_join
from dask_tapestry.lower.step_spec import StepSpec
from dask_tapestry.lower.temporary_values import exchanged_through
from dask_tapestry.lower.values_until_last_use import Block
from dask_tapestry.planner.cost.step import Step, memory_order
from dask_tapestry.planner.plan import PlannedGraph
from dask_tapestry.steps.symmetric_blocks import is_symmetric
from dask_tapestry.teg import Node, Sink, Source
from dask_tapestry.zspace import Cuts, block_range

Blocks = dict[tuple[int, ...], Block]
Computed = Mapping[Node, Blocks]


class OfStep(NamedTuple):
    """Blocks of another step, by their indices."""

    node: Node
    indices: tuple[tuple[int, ...], ...]

    def blocks(self, plan: PlannedGraph, computed: Computed) -> list[Block]:
        """The blocks, which are `computed`."""
        blocks = computed[self.node]
        return [blocks[index] for index in self.indices]


class Given(NamedTuple):
    """Blocks that are given in this process, by their indices."""

    node: Node
    indices: tuple[tuple[int, ...], ...]

    def blocks(self, plan: PlannedGraph, computed: Computed) -> list[Block]:
        """The blocks of the data that the plan is for."""
        operator: Any = plan.source(self.node).operator
        graph, name = operator.graph, operator.key_name
        return [graph[(name, *index)] for index in self.indices]


class Cells(NamedTuple):
    """Cells of an array in memory, as it is indexed for them."""

    node: Node
    places: tuple[tuple[slice | EllipsisType, ...], ...]

    def blocks(self, plan: PlannedGraph, computed: Computed) -> list[Block]:
        """Views of the data that the plan is for."""
        operator: Any = plan.source(self.node).operator
        return [operator.data[place] for place in self.places]


Reads = tuple[OfStep | Given | Cells, ...]


class PreparedStep(NamedTuple):
    """A step as it is run.

    Attributes
    ----------
    step
        What is prepared.
    spec
        What its blocks know, of no compute yet.
    blocks
        The index of each block and what it reads, in C order.
    order
        The memory order of its value.
    is_joined
        Whether its blocks come in one array, as another step reads them together.
    last_read
        The values that no later step reads.
    """

    step: Step
    spec: StepSpec
    blocks: tuple[tuple[tuple[int, ...], Reads], ...]
    order: Literal["C", "F"]
    is_joined: bool
    last_read: tuple[Node, ...]


class PreparedPlan(NamedTuple):
    """A plan as it is run.

    Attributes
    ----------
    steps
        In order.
    by_node
        The same by the value that each computes.
    blocks
        How many all steps have.
    seconds_saved
        What they are estimated to compute less if steps run side by side that need not wait.
    between
        The most bytes that are held at once of what steps hand on.
    needs_scheduler
        Whether something in it is a scheduler's to do, however little it is.
    knows_its_compute
        Whether a step reads or writes what is told which compute it is.
    """

    steps: tuple[PreparedStep, ...]
    by_node: Mapping[Node, PreparedStep]
    blocks: int
    seconds_saved: float
    between: int
    needs_scheduler: bool
    knows_its_compute: bool


def prepared(plan: PlannedGraph) -> PreparedPlan:
    """What is the same each time that a plan is run; kept with the plan, for all of its data."""
    found = None if plan.found is None else plan.found.get(PreparedPlan)
    if found is None:
        found = _prepared(plan)
        if plan.found is not None:
            plan.found[PreparedPlan] = found
    return found


def _prepared(plan: PlannedGraph) -> PreparedPlan:
    roots, ordered = plan.graph.roots, [n for n in plan.graph.nodes if n in plan.steps]
    steps = [plan.steps[node] for node in ordered]
    joined = frozenset(values_to_join(plan.steps)).difference(roots)
    operators = [one.operator for step in steps for one in step.program.instructions]
    last_reader = {x: node for node in ordered for x in plan.steps[node].inputs if x not in roots}
    done: dict[Node, list[Node]] = {}
    for x, node in last_reader.items():
        done.setdefault(node, []).append(x)
    made = [_prepared_step(plan, step, joined, tuple(done.get(step.node, ()))) for step in steps]
    return PreparedPlan(
        tuple(made),
        {one.step.node: one for one in made},
        sum(step.count for step in steps),
        _seconds_saved(steps),
        _most_between(made, frozenset(roots)),
        bool(set(roots) - plan.steps.keys())
        or plan.resources.workers > 1
        or exchanged_through(plan) is not None
        or any(is_symmetric(step.program, step.cuts) for step in steps),
        any(isinstance(operator, Source | Sink) for operator in operators),
    )


def _seconds_saved(steps: Sequence[Step]) -> float:
    """The seconds of all steps, less those of the longest chain of steps; producers come first."""
    ends: dict[Node, float] = {}
    for step in steps:
        begin = max([ends.get(x, 0.0) for x in step.inputs], default=0.0)
        ends[step.node] = begin + step.estimate.compute
    return sum(step.estimate.compute for step in steps) - max(ends.values(), default=0.0)


def _most_between(steps: Sequence[PreparedStep], roots: frozenset[Node]) -> int:
    """The most bytes that are held at once of values that are no roots, each to its last reader."""
    computed = {one.step.node for one in steps}
    held = most = 0
    for one in steps:
        held += 0 if one.step.node in roots else one.step.node.type.nbytes
        most = max(most, held)
        held -= sum(x.type.nbytes for x in one.last_read if x in computed)
    return most


def _prepared_step(
    plan: PlannedGraph, step: Step, joined: frozenset[Node], last_read: tuple[Node, ...]
) -> PreparedStep:
    cuts = tuple([_cuts(plan, step, x) for x in step.inputs])
    spec = StepSpec.of(step, cuts, Cancellation())
    indices = list(product(*map(range, step.grid_shape)))
    blocks = [(index, _reads(plan, step, spec, index)) for index in indices]
    order = memory_order(step.node, step.inputs)
    _ = spec.foreign_inputs  # so that specifications of computes, which are made of it, have it
    return PreparedStep(step, spec, tuple(blocks), order, step.node in joined, last_read)


def _cuts(plan: PlannedGraph, step: Step, x: Node) -> tuple[Cuts, ...] | None:
    """How an input of a step is cut; None for an array in memory."""
    if _is_of_step(plan, step, x):
        return plan.steps[x].cuts
    operator = plan.source(x).operator
    return operator.cuts if isinstance(operator, BlockSource) else None


def _is_of_step(plan: PlannedGraph, step: Step, x: Node) -> bool:
    """Whether an input is the value of another step; a result may be an array in memory itself."""
    return x in plan.steps and x is not step.node


def _reads(plan: PlannedGraph, step: Step, spec: StepSpec, index: tuple[int, ...]) -> Reads:
    """Where a block finds the boxes of each input: blocks of steps, given ones, and cells."""
    reads: list[OfStep | Given | Cells] = []
    needs = zip(step.inputs, spec.input_cuts, spec.input_boxes(index), strict=True)
    for x, cuts, boxes in needs:
        if cuts is None:
            reads.append(Cells(x, tuple([box.index() for box in boxes])))
            continue
        indices = tuple([i for box in boxes for i in product(*block_range(cuts, box))])
        reads.append(OfStep(x, indices) if _is_of_step(plan, step, x) else Given(x, indices))
    return tuple(reads)
