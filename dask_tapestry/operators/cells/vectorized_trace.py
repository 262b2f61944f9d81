"""Vectorized traces: what was traced for one cell, made into an expression of all cells."""

from __future__ import annotations

from collections.abc import Mapping

from dask_tapestry.errors import TraceError
from dask_tapestry.operators.broadcast_shapes import broadcast_shape
from dask_tapestry.operators.cells.cell_function import CellFunction
from dask_tapestry.operators.cells.elementwise import Elementwise
from dask_tapestry.operators.cells.field import Field
from dask_tapestry.operators.generators.symbol import Symbol
from dask_tapestry.operators.views.broadcast import broadcast
from dask_tapestry.teg import Node, Tensor
from dask_tapestry.teg.node import reapply, topological

CELL_BY_CELL = (Elementwise, CellFunction, Field)  # operators that mean the same of any shape


def lifted(result: Tensor, places: Mapping[Node, Tensor], name: str) -> Tensor:
    """Return `result`, which was traced for one cell, for all cells.

    Parameters
    ----------
    places
        For each symbol the tensor of its cells; these broadcast together.
    name
        Of the function, for errors.

    Raises
    ------
    TraceError
        If the function did something that is none of cells, or used a symbol of another one.
    """
    by_node: dict[Node, Tensor] = {}
    for node in topological([result]):
        inputs = [by_node[x] for x in node.inputs]
        after = [by_node[x] for x in node.after]
        if node in places:
            by_node[node] = places[node]
        elif isinstance(node.operator, Symbol):
            raise TraceError(f"{name}: it uses {node.operator.what} of another function")
        elif tuple(inputs) == node.inputs and tuple(after) == node.after:
            by_node[node] = node
        elif not isinstance(node.operator, CELL_BY_CELL):
            at = f", {node.line}" if node.line else ""
            raise TraceError(
                f"{name} cannot be traced: it computes with whole arrays ({node.operator.name}"
                f"{at}), not with single cells; do that outside of it"
            )
        else:
            shape = broadcast_shape([x.type.shape for x in inputs], f"cells of {name}")
            by_node[node] = reapply(node, [broadcast(x, shape) for x in inputs], after)
    return by_node[result]
