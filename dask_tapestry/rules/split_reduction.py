"""Rule on reductions that are cut along their reduced axes: partial nodes, then their combination.

Source: Tapestry whitepaper, "Reduction Operations": partial reductions over blocks of the reduction
dimension, and a second stage that completes them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dask_tapestry.operators.reduce import Reduce
from dask_tapestry.teg import Node, apply


def split_reduction(node: Node, levels: Sequence[int]) -> Node | None:
    """``reduce(x) -> reduce from level t (... (reduce to level t (x)))``, a step for each level."""
    match node.operator:
        case Reduce(source=None, target=None) as whole if levels:
            value, source = node.inputs[0], None
            for level in (*levels, None):
                part = replace(whole, source=source, target=level)
                value, source = apply(part, value, line=node.line or ""), level
            return value
    return None
