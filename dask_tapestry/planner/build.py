"""Builds a plan: from the graph the user wrote to verified steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial
from time import thread_time

from dask_tapestry.amounts import one_of, seconds, whole_number
from dask_tapestry.errors import ArgumentTypeError, MemoryLimitError
from dask_tapestry.memory.garbage_collection import collection_paused
from dask_tapestry.planner.cost.rank import Rank
from dask_tapestry.planner.cost.step import with_first
from dask_tapestry.planner.forgetting import forget_after_many
from dask_tapestry.planner.kept_choices import keep, kept
from dask_tapestry.planner.machine.machine import Machine
from dask_tapestry.planner.machine.resources import Resources
from dask_tapestry.planner.machine.shared_workers import resources_beside
from dask_tapestry.planner.plan import PlannedGraph
from dask_tapestry.planner.remembered_choices import fits, recalled, remember
from dask_tapestry.planner.rewriting.rule_choices import with_forms
from dask_tapestry.planner.search.plan_evaluator import PlanEvaluator
from dask_tapestry.planner.search.plan_spaces import crowding_results
from dask_tapestry.planner.search.rule_selection import Find, RankedSeeds, choosing
from dask_tapestry.planner.search.search import METHODS, SearchResult, search, steps_of
from dask_tapestry.planner.search.seeds import Seeds
from dask_tapestry.planner.searched_graph import searched_graph
from dask_tapestry.planner.tuning import KEPT_SECONDS
from dask_tapestry.planner.walltime import ending_in_time
from dask_tapestry.rewrite.trace import Trace
from dask_tapestry.teg import Graph, Node, Sink
from dask_tapestry.teg.check import check, writes_that_meet_are_ordered
from dask_tapestry.teg.node import topological, written_as


def build_plan(
    roots: Sequence[Node],
    resources: Resources | None = None,
    method: str = "auto",
    budget: float | None = None,
    seed: int = 0,
    recall: bool = False,
) -> PlannedGraph:
    """Plan the values `roots` together.

    Parameters
    ----------
    resources
        What to plan for; by default what is configured, live, or this machine.
    method
        ``"auto"``; ``"exhaustive"``, the best of all plans of a small graph; or ``"none"``, one
        block an operator.
    budget
        Seconds of the search; by default what the plan may be worth.
    seed
        Of what chance decides in the search.
    recall
        Whether choices will do that were found before for such a graph: of these the frontier is
        not known.

    Raises
    ------
    ConstraintError
        If two writes meet in a stored piece and neither follows the other.
    MemoryLimitError
        If no plan is found that workers can hold.
    PlanError
        If a graph is too large for ``"exhaustive"``, a plan has too many tasks or takes more than
        the user's limits, or a task takes longer than workers live.
    """
    one_of("method", method, METHODS)
    if resources is not None and not isinstance(resources, Resources):
        raise ArgumentTypeError(f"resources must be dt.Resources, not {resources!r}")
    if budget is not None:
        budget = seconds("budget", budget)
    seed = whole_number("seed", seed, 0)
    machines = resources or resources_beside(topological(roots))
    if not recall:  # otherwise its form was looked for, and counted
        forget_after_many()

    def made() -> PlannedGraph:
        try:
            return _planned(roots, machines, method, budget, seed, recall)
        except MemoryLimitError:
            if not machines.has_more:
                raise
            return _planned(roots, replace(machines, filled=True), method, budget, seed, recall)

    # What is remembered of a plan that workers cannot hold serves those that are made after it
    with written_as(None), collection_paused():
        return ending_in_time(made(), made)


def _planned(
    roots: Sequence[Node],
    machines: Resources,
    method: str,
    budget: float | None,
    seed: int,
    recall: bool,
) -> PlannedGraph:
    """Plan the values `roots` together, for machines of which no more is taken than they say."""
    is_searched = method == "auto" and budget is None
    is_usual = is_searched and not seed
    known_plans = cache(lambda graph: recalled(graph, machines) or kept(graph, machines))
    seeds = _Seeds(machines, is_usual, known_plans if recall else None) if is_searched else None

    def find(graph: Graph, beside: Rank | None = None) -> SearchResult | None:
        known = known_plans(graph) if recall else None
        if known is not None and known.given_up and beside is not None:
            return None
        if known is not None and (not known.given_up or fits(graph, machines, known)):
            return known
        start = thread_time()
        spaces = None if seeds is None else seeds.spaces_of(graph)
        found = search(graph, machines, method, budget, seed, spaces, beside)
        if is_usual and thread_time() - start > KEPT_SECONDS:
            keep(graph, machines, found)
        if is_usual and not recall:
            remember(graph, machines, found)
        return None if found.given_up else found

    return plan_as_found(roots, machines, find, seeds, apart=not machines.has_more)


class _Seeds:
    """Seeds of graphs; those of graphs that are left are known as their plans from then on.

    Parameters
    ----------
    keeps
        Whether they are.
    known
        Tells what was found before for a graph, where that is asked.
    """

    def __init__(
        self,
        machines: Resources,
        keeps: bool,
        known: Callable[[Graph], SearchResult | None] | None,
    ) -> None:
        self.seeds, self.keeps, self.known = Seeds(machines), keeps, known

    def of(self, graph: Graph) -> SearchResult | None:
        """The seed of a graph; None where it has none, or its plan is known."""
        is_known = self.known is not None and self.known(graph) is not None
        return None if is_known else self.seeds.of(graph)

    def leave(self, graph: Graph) -> None:
        """Keep the seed of a graph as what was found for it."""
        seed = self.seeds.of(graph)
        if seed is not None and self.keeps:
            keep(graph, self.seeds.resources, seed)
            if self.known is None:
                remember(graph, self.seeds.resources, seed)

    def spaces_of(self, graph: Graph) -> list[PlanEvaluator] | None:
        """The plans of a graph whose seed was asked for."""
        return self.seeds.known_spaces(graph)


@collection_paused()
def plan_as_found(
    roots: Sequence[Node],
    machines: Resources,
    find: Find[SearchResult],
    seeds: RankedSeeds | None = None,
    apart: bool = True,
) -> PlannedGraph:
    """Plan the values `roots` for `machines`, with the choices that `find` makes for a graph.

    The graph that it is given is rewritten, and in no forms.
    """
    trace = Trace()
    written = Graph(roots)
    if any(isinstance(node.operator, Sink) for node in written):
        check(written, (writes_that_meet_are_ordered,))
    graph = searched_graph(written, machines, trace)
    crowding = partial(crowding_results, resources=machines)
    graph, search_result, forms_taken = choosing(graph, find, trace, seeds, apart, crowding)
    state = search_result.state
    with_forms(graph, state.choices.forms, trace)
    steps = with_first(steps_of(state, Machine.of(machines)))
    return PlannedGraph(
        written,
        state.graph,
        steps,
        machines,
        trace,
        taken=forms_taken,
        choices=state.choices,
        candidates=search_result.points,
    )
