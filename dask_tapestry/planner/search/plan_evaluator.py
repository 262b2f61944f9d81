"""Evaluator of plans: those of one graph, each once, and what its memory allows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from math import inf
from typing import NamedTuple

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.planner.cost.footprint import Needs
from dask_tapestry.planner.cost.rank import Rank
from dask_tapestry.planner.cost.step import PlannedSteps, Step
from dask_tapestry.planner.cost.worst_needs import usual_needs, worst_needs
from dask_tapestry.planner.fusion.external_inputs import input_cuts, sent_whole
from dask_tapestry.planner.fusion.group import Group
from dask_tapestry.planner.machine.machine import Machine
from dask_tapestry.planner.machine.resources import Resources
from dask_tapestry.planner.memory.ample_memory import is_ample
from dask_tapestry.planner.memory.memory import PeakWorkers, Slices, WorkerMemory
from dask_tapestry.planner.rewriting.rule_choices import formed
from dask_tapestry.planner.search.choices import Choices, FormChoice, State
from dask_tapestry.planner.search.evaluate import evaluate, evaluate_within
from dask_tapestry.planner.search.form_choice import choose_forms
from dask_tapestry.planner.search.pricing import Pricing
from dask_tapestry.planner.search.tuning import NODES_A_COST, STEPS_A_COST
from dask_tapestry.teg import Graph, Node
from dask_tapestry.zspace import largest_box

Forms = Mapping[Node, Sequence[FormChoice]]


@dataclass
class KnownForms:
    """What is known of the forms of a graph for one machine and limits, whatever is left of memory.

    Attributes
    ----------
    chosen
        The graph with the forms that are best one by one, and these.
    formed
        By forms, the graph in them, and what each node has become in it.
    """

    chosen: tuple[Graph, Mapping[Node, tuple[FormChoice, ...]]] | None = None
    formed: dict[object, tuple[Graph, dict[Node, Node]]] = field(default_factory=dict)


class Sketch(NamedTuple):
    """Steps as memory and cost read them."""

    steps: dict[Node, Step]
    graph: Graph
    resources: Resources


class PlanEvaluator:
    """States of a graph by their choices.

    Parameters
    ----------
    graph
        As it is before any node takes a form.
    pricing
        Of the machine that is planned for.
    resources
        Whose memory plans must fit.
    rounds
        In how many rounds results are fetched at most; 1 where all of them are held.
    reserve
        Bytes of a worker that are left to blocks which take more than usual.
    known
        Of the same graph and pricing.

    Attributes
    ----------
    most_seconds
        Of a seed: no plan is looked for from one that takes longer.
    """

    def __init__(
        self,
        graph: Graph,
        pricing: Pricing,
        resources: Resources,
        rounds: int = 1,
        reserve: int = 0,
        known: KnownForms | None = None,
    ) -> None:
        self.graph, self.pricing, self.resources = graph, pricing, resources
        self.rounds, self.reserve, self.most_seconds = rounds, reserve, inf
        self.known = KnownForms() if known is None else known
        self._states: dict[object, State] = {}
        self._beyond: dict[object, Rank] = {}  # what plans take more than that were given up
        self._peaks: dict[object, PeakWorkers] = {}
        self._usual_peaks: dict[object, int] = {}
        self._worst: dict[object, PeakWorkers] = {}
        self._peaks_at_worst: dict[object, int] = {}
        self._fits_at_worst: dict[object, bool] = {}
        self._lacking: dict[object, int] = {}
        self._sketched: tuple[State, WorkerMemory] | None = None  # the last one
        self._sketched_at_worst: tuple[State, WorkerMemory] | None = None
        self._missed: Rank | None = None

    def chosen_forms(
        self, costs: int | None = None
    ) -> tuple[Graph, Mapping[Node, tuple[FormChoice, ...]]]:
        """The graph with the forms that are best one by one, and these.

        Sizes of forms are compared until that has taken so many `costs`, where they are limited.
        """
        if self.known.chosen is None:
            self.known.chosen = choose_forms(self.graph, self.pricing.in_slices, costs)
        return self.known.chosen

    def seed(self, costs: int | None = None) -> State:
        """The plan with these forms and all else as is best for each step."""
        graph, forms = self.chosen_forms(costs)
        return evaluate(graph, Choices(forms=forms), self.pricing)

    def became(self, forms: Forms) -> tuple[Graph, dict[Node, Node]]:
        """The graph in these forms, and what each node has become in it."""
        key = frozenset((node, tuple(taken)) for node, taken in forms.items())
        if key not in self.known.formed:
            self.known.formed[key] = formed(self.graph, forms)
        return self.known.formed[key]

    def state(self, choices: Choices) -> State:
        """The plan with these choices."""
        key = choices.key
        if key not in self._states:
            graph, _ = self.became(choices.forms)
            self.pricing.evaluated += len(graph.nodes) // NODES_A_COST
            self._states[key] = evaluate(graph, choices, self.pricing)
        return self._states[key]

    def state_within(self, choices: Choices, most: Rank, last: float = inf) -> State | None:
        """The plan with these choices; None if it was seen to take more than the rank `most`.

        It is given up as soon as its first steps do, and not begun again for as much or less; and
        once more than the `last` cost is computed.
        """
        key = choices.key
        state, least = self._states.get(key), self._beyond.get(key)
        if state is not None or (least is not None and most <= least):
            return state
        graph, _ = self.became(choices.forms)
        self.pricing.evaluated += len(graph.nodes) // NODES_A_COST
        state = evaluate_within(graph, choices, self.pricing, most, last)
        if state is not None:
            self._states[key] = state
        elif self.pricing.evaluated <= last:
            self._beyond[key] = most
        return state

    def group(self, node: Node, choices: Choices) -> Group:
        """What computes a node of the graph in the forms that are chosen."""
        graph, _ = self.became(choices.forms)
        return self.pricing.group(node, self.pricing.held(graph, choices.held, choices.fused))

    def in_forms(self, choices: Choices, forms: Mapping[Node, tuple[FormChoice, ...]]) -> Choices:
        """The choices for the graph in other forms, as far as they apply there."""
        _, before = self.became(choices.forms)
        graph, after = self.became(forms)
        now = {before[node]: after[node] for node in self.graph.nodes}
        new_nodes = set(graph.nodes)

        def moved(node: Node) -> Node:
            return node if node in new_nodes else now.get(node, node)

        return replace(
            choices,
            forms=forms,
            held=frozenset(map(moved, choices.held)) & new_nodes,
            fused=frozenset(map(moved, choices.fused)) & new_nodes,
            grids={moved(n): g for n, g in choices.grids.items() if moved(n) in new_nodes},
            places={moved(n): p for n, p in choices.places.items() if moved(n) in new_nodes},
        )

    def sketch(self, state: State) -> PlannedSteps:
        """The steps of a plan, no block of which takes more than usual."""
        return self._memory(state).plan

    def _memory(self, state: State) -> WorkerMemory:
        """What workers hold in a plan no block of which takes more than usual."""
        if self._sketched is None or self._sketched[0] is not state:
            steps = steps_of(state, self.pricing.machine, usual_needs, with_data=False)
            sketch = Sketch(steps, state.graph, self.resources)
            self._sketched = state, WorkerMemory(sketch, self.rounds)
        return self._sketched[1]

    def usual_peak(self, state: State) -> int:
        """The most bytes that a worker holds at a time, with as many slices as usual blocks cut.

        To count those of all blocks took three quarters of planning six steps of a stencil.
        """
        key = state.choices.key
        if key not in self._usual_peaks:
            known = self._peaks.get(key)
            if known is None:
                self._count_memory(state)
                known = self._memory(state).fullest(Slices.USUAL)
            self._usual_peaks[key] = known.bytes
        return self._usual_peaks[key]

    def fullest(self, state: State) -> PeakWorkers:
        """The workers whose memory is fullest, if no block takes more than usual."""
        key = state.choices.key
        if key not in self._peaks:
            self._count_memory(state)
            self._peaks[key] = self._memory(state).fullest()
        return self._peaks[key]

    def fits(self, state: State) -> bool:
        """Whether workers can hold what the plan holds at a time."""
        if not self.lacking(state):
            return True
        is_better = self._missed is None or state.rank < self._missed
        if is_better and self.may_fit_in_smaller_blocks(state):
            self._missed = state.rank
        return False

    def lacking(self, state: State) -> int:
        """Bytes that a worker lacks, if no block takes more than usual; 0 where all is held.

        Slices are counted only where it depends on them.
        """
        key = state.choices.key
        if key not in self._lacking:
            self._lacking[key] = self._lacks(state)
        return self._lacking[key]

    def _lacks(self, state: State) -> int:
        self._count_memory(state)
        if state.choices.key not in self._peaks:
            memory = self._memory(state)
            if is_ample(memory.plan, self.reserve):
                return 0
            lacking = memory.lacking_uncounted(self.reserve)
            if lacking is not None:
                return lacking
        return self.fullest(state).lacking(self.reserve)

    def may_fit_in_smaller_blocks(self, state: State) -> bool:
        """Whether values that are held whole leave room, if blocks that are computed took none."""
        least = self._memory(state).least_held
        return least + self.reserve <= self.resources.usable_bytes

    def missed(self, state: State) -> Rank | None:
        """The best rank of plans that did not fit, if it is better than that of this one."""
        return self._missed if self._missed is not None and self._missed < state.rank else None

    def hope(self, state: State) -> Rank | None:
        """The best rank that a plan with smaller tasks may reach; None if this one is best."""
        missed = self.missed(state)
        return state.rank if missed is None and not self.fits_at_worst(state) else missed

    def fits_at_worst(self, state: State) -> bool:
        """Whether workers can hold the blocks that take most: to be asked of few plans."""
        key = state.choices.key
        if key not in self._fits_at_worst:
            self._count_memory(state)
            known, memory = self._worst.get(key), self._memory_at_worst(state)
            self._fits_at_worst[key] = (
                is_ample(memory.plan) or memory.fits if known is None else known.fits
            )
        return self._fits_at_worst[key]

    def fullest_at_worst(self, state: State) -> PeakWorkers:
        """The workers whose memory is fullest, by the blocks that take most."""
        key = state.choices.key
        if key not in self._worst:
            self._count_memory(state)
            self._worst[key] = self._memory_at_worst(state).fullest()
        return self._worst[key]

    def peak_at_worst(self, state: State) -> int:
        """The most bytes that a worker holds, by the blocks that take most.

        With as many slices as usual blocks cut: whoever compares plans need not count them all.
        """
        key = state.choices.key
        if key not in self._peaks_at_worst:
            known = self._worst.get(key)
            if known is None:
                self._count_memory(state)
                known = self._memory_at_worst(state).fullest(Slices.USUAL)
            self._peaks_at_worst[key] = known.bytes
        return self._peaks_at_worst[key]

    def _memory_at_worst(self, state: State) -> WorkerMemory:
        """What workers hold in a plan as it will be."""
        if self._sketched_at_worst is None or self._sketched_at_worst[0] is not state:
            memory = WorkerMemory(self.sketch_at_worst(state), self.rounds)
            self._sketched_at_worst = state, memory
        return self._sketched_at_worst[1]

    def _count_memory(self, state: State) -> None:
        """Count what it takes to add up the memory of a plan among the costs."""
        self.pricing.evaluated += len(state.placed) // STEPS_A_COST

    def sketch_at_worst(self, state: State) -> PlannedSteps:
        """The steps of a plan as they will be."""
        steps = steps_of(state, self.pricing.machine, with_data=False)
        return Sketch(steps, state.graph, self.resources)

    def with_reserve(self, state: State) -> PlanEvaluator:
        """The space of plans that leave as much to the blocks that take most as this one needs."""
        unusual = self.fullest_at_worst(state).bytes - self.fullest(state).bytes
        return self._with(self.rounds, max(0, unusual))

    def in_rounds(self, rounds: int) -> PlanEvaluator:
        """The space of plans whose results are fetched in so many rounds at most."""
        return self._with(rounds, self.reserve)

    def _with(self, rounds: int, reserve: int) -> PlanEvaluator:
        return PlanEvaluator(self.graph, self.pricing, self.resources, rounds, reserve, self.known)


def steps_of(
    state: State,
    machine: Machine,
    needs: Callable[..., Needs] = worst_needs,
    with_data: bool = True,
) -> dict[Node, Step]:
    """The steps of a plan, producers first; `needs` tells what a block takes at most.

    Without their data, steps that differ in it alone have one program: the panels of a matrix, or
    the layers of a network. What is known of one is known of all.
    """
    blocks = [(p.group.program, p.group.inputs, largest_box(p.grid)) for p in state.placed.values()]
    whole = sent_whole(blocks, machine)
    cuts_read = {
        node: input_cuts(p.group.inputs, p.held, whole) for node, p in state.placed.items()
    }
    return {
        node: Step(
            node=node,
            program=priced.group.own if with_data else priced.group.program,
            inputs=priced.group.inputs,
            members=priced.group.members,
            cuts=priced.grid,
            held=cuts_read[node],
            machine=priced.on(machine),
            estimate=priced.cost,
            needs=needs(priced.group.program, priced.grid, cuts_read[node], machine.workers == 1),
            name="",
            next_best=priced.second,
            handy=priced.limits.handy,
            beside=priced.beside,
        )
        for node, priced in state.placed.items()
    }
