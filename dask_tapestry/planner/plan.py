"""Plans: the rewritten graph and its steps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from functools import cached_property
from typing import Any

from dask_tapestry.errors import PlanError
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.planner.cost.step import Step, with_first
from dask_tapestry.planner.fusion.group import is_external
from dask_tapestry.planner.joined_slots import with_joined_filled
from dask_tapestry.planner.machine.machine import Machine
from dask_tapestry.planner.machine.resources import Resources
from dask_tapestry.planner.memory.bound import holds
from dask_tapestry.planner.memory.results import ResultMemory
from dask_tapestry.planner.memory.totals import plan_cost
from dask_tapestry.planner.search.choices import Choices
from dask_tapestry.planner.search.frontier import Point
from dask_tapestry.planner.search.plan_evaluator import steps_of
from dask_tapestry.planner.search.rule_selection import Taken
from dask_tapestry.planner.verify import verify
from dask_tapestry.rewrite.trace import Trace
from dask_tapestry.teg import Graph, Node, Operator, Sink, Source, apply
from dask_tapestry.zspace import Cuts


@dataclass(frozen=True)
class PlannedGraph:
    """How an expression will be computed; made once, checked, printable.

    Attributes
    ----------
    written
        The graph as the user wrote it.
    graph
        The rewritten graph; its roots are the results in the order asked for.
    steps
        Steps by the node they compute, producers first.
    resources
        What it was made for.
    sources
        The source or sink for each slot that the plan was made with, by the slot's form.
    taken
        What graphs took before the search: choices among users' rules, and parts for the host.
    choices
        What was decided.
    candidates
        The frontier that it was chosen from, some of whose plans workers may not hold.
    passed
        Verifications that it has passed, and with it all plans that differ in data alone; None for
        a plan that is not kept, and is verified each time.
    found
        What those who run it have found of its steps, by what that is; all plans have it that
        differ in data outside of the steps alone. None for a plan that is not kept.
    """

    written: Graph
    graph: Graph
    steps: dict[Node, Step]
    resources: Resources
    rewrites: Trace = field(repr=False)
    sources: Mapping[str, Node] = field(default_factory=dict, repr=False)
    taken: tuple[Taken, ...] = field(default=(), repr=False)
    choices: Choices = field(default=Choices(), repr=False)
    candidates: tuple[Point, ...] = field(default=(), repr=False)
    passed: set[ResultMemory] | None = field(default=None, repr=False, compare=False)
    found: dict[type, Any] | None = field(default=None, repr=False, compare=False)

    def closed(self, written: Graph, sources: Mapping[str, Node]) -> PlannedGraph:
        """The plan for the graph `written`, whose sources and sinks replace the slots."""
        operators = {form: node.operator for form, node in sources.items() if not is_external(node)}
        if not operators:
            return self._of(written, sources)
        steps = {node: _closed(step, operators) for node, step in self.steps.items()}
        return replace(self, written=written, sources=sources, steps=steps, found=None)

    def _of(self, written: Graph, sources: Mapping[str, Node]) -> PlannedGraph:
        """The same steps for another graph: each compute of a plan that is kept asks for them."""
        other = object.__new__(PlannedGraph)
        own = {name: self.__dict__[name] for name in PlannedGraph.__dataclass_fields__}
        other.__dict__.update(own, written=written, sources=sources)
        return other

    def for_run(self, run: str) -> PlannedGraph:
        """The plan whose sources and sinks know the compute `run`, which begins now."""
        known: dict[Operator, Operator] = {}
        steps = {node: _for_run(step, run, known) for node, step in self.steps.items()}
        changed = any(operator is not as_planned for as_planned, operator in known.items())
        return replace(self, steps=steps, found=None) if changed else self

    @property
    def stamps(self) -> list[str]:
        """Texts that are others where what is stored has changed."""
        programs = [step.program for step in self.steps.values()]
        operators = [one.operator for program in programs for one in program.instructions]
        return [one.stamp for one in operators if isinstance(one, Source) and one.stamp]

    @cached_property
    def points(self) -> tuple[Point, ...]:
        """The frontier that it was chosen from."""
        return tuple([point for point in self.candidates if holds(self.at(point))])

    def at(self, point: Point) -> PlannedGraph:
        """The plan at a point of the frontier."""
        state, machine = point.state, Machine.of(self.resources)
        other_plan = replace(
            self,
            graph=state.graph,
            steps=with_first(steps_of(state, machine)),
            choices=state.choices,
            passed=None,
            found=None,
        )
        return other_plan.closed(self.written, self.sources)

    def source(self, node: Node) -> Node:
        """The source or sink for a slot; any other node itself."""
        found = self.sources.get(node.form)
        if found is not None:
            return found
        operators = {form: one.operator for form, one in self.sources.items()}
        joined = with_joined_filled(node.operator, operators)
        return node if joined is node.operator else apply(joined, after=node.after, line=node.line)

    def is_effect(self, node: Node) -> bool:
        """Whether a result is no value: a write, or a point in time."""
        return node.is_sequence_point or isinstance(self.source(node).operator, Sink)

    @cached_property
    def cost(self) -> dict[str, float]:
        """Estimated cost by resource; bytes, seconds, tasks."""
        return plan_cost(self)

    def chunks(self, x: Node | int = 0) -> tuple[tuple[int, ...], ...]:
        """Planned block lengths of a result, a tuple of tuples as in Dask.

        Parameters
        ----------
        x
            A node the plan was made for, or the number of a result.

        Raises
        ------
        PlanError
            If it is none of the plan's results.
        """
        root = self.root_of(x)
        return tuple(tuple(c.lengths()) for c in self.cuts_of(root))

    def root_of(self, x: Node | int) -> Node:
        """Rewritten node of a result, given as written or by number."""
        if isinstance(x, int):
            return self.graph.roots[x]
        if x in self.written.roots:
            return self.graph.roots[self.written.roots.index(x)]
        raise PlanError(f"the plan has no result {x!r}; it computes {list(self.written.roots)}")

    def cuts_of(self, node: Node) -> tuple[Cuts, ...]:
        """Cuts of a result."""
        cuts = self.steps[node].cuts if node in self.steps else node.operator.layout
        if cuts is None:
            raise PlanError(f"the plan does not hold {node!r}")
        return cuts

    def verify(self, results: ResultMemory = ResultMemory.FETCHED) -> None:
        """Check the plan symbolically.

        Parameters
        ----------
        results
            What becomes of the results once they are computed.

        Raises
        ------
        PlanError
            Names the constraint, the operator and the box.
        """
        verify(self, results)

    def verify_once(self, results: ResultMemory = ResultMemory.FETCHED) -> None:
        """Check the plan as `verify` does, unless it has passed."""
        if self.passed is None or results not in self.passed:
            self.verify(results)
        if self.passed is not None:
            self.passed.add(results)


def _for_run(step: Step, run: str, known: dict[Operator, Operator]) -> Step:
    """A step whose sources and sinks know the compute; `known` are those that were asked."""
    operators_of_run: dict[int, Operator] = {}
    for at, one in enumerate(step.program.instructions):
        operator = one.operator
        if isinstance(operator, Source | Sink):
            if operator not in known:
                known[operator] = operator.for_run(run)
            if known[operator] is not operator:
                operators_of_run[at] = known[operator]
    return (
        replace(step, program=step.program.with_operators(operators_of_run))
        if operators_of_run
        else step
    )


def _closed(step: Step, operators: Mapping[str, Operator]) -> Step:
    """A step that computes with `operators` in place of the slots with these forms."""
    found = dict[int, Operator]()
    for at, member in enumerate(step.members):
        operator = operators.get(member.form) or with_joined_filled(member.operator, operators)
        if operator is not member.operator:
            found[at] = operator
    return replace(step, program=step.program.with_operators(found)) if found else step
