"""Rule on reductions of the same cells: one pass computes them all.

It takes whole graphs, as it must know that no reduction needs another.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from dask_tapestry.cells import CellBuilder
from dask_tapestry.operators.cells.field import field
from dask_tapestry.operators.reductions.joint_reductions import JointReductions, field_name
from dask_tapestry.operators.reductions.reduce import Reduce
from dask_tapestry.rewrite.driver import rewrite
from dask_tapestry.rewrite.trace import Trace
from dask_tapestry.rules.reduction_node_overlaps import are_neighbours
from dask_tapestry.rules.shared_cells import reduction_ranks, sharing_cells
from dask_tapestry.rules.tuning import MOST_REDUCTIONS_OF_A_PASS
from dask_tapestry.teg import Graph, Node, apply
from dask_tapestry.teg.annotations import joined
from dask_tapestry.teg.node import reapply, written_as
from dask_tapestry.teg.users_line import said_together


def join_reductions(graph: Graph, trace: Trace | None = None) -> Graph:
    """``f(x), g(x) -> r.f0, r.f1 with r = (f, g)(x)``, for reductions that share cells."""
    depth = 0
    while True:
        ranks = reduction_ranks(graph)
        by_rank: dict[int, list[Node]] = defaultdict(list)
        for node in graph.nodes:
            if _may_join(node):
                by_rank[ranks[node]].append(node)
        joint: dict[Node, Node] = {}
        while not joint and depth < max(by_rank, default=0):
            depth += 1
            joint = _joint(by_rank[depth])
        if not joint:
            return graph

        def joint_reduction(node: Node, joint: dict[Node, Node] = joint) -> Node | None:
            return joint.get(node)

        graph = rewrite(graph, (joint_reduction,), trace, "joint reductions", carry=False)


def _may_join(node: Node) -> bool:
    match node.operator:
        case Reduce(is_whole=True):
            told = node.type.dtype.kind != "T"  # which is no field of a structured dtype
            return bool(node.input_types[0].size) and told and not node.after
    return False


def _joint(reductions: Sequence[Node]) -> dict[Node, Node]:
    """What replaces each reduction that is joined with others."""
    alike: dict[tuple[object, ...], list[Node]] = defaultdict(list)
    for node in reductions:
        operator = node.operator
        assert isinstance(operator, Reduce)
        alike[operator.axes, operator.tree.of_all, node.input_types[0].shape].append(node)
    most = MOST_REDUCTIONS_OF_A_PASS
    sharing = [group for nodes in alike.values() for group in sharing_cells(nodes, most)]
    joint: dict[Node, Node] = {}
    for group in _groups_on_neighbours(sharing):
        if len(group) > 1 and joined(node.annotations for node in group) is not None:
            joint |= _joined(group)
    return joint


def _groups_on_neighbours(groups: Sequence[list[Node]]) -> list[list[Node]]:
    """Groups of reductions, those together that fold cells beside each other in as many nodes."""
    found: list[list[Node]] = []
    alike: dict[object, list[list[Node]]] = defaultdict(list)
    for group in groups:
        operator = group[0].operator
        assert isinstance(operator, Reduce)
        tree = operator.tree.of_all
        candidates = alike[operator.axes, group[0].type.shape, tree.sides(0), tree.counts(0)]
        for members in candidates:
            few = len(members) + len(group) <= MOST_REDUCTIONS_OF_A_PASS
            if few and are_neighbours(members[0], group[0]):
                break
        else:
            members = []
            candidates.append(members)
            found.append(members)
        members.extend(group)
    return found


def joint_reductions_of(group: Sequence[Node]) -> Node:
    """The one pass of reductions of the same extents, of which reduction n is field n."""
    inputs = list(dict.fromkeys(node.inputs[0] for node in group))
    builder = CellBuilder([x.type.dtype for x in inputs])
    parts = []
    for node in group:
        cells = builder.finish(inputs.index(node.inputs[0]))
        (part,) = (node.operator.with_formulas((cells,)),)
        assert isinstance(part, Reduce)
        parts.append(part)
    with written_as(next((node for node in group if node.line), group[0])):
        line = said_together(node.line for node in group)
        together = apply(JointReductions(tuple(parts)), *inputs, line=line)
    return reapply(together, inputs, annotations=joined(n.annotations for n in group))


def _joined(group: Sequence[Node]) -> dict[Node, Node]:
    together = joint_reductions_of(group)
    fields = {}
    for number, node in enumerate(group):
        with written_as(node):
            fields[node] = field(together, field_name(number))
    return fields
