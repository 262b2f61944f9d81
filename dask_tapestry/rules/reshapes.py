"""Rules on reshapes: two in a row are one; those that only squeeze or unsqueeze are views."""

from __future__ import annotations

from dask_tapestry.operators.reshape import Reshape, reshape
from dask_tapestry.operators.view import View, ViewAxis
from dask_tapestry.rewrite.rule import on
from dask_tapestry.teg import Node, apply


@on(Reshape)
def compose_reshapes(node: Node) -> Node | None:
    """``reshape(reshape(x)) -> reshape(x)``."""
    match node.operator, *(i.operator for i in node.inputs):
        case Reshape(_, new, None), Reshape(_, _, None):
            return reshape(node.inputs[0].inputs[0], new)
    return None


@on(Reshape)
def reshape_as_view(node: Node) -> Node | None:
    """``reshape(x) -> view(x)``, where it only adds or drops dimensions of length one."""
    match node.operator:
        case Reshape(old, new, None) if node.type.size:
            kept = [dim for dim, n in enumerate(new) if n != 1]
            if [n for n in old if n != 1] != [new[dim] for dim in kept]:
                return None
            targets = iter(kept)
            axes = tuple(ViewAxis(-1 if n == 1 else next(targets), 0, 1) for n in old)
            seen = apply(View(new, axes), *node.inputs, line=node.line or "")
            return seen if seen.type == node.type else None  # else it would lose dimension names
    return None


RESHAPE_RULES = (compose_reshapes, reshape_as_view)
