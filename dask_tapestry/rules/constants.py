"""Rules on constants: ``full`` becomes a constant of the formula that reads it."""

from __future__ import annotations

from dask_tapestry.cells import CellBuilder
from dask_tapestry.operators.cells.elementwise import Elementwise
from dask_tapestry.operators.generators.full import Full
from dask_tapestry.rewrite.rule import on
from dask_tapestry.teg import Node, apply


@on(Elementwise)
def full_into_elementwise(node: Node) -> Node | None:
    """``elementwise(f, x, full(c)) -> elementwise(f(., c), x)``, where an input is not full."""
    match node.operator:
        case Elementwise(expression):
            varying = [x for x in node.inputs if not isinstance(x.operator, Full)]
            if not varying or len(varying) == len(node.inputs):
                return None
            builder = CellBuilder([x.type.dtype for x in varying])
            values = [
                builder.constant(x.operator.scalar)
                if isinstance(x.operator, Full)
                else varying.index(x)
                for x in node.inputs
            ]
            formula = builder.finish(builder.inline(expression, values))
            return apply(Elementwise(formula), *varying, line=node.line or "")
    return None


CONSTANT_RULES = (full_into_elementwise,)
