"""Slice pushdown: no operator computes more than its consumers read.

``view(op(x)) -> op(view(x))`` for all readers of ``op(x)`` at once: the operator is restricted to
one region that holds what they read, and each reader views its part. So a value that is read twice
(``x[1:] - x[:-1]``) is still computed once, and ``x[:5]`` costs what five rows cost.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dask_tapestry.cells.references import packed
from dask_tapestry.operators.generators.full import Full
from dask_tapestry.operators.views.view import View, ViewAxis
from dask_tapestry.rewrite.driver import rebuilt
from dask_tapestry.rewrite.trace import Trace
from dask_tapestry.teg import Graph, Node, Region, Sink, apply
from dask_tapestry.teg.node import reapply, written_as
from dask_tapestry.teg.operator import Restriction


def push_slices(graph: Graph, trace: Trace | None = None) -> Graph:
    """Restrict every operator to the region that is read of it."""
    if not any(n.operator.is_selector or 0 in n.type.shape for n in graph.nodes):
        return graph  # nothing reads less than all
    plans = _restrictions(graph)
    if all(plan is None for plan in plans.values()):
        return graph
    if trace is not None:
        trace.begin("slices", "graph")
    sliced: dict[Node, Node] = {}
    yields: dict[Node, Region] = {}
    for node in graph.nodes:
        if node not in plans:
            continue
        plan = plans[node]
        if plan is None:
            whole = [_part(sliced[x], yields[x], Region.whole(x.type.shape)) for x in node.inputs]
            now = dict(zip(node.inputs, whole, strict=True))
            again = rebuilt(node, now | {a: sliced[a] for a in node.after})
            points = _waited_for(again.inputs, again.after)
            sliced[node] = reapply(again, again.inputs, points)
            yields[node] = Region.whole(node.type.shape)
            continue
        parts = [
            _part(sliced[x], yields[x], region)
            for x, region in zip(node.inputs, plan.inputs, strict=False)
        ]
        with written_as(node):
            points = _waited_for(parts, [sliced[a] for a in node.after])
            sliced[node] = apply(plan.operator, *parts, after=points)
        yields[node] = plan.yields
        if trace is not None and not plan.yields.is_whole(node.type.shape):
            trace.record("push_slices", node, sliced[node], plan.yields)
    roots = [_part(sliced[r], yields[r], Region.whole(r.type.shape)) for r in graph.roots]
    if trace is not None:
        trace.record_results(graph.roots, roots)
    return Graph(roots)


def _waited_for(inputs: Sequence[Node], after: Sequence[Node]) -> tuple[Node, ...]:
    """What a node follows: also what inputs without cells do, of which no task is read."""
    unread = [point for x in inputs if not x.type.size for point in x.after]
    return tuple(dict.fromkeys((*after, *unread)))


def _restrictions(graph: Graph) -> dict[Node, Restriction | None]:
    """For each node that is read, its restriction; None where it computes all its cells.

    A node of which no cell is read becomes a tensor without cells; one that fixes a layout stays,
    for others ask for its blocks, of a source where it is a result.
    """
    regions: dict[Node, Region] = {root: Region.whole(root.type.shape) for root in graph.roots}
    results = frozenset(graph.roots)
    plans: dict[Node, Restriction | None] = {}
    for node in reversed(graph.nodes):
        effect = node.is_sequence_point or isinstance(node.operator, Sink)
        if node not in regions and not effect:
            continue
        region = regions.get(node, Region.whole(node.type.shape))
        plan = None
        is_asked = node.operator.layout is not None and (bool(node.inputs) or node in results)
        if region.is_empty and not effect and not is_asked:
            plan = _empty_tensor(node, region)
        elif node.operator.is_selector or not region.is_whole(node.type.shape):
            plan = node.operator.restrict(node.input_types, region)
            if plan is not None and _changes_nothing(node, plan):
                plan = None
        plans[node] = plan
        reads = plan.inputs if plan else [Region.whole(x.type.shape) for x in node.inputs]
        for source, read in zip(node.inputs, reads, strict=False):  # no cells, no reads
            regions[source] = regions[source].hull(read) if source in regions else read
        for earlier in node.after:
            regions[earlier] = Region.whole(earlier.type.shape)  # one waits for all of it
    return plans


def _empty_tensor(node: Node, region: Region) -> Restriction | None:
    if isinstance(node.operator, Full):
        return node.operator.restrict((), region)
    type_ = node.type._replace(shape=region.shape)
    return Restriction(Full(type_, packed(np.zeros((), type_.dtype))), (), region)


def _changes_nothing(node: Node, plan: Restriction) -> bool:
    whole = plan.yields.is_whole(node.type.shape)
    return whole and all(
        region.is_whole(x.type.shape) for region, x in zip(plan.inputs, node.inputs, strict=True)
    )


def _part(node: Node, holds: Region, wanted: Region) -> Node:
    """View of the cells `wanted` of a node that holds only the region `holds`."""
    if holds == wanted:
        return node
    inner = holds.position(wanted)
    axes = tuple(ViewAxis(dim, p.start, p.step) for dim, p in enumerate(inner))
    return apply(View(inner.shape, axes), node, line="")
