"""Rule on joins of stored arrays: one source of all, so that no step has one for each file."""

from __future__ import annotations

from dask_tapestry.io.sources.joined_source import joined_source
from dask_tapestry.operators.joins.concat import Concat
from dask_tapestry.operators.views.view import View
from dask_tapestry.rewrite.rule import Shared, on
from dask_tapestry.rules.tuning import FEWEST_JOINED_SOURCES, MOST_READ_ALONE
from dask_tapestry.teg import Node, Source, apply


@on(Concat, sharing=True)
def source_of_all(node: Node, shared: Shared) -> Node | None:
    """``concat(source, source, ...) -> joined source``, of a stack too, if they are stored alike.

    Unless many of them are read elsewhere as well: then each would be read twice.
    """
    match node.operator:
        case Concat(axis) if len(node.inputs) >= FEWEST_JOINED_SOURCES:
            stacked = all(_shows_as_one(x, axis) for x in node.inputs)
            nodes = [x.inputs[0] for x in node.inputs] if stacked else node.inputs
            sources = [x.operator for x in nodes if isinstance(x.operator, Source)]
            alone = sum([x in shared for x in nodes])
            if len(sources) < len(nodes) or alone > MOST_READ_ALONE * len(nodes):
                return None
            if any(x.after or x.annotations or x.format for x in (node, *node.inputs, *nodes)):
                return None
            joined = joined_source(sources, axis, stacked, node.type)
            return None if joined is None else apply(joined, line=node.line or "")
    return None


def _shows_as_one(node: Node, axis: int) -> bool:
    """Whether a value is a source with one more axis, of one place."""
    view = node.operator
    if not isinstance(view, View) or not isinstance(node.inputs[0].operator, Source):
        return False
    shape = node.inputs[0].type.shape
    dims = [dim for dim in range(len(view.shape)) if dim != axis]
    whole = view.shape == (*shape[:axis], 1, *shape[axis:])
    return whole and [tuple(one) for one in view.axes] == [(dim, 0, 1) for dim in dims]
