"""Rules on operators with several outputs.

What nobody reads is left out; that rule takes whole graphs, as it must know all that is read of an
operator.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Final

from dask_tapestry.operators.views.output import Output
from dask_tapestry.operators.views.view import View, ViewAxis
from dask_tapestry.rewrite.driver import rewrite
from dask_tapestry.rewrite.rule import on
from dask_tapestry.rewrite.trace import Trace
from dask_tapestry.teg import Graph, Node, apply
from dask_tapestry.teg.node import written_as
from dask_tapestry.teg.operator import Operator
from dask_tapestry.teg.outputs import windows_of


@on(Output)
def output_of_view(node: Node) -> Node | None:
    """``output(view(x)) -> view(output(x))``: of index points, what one output has of them."""
    match node.operator, *(i.operator for i in node.inputs):
        case Output() as one, View() as view:
            (x,) = node.inputs[0].inputs
            whole = apply(one, x, line=node.line or "")
            axes = _viewed_points(one, view, x, whole)
            if axes is not None:
                return apply(View(node.type.shape, axes), whole, line=node.line or "")
    return None


def _viewed_points(
    output: Output, view: View, points: Node, whole: Node
) -> tuple[ViewAxis, ...] | None:
    """The cells of an output that a view of index points in their order shows; None for others."""
    window = output.window((points.type,)).projection
    axes = [ViewAxis(axis, 0, 1) for axis in range(whole.type.ndim)]
    signature = output.signature(points.type)
    for axis, width in enumerate(window.shape):
        dim = signature.owner(0, axis)
        if dim is None:
            continue
        seen, alone = view.axes[dim], view.shape[dim] == 1
        step = 1 if alone else seen.step
        if (seen.dim != dim and not alone) or (width > 1 and step != 1):
            return None
        axes[axis] = ViewAxis(axis, seen.start * width, step)
    return tuple(axes)


def keep_outputs_read(graph: Graph, trace: Trace | None = None) -> Graph:
    """``output(op(x) -> q, r, q) -> output(op(x) -> q, q)``, if nobody reads ``r``."""
    while fewer := _used_outputs(graph):

        def keep_outputs_read(node: Node, fewer: dict[Node, Node] = fewer) -> Node | None:
            if not isinstance(node.operator, Output) or node.inputs[0] not in fewer:
                return None
            return apply(node.operator, fewer[node.inputs[0]], line=node.line)

        graph = rewrite(graph, (keep_outputs_read,), trace, "outputs", carry=False)
    if any(isinstance(node.operator, Output) and _alone(node) for node in graph.nodes):
        graph = rewrite(graph, (output_alone,), trace, "outputs", carry=False)
    return graph


@on(Output)
def output_alone(node: Node) -> Node | None:
    """``output(op(x) -> r, r) -> r_alone(x)``, as ``svd(x) -> s`` is ``svdvals(x)``."""
    alone = _alone(node)
    if alone is None:
        return None
    return apply(alone, *node.inputs[0].inputs, line=node.line or "")


def _alone(node: Node) -> Operator | None:
    """What computes the output that `node` takes, if nobody reads the others."""
    (whole,) = node.inputs
    if len(windows_of(whole.type)) > 1 or whole.after or not isinstance(node.operator, Output):
        return None
    return whole.operator.alone(node.operator.output)


def _used_outputs(graph: Graph) -> dict[Node, Node]:
    """For each operator of which not all outputs are read, the one that has those alone."""
    read: dict[Node, set[str]] = defaultdict(set)
    for node in graph.nodes:
        if isinstance(node.operator, Output):
            read[node.inputs[0]].add(node.operator.output)
    fewer: dict[Node, Node] = {}
    for node, names in read.items():
        if len(names) < len(windows_of(node.type)):
            with written_as(node):
                some = node.operator.keeping(names)
                fewer[node] = apply(some, *node.inputs, after=node.after)
    return fewer


OUTPUT_RULES: Final = (output_of_view,)
