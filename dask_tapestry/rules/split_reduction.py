"""Rule on reductions cut along their reduced axes: nodes of the tree, then their combination.

Source: Tapestry whitepaper, "Reduction Operations": partial reductions over blocks of the reduction
dimension, and a second stage that completes them.
"""

from __future__ import annotations

from collections.abc import Sequence

from dask_tapestry.operators.tree_reduction import TreeReduction
from dask_tapestry.teg import Node, apply


def split_reduction(node: Node, levels: Sequence[int]) -> Node | None:
    """``reduce(x) -> reduce from level t(reduce to level t(x))``, for each level in turn."""
    match node.operator:
        case TreeReduction(is_whole=True) as whole if levels:
            value = apply(whole.part(None, levels[0]), *node.inputs, line=node.line or "")
            for source, target in zip(levels, (*levels[1:], None), strict=True):
                value = apply(whole.part(source, target), value, line=node.line or "")
            return value
    return None
