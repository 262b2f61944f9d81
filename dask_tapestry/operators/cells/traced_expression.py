"""Traced expression: what a function did with symbols of cells, as one cell expression."""

from __future__ import annotations

from collections.abc import Sequence

from dask_tapestry.cells import CellBuilder, CellExpression
from dask_tapestry.errors import TraceError
from dask_tapestry.operators.cells.elementwise import Elementwise
from dask_tapestry.operators.generators.full import Full
from dask_tapestry.operators.generators.symbol import Symbol
from dask_tapestry.teg import Node, Source, Tensor
from dask_tapestry.teg.node import topological


def traced_expression(result: Tensor, symbols: Sequence[Tensor], name: str) -> CellExpression:
    """The expression that a function named `name` made of `symbols`, its parameters in order.

    Raises
    ------
    TraceError
        If it is not made of those cells and of constants alone.
    """
    builder = CellBuilder([s.type.dtype for s in symbols])
    numbers: dict[Node, int] = {s: n for n, s in enumerate(symbols)}
    for node in topological([result]):
        operator = node.operator
        constant = not node.type.ndim and not node.inputs and not isinstance(operator, Symbol)
        if node in numbers:
            continue
        if isinstance(operator, Elementwise):
            numbers[node] = builder.inline(operator.expression, [numbers[x] for x in node.inputs])
        elif constant and isinstance(operator, Full):
            numbers[node] = builder.constant(operator.scalar)
        elif constant and isinstance(operator, Source):
            numbers[node] = builder.constant(operator.read(node.type.box).flat[0])
        else:
            at = f", {node.line}" if node.line else ""
            raise TraceError(
                f"{name} cannot be traced: it does more than compute with cells "
                f"({operator.name}{at})"
            )
    return builder.finish(numbers[result])
