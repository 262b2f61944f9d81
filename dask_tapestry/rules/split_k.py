"""Rule on products that are cut along the contracted dimension: partial products, then their sum.

Source: Tapestry whitepaper, "Sharding Linear over in": Prod, Sum and Add.
"""

from __future__ import annotations

from dataclasses import replace

from dask_tapestry.operators.matmul import MatMul
from dask_tapestry.operators.reduce import reduce
from dask_tapestry.teg import Node, apply


def split_k(node: Node, part: int) -> Node | None:
    """``matmul(x, w) -> sum(matmul in parts of k(x, w))``."""
    match node.operator:
        case MatMul(part=None) as whole if 0 < part < node.inputs[0].type.shape[-1]:
            partial = apply(replace(whole, part=part), *node.inputs, line=node.line or "")
            return reduce(partial, "sum", 0, dtype=whole.dtype)
    return None
