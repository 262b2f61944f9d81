"""Rule on linear: it is a product and an addition.

Source: Tapestry whitepaper, "Linear under Local Expansion".
"""

from __future__ import annotations

from dask_tapestry.operators.cells.elementwise import elementwise
from dask_tapestry.operators.products.linear import Linear
from dask_tapestry.operators.products.matmul import matmul
from dask_tapestry.rewrite.rule import on
from dask_tapestry.teg import Node


@on(Linear)
def expand_linear(node: Node) -> Node | None:
    """``linear(x, w, b) -> add(matmul(x, w), b)``."""
    match node.operator, node.inputs:
        case Linear(), (x, w):
            return matmul(x, w)
        case Linear(), (x, w, b):
            return elementwise("add", matmul(x, w), b)
    return None


LINEAR_RULES = (expand_linear,)
