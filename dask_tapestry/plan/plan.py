"""Plans: the rewritten graph and its steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from dask_tapestry.errors import PlanError
from dask_tapestry.io.slot import Slot
from dask_tapestry.plan.resources import Resources
from dask_tapestry.plan.step import Step
from dask_tapestry.plan.totals import plan_cost
from dask_tapestry.plan.verify import verify
from dask_tapestry.rewrite.trace import Trace
from dask_tapestry.teg import Graph, Node
from dask_tapestry.zspace import Cuts


@dataclass(frozen=True)
class Plan:
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
        The array for each slot that the plan was made with.
    """

    written: Graph
    graph: Graph
    steps: dict[Node, Step]
    resources: Resources
    rewrites: Trace = field(repr=False)
    sources: dict[Node, Node] = field(default_factory=dict, repr=False)

    def closed(self, written: Graph, sources: Sequence[Node]) -> Plan:
        """The same plan for the graph `written`, whose arrays replace the slots."""
        opened = {
            node: sources[node.operator.number]
            for node in self.written.nodes
            if isinstance(node.operator, Slot)
        }
        return replace(self, written=written, sources=opened)

    def source(self, node: Node) -> Node:
        """The array for a slot; any other node itself."""
        return self.sources.get(node, node)

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

    def verify(self) -> None:
        """Check the plan symbolically.

        Raises
        ------
        PlanError
            Names the constraint, the operator and the box.
        """
        verify(self)
