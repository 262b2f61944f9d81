"""Rule on contractions cut along the contracted dimension: partial results, then their sum.

Source: Tapestry whitepaper, "Sharding Linear over in": Prod, Sum and Add.
"""

from __future__ import annotations

from dask_tapestry.operators.contraction import Contraction
from dask_tapestry.teg import Node, apply
from dask_tapestry.teg.operator import signature_of


def split_k(node: Node, part: int) -> Node | None:
    """``contraction(x, w) -> combine(contraction(x, w) in parts)``."""
    match node.operator:
        case Contraction() as whole if (dim := whole.folded(node.input_types)) is not None:
            if not 0 < part < signature_of(whole, node.input_types).index[dim].extent:
                return None
            line = node.line or ""
            parts = apply(whole.in_parts(part), *node.inputs, after=node.after, line=line)
            return whole.combine(parts)
    return None
