"""Reductions over different axes in one pass.

It costs nodes that are held, and blocks that are cut along no axis finer than nodes of all, where
it spares reading or computing cells twice. So it is a form that plans are compared in, and no rule.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from dask_tapestry.cells import CellBuilder
from dask_tapestry.operators.reductions.common_tile import FoldedAxes, common_tile
from dask_tapestry.operators.reductions.joint_reductions import JointReductions
from dask_tapestry.operators.reductions.reduce import Reduce
from dask_tapestry.operators.reductions.tiled_reductions import (
    Fold,
    reduced_further,
    tiled_reductions,
)
from dask_tapestry.rules.shared_cells import cells_of, reduction_ranks, sharing_cells
from dask_tapestry.rules.tuning import MOST_JOINT_REDUCTIONS
from dask_tapestry.teg import Graph, Node, Source, apply
from dask_tapestry.teg.annotations import joined
from dask_tapestry.teg.node import reapply, written_as
from dask_tapestry.teg.users_line import said_together

Group = tuple[Node, ...]


def reductions_of_shared_cells(graph: Graph) -> tuple[Group, ...]:
    """Reductions that may share a pass, none of which needs another of the same pass.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> from dask_tapestry.teg import Graph
    >>> x = dt.placeholder((5000, 3000), "f8")
    >>> (together,) = reductions_of_shared_cells(Graph([(x * 2).mean(0).node, x.max().node]))
    >>> [node.operator.monoid for node in together]
    ['mean', 'max']
    """
    ranks = reduction_ranks(graph)
    alike: dict[object, list[Node]] = defaultdict(list)
    for node in graph.nodes:
        if _may_share(node):
            alike[ranks[node], node.input_types[0].shape].append(node)
    sharing = [g for nodes in alike.values() for g in sharing_cells(nodes, MOST_JOINT_REDUCTIONS)]
    groups = [tuple(group) for nodes in sharing for group in _of_one_tile(nodes)]
    return tuple([group for group in groups if _spares_reading(group)])


def _of_one_tile(nodes: Sequence[Node]) -> list[list[Node]]:
    """Groups whose nodes end together, each reduction in the first that it fits into."""
    groups: list[list[Node]] = []
    for node in nodes:
        for group in groups:
            if common_tile(node.input_types[0].shape, [_folded(n) for n in (*group, node)]):
                group.append(node)
                break
        else:
            groups.append([node])
    return groups


def _folded(node: Node) -> FoldedAxes:
    operator = node.operator
    assert isinstance(operator, Reduce | JointReductions)
    return FoldedAxes(operator.axes, operator.tree)


def _may_share(node: Node) -> bool:
    """Whether a node folds cells of one shape, which lie on the host, to a value."""
    operator, types = node.operator, node.input_types
    if not isinstance(operator, Reduce | JointReductions) or not operator.is_whole:
        return False
    shape = types[0].shape
    if not types[0].size or any(x.shape != shape for x in types) or node.after:
        return False
    if any(formula.chosen is None for formula in operator.formulas(types)):
        return False
    return node.format is None and all(x.dtype.kind not in "OT" for x in (node.type, *types))


def _spares_reading(group: Sequence[Node]) -> bool:
    """Whether what two of them read has to be read from a store, or computed.

    Those of the same tree share passes already, as many as a cache has room for.
    """
    trees = {_folded(node) for node in group}
    if len(trees) < 2 or joined(node.annotations for node in group) is None:
        return False
    readers = Counter(x for node in group for x in cells_of(node.inputs))
    shared = [x.operator for x, count in readers.items() if count > 1]
    return any(not (isinstance(one, Source) and one.external) for one in shared)


def in_one_pass(group: Group) -> dict[Node, Node] | None:
    """``f(x), g(x) -> f'(t.f0), g'(t.f1) with t = tiles(x)``, where f and g fold other axes.

    A tile is a box of cells that is whole nodes of both; f' and g' fold the nodes. What replaces
    each reduction of a group is returned, or None where their nodes do not end together.
    """
    inputs = list(dict.fromkeys(x for node in group for x in node.inputs))
    folds = [_fold_of(node, inputs) for node in group]
    operator = tiled_reductions(folds, tuple([x.type for x in inputs]), _cell_bytes(inputs))
    if operator is None:
        return None
    with written_as(next((node for node in group if node.line), group[0])):
        together = apply(operator, *inputs, line=said_together(node.line for node in group))
    together = reapply(together, inputs, annotations=joined(n.annotations for n in group))
    done: dict[Node, Node] = {}
    for name, fold, node in zip(operator.names, folds, group, strict=True):
        with written_as(node):
            done[node] = reduced_further(together, name, fold, node.line)
    return done


def _cell_bytes(inputs: Sequence[Node]) -> int:
    """Bytes for a cell of what is read, or of the inputs where they are fewer."""
    shape = inputs[0].type.shape
    stored = {x for x in cells_of(inputs) if isinstance(x.operator, Source)}
    read = sum(x.type.dtype.itemsize for x in stored if x.type.shape == shape)
    own = sum(x.type.dtype.itemsize for x in inputs)
    return min(read, own) if read else own


def _fold_of(node: Node, inputs: list[Node]) -> Fold:
    """The operator of a reduction, whose formulas are of all `inputs`."""
    operator = node.operator
    assert isinstance(operator, Reduce | JointReductions)
    builder = CellBuilder([x.type.dtype for x in inputs])
    places = [inputs.index(x) for x in node.inputs]
    formulas = operator.formulas(node.input_types)
    inlined = [builder.finish(builder.inline(formula, places)) for formula in formulas]
    return operator.with_formulas(tuple(inlined))
