"""Seeds of graphs: the plans that their searches would begin with, which tell which one to search.

A graph in which reductions share a pass is another one, searched from a seed of its own. Where one
seed is far behind the other, so is what it leads to: both are improved in the same ways.
"""

from __future__ import annotations

from dask_tapestry.planner.machine.resources import Resources
from dask_tapestry.planner.search.components import components_of
from dask_tapestry.planner.search.one_block import in_one_block
from dask_tapestry.planner.search.plan_evaluator import PlanEvaluator
from dask_tapestry.planner.search.plan_spaces import plan_spaces
from dask_tapestry.planner.search.repetition import shortened
from dask_tapestry.planner.search.search import SearchResult
from dask_tapestry.planner.search.tuning import SHORT_SEED_SECONDS
from dask_tapestry.teg import Graph


class Seeds:
    """The seeds of graphs for some workers, and the spaces in which they are searched."""

    def __init__(self, resources: Resources) -> None:
        self.resources = resources
        self._spaces: dict[Graph, list[PlanEvaluator]] = {}

    def of(self, graph: Graph) -> SearchResult | None:
        """The seed of a graph; None where it is searched in parts, soon, or may be one block."""
        if components_of(graph) is not None or shortened(graph) is not None:
            return None
        space = self.spaces(graph)[0]
        if in_one_block(space) is not None:
            return None
        state = space.seed()
        if state.seconds < SHORT_SEED_SECONDS:
            return None
        return SearchResult(state, limits=space.pricing.limits, given_up=True)

    def spaces(self, graph: Graph) -> list[PlanEvaluator]:
        """The plans of a graph, whose tasks may take less and less of the memory."""
        if graph not in self._spaces:
            self._spaces[graph] = plan_spaces(graph, self.resources, "auto")
        return self._spaces[graph]

    def known_spaces(self, graph: Graph) -> list[PlanEvaluator] | None:
        """The same, of a graph whose seed was asked for."""
        return self._spaces.get(graph)
