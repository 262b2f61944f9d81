"""Equivalence: that a plan computes a graph, and where it does not.

Both become graphs without forms and with one function a formula, rewritten by the same rules; equal
nodes are one node, so equal graphs have the same results.
"""

from __future__ import annotations

from dask_tapestry.errors import PlanError
from dask_tapestry.planner.abstraction import abstract
from dask_tapestry.planner.plan import PlannedGraph
from dask_tapestry.planner.rewriting.passes import simplified
from dask_tapestry.planner.tuning import MOST_REWRITE_ROUNDS
from dask_tapestry.rewrite.trace import Trace
from dask_tapestry.rules.unfuse import Unfused
from dask_tapestry.teg import Graph, Node


def require_computes(plan: PlannedGraph, graph: Graph) -> None:
    """Check that `plan` is legal and yields the results of `graph`, in order.

    Raises
    ------
    PlanError
        Names the first difference.
    """
    plan.verify()
    mine, theirs = abstract(plan), Unfused().graph(simplified(graph, Trace()))
    if len(mine.roots) != len(theirs.roots):
        raise PlanError(f"the plan has {len(mine.roots)} results, the graph {len(theirs.roots)}")
    if mine != theirs:
        mine, theirs = fixed_point(mine), fixed_point(theirs)
    for number, (have, want) in enumerate(zip(mine.roots, theirs.roots, strict=True)):
        if have is not want:
            have, want = first_difference(have, want)
            raise PlanError(
                f"result {number} is another value: the plan computes {_node_text(have)} where the "
                f"graph has {_node_text(want)}"
            )


def fixed_point(graph: Graph) -> Graph:
    """The graph rewritten until nothing changes, each formula having one function.

    Rules look at formulas as a whole, such as at their cost, so unfusing may let more apply.
    """
    for _ in range(MOST_REWRITE_ROUNDS):
        now = Unfused().graph(simplified(graph, Trace()))
        if now == graph:
            break
        graph = now
    return graph


def first_difference(have: Node, want: Node) -> tuple[Node, Node]:
    """Two nodes at the same place before two others, which differ though their inputs agree."""
    while True:
        alike = have.operator == want.operator and len(have.inputs) == len(want.inputs)
        pairs = zip((*have.inputs, *have.after), (*want.inputs, *want.after), strict=False)
        deeper = next(((a, b) for a, b in pairs if a is not b), None) if alike else None
        if deeper is None:
            return have, want
        have, want = deeper


def _node_text(node: Node) -> str:
    """A node with what it is applied to."""
    inputs = ", ".join(x.operator.name for x in node.inputs)
    text = node.operator.text()
    inside = ", ".join(part for part in (inputs, text) if part)
    after = f" after {len(node.after)} sequence points" if node.after else ""
    where = f" ({node.line})" if node.line else ""
    return f"{node.operator.name}({inside}) : {node.type}{after}{where}"
