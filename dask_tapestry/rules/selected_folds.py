"""Rule on folds of many selections of the same cells: one operator folds them all.

It takes whole graphs, as it must know how many there are, and which are of which selection.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from dask_tapestry.cells import Selected
from dask_tapestry.operators.cells.field import field
from dask_tapestry.operators.reductions.joint_reductions import JointReductions, field_name
from dask_tapestry.operators.reductions.reduce import Reduce
from dask_tapestry.operators.reductions.selected_folds import SelectedFolds, selecting
from dask_tapestry.rewrite.driver import rewrite
from dask_tapestry.rewrite.rule import Rules
from dask_tapestry.rewrite.trace import Trace
from dask_tapestry.rules.grouped_lines import group_of
from dask_tapestry.rules.joint_reductions import joint_reductions_of
from dask_tapestry.rules.shared_cells import reduction_ranks, sharing_cells
from dask_tapestry.rules.tuning import FEWEST_SELECTIONS, MOST_JOINT_REDUCTIONS
from dask_tapestry.rules.views import VIEW_RULES
from dask_tapestry.teg import Graph, Node, apply
from dask_tapestry.teg.node import written_as

Folds = dict[Selected, Node]  # of the same cells, alike, by what each selects


def fold_selections_together(graph: Graph, trace: Trace | None = None) -> Graph:
    """``f(x of a), f(x of b), ... -> r[0], r[1], ... with r = f(x of a, b, ...)``, if many."""
    if sum(map(_selects, graph.nodes)) < FEWEST_SELECTIONS:
        return graph
    together: dict[Node, Node] = {}
    for many in _alike(graph):
        together |= _folded_together(many)

    def selected_folds(node: Node) -> Node | None:
        return together.get(node)

    if not together:
        return graph
    graph = rewrite(graph, (selected_folds,), trace, "selected folds", carry=False)
    return rewrite(graph, Rules(VIEW_RULES), trace, "selected folds")


def _selects(node: Node) -> bool:
    """Whether a node is a reduction of selected cells that may be folded with others."""
    match node.operator:
        case Reduce(is_whole=True) as whole:
            told = node.type.dtype.kind != "T"  # which is no field of a structured dtype
            bare = not (node.after or node.annotations) and node.format is None
            return whole.tree.selected is not None and told and bare
    return False


def _alike(graph: Graph) -> list[list[Folds]]:
    """Folds of as many selections that share a pass: for each what it folds of each selection."""
    ranks = reduction_ranks(graph)
    every: dict[tuple[int, Node, Reduce | JointReductions], Folds] = defaultdict(dict)
    for node in filter(_selects, graph.nodes):
        operator = node.operator
        assert isinstance(operator, Reduce)
        assert operator.tree.selected is not None
        plain = selecting(operator, None)
        every[ranks[node], node.inputs[0], plain][operator.tree.selected] = node
    passes: dict[tuple[object, ...], list[Folds]] = defaultdict(list)
    for (rank, x, plain), folds in every.items():
        if len(folds) >= FEWEST_SELECTIONS:
            passes[rank, x.type.shape, plain.axes, plain.tree, tuple(folds)].append(folds)
    return [group for many in passes.values() for group in _sharing(many)]


def _sharing(many: Sequence[Folds]) -> list[list[Folds]]:
    """Those together that fold the same cells, through formulas or not."""
    by_first = {_first(folds): folds for folds in many}
    found = sharing_cells(list(by_first), MOST_JOINT_REDUCTIONS)
    return [[by_first[node] for node in group] for group in found]


def _first(folds: Folds) -> Node:
    return next(iter(folds.values()))


def _folded_together(many: Sequence[Folds]) -> Mapping[Node, Node]:
    """What replaces each of the folds: one selection of the value of all."""
    firsts = [_first(folds) for folds in many]
    with written_as(next((node for node in firsts if node.line), firsts[0])):
        one = joint_reductions_of(firsts) if len(many) > 1 else firsts[0]
        fold = one.operator
        assert isinstance(fold, Reduce | JointReductions)
        operator = SelectedFolds(selecting(fold, None), tuple(many[0]))
        every = apply(operator, *one.inputs, line=one.line or "")
        names = [field_name(n) for n in range(len(many))]
        values = [field(every, name) for name in names] if len(many) > 1 else [every]
    found = {}
    for value, folds in zip(values, many, strict=True):
        for number, node in enumerate(folds.values()):
            with written_as(node):
                found[node] = group_of(value, number)
    return found
