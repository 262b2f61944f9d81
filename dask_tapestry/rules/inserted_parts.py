"""Rule on parts of a value that was changed in parts: they are read from what they came from.

As each group of lines of ``x[a] = x[a] - x[a].mean()``, of which no other assignment changes any.
It takes whole graphs: where some part overlaps what was inserted, as those of a stencil do, all
parts are read from the changed value, of which workers have each block once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection

from dask_tapestry.operators.joins.insert import Insert
from dask_tapestry.operators.views.view import View, ViewAxis
from dask_tapestry.rewrite.driver import rebuilt
from dask_tapestry.rewrite.trace import Trace
from dask_tapestry.teg import Graph, Node, apply


def read_before_inserts(graph: Graph, trace: Trace | None = None) -> Graph:
    """``view(insert(x, y)) -> view(x)|view(y)`` for parts of one alone, if all parts are."""
    parts: dict[Node, list[Node]] = defaultdict(list)
    for node in graph.nodes:
        if isinstance(node.operator, View) and isinstance(node.inputs[0].operator, Insert):
            parts[node.inputs[0]].append(node)
    apart = {x for x, views in parts.items() if all(before_insert(x, view) for view in views)}
    if not apart:
        return graph
    if trace is not None:
        trace.begin("inserted parts", "graph")
    now, passed = dict[Node, Node](), set[Node]()
    for node in graph.nodes:
        now[node] = own = rebuilt(node, now)
        if node in apart:
            passed.add(own)
        if isinstance(node.operator, View):
            now[node] = _before_inserts(own, passed)
        if trace is not None and now[node] is not own:
            trace.record("read_before_inserts", own, now[node])
    results = [now[root] for root in graph.roots]
    if trace is not None:
        trace.record_results(graph.roots, results)
    return Graph(results)


def _before_inserts(view: Node, passed: Collection[Node]) -> Node:
    """The same cells of what lies before all inserts in a row that are `passed`."""
    while view.inputs[0] in passed and (before := before_insert(view.inputs[0], view)) is not None:
        view = before
    return view


def before_insert(inserted: Node, part: Node) -> Node | None:
    """A part of a changed value as one of what it was before, or of what was inserted.

    None where it has cells of both, or of every other cell that was inserted.
    """
    view, operator = part.operator, inserted.operator
    assert isinstance(view, View)
    assert isinstance(operator, Insert)
    if view.runs or not (_is_bare(inserted) and _is_bare(part)):
        return None
    (box,) = view.demand((inserted.type,), part.type.box)
    kept, changed = operator.demand(inserted.input_types, box)
    if changed.is_empty:
        return apply(view, inserted.inputs[0], line=part.line or "")
    if not kept.is_empty or any(into.step != 1 for into in operator.into):
        return None
    moved = [
        ViewAxis(axis.dim, axis.start - into.start, axis.step)
        for axis, into in zip(view.axes, operator.into, strict=True)
    ]
    return apply(View(view.shape, tuple(moved)), inserted.inputs[1], line=part.line or "")


def _is_bare(node: Node) -> bool:
    """Whether nothing was said of a value that another one made of the same cells would lack."""
    return not (node.after or node.annotations) and node.format is None
