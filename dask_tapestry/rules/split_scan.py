"""Rule on scans that are cut along the scanned axis: totals of leaves, their scan, then the cells.

Source: Tapestry whitepaper, "Signature Nodes": a scan dimension is cut in those three steps.
"""

from __future__ import annotations

from dask_tapestry.operators.scan import LeafTotals, Scan, ScanAfter
from dask_tapestry.teg import Node, apply


def split_scan(node: Node) -> Node | None:
    """``scan(x) -> scanafter(x, scan(scantotals(x)))``."""
    match node.operator:
        case Scan(function, axis, leaf, dtype, state) if node.type.shape[axis] > leaf:
            (x,), line = node.inputs, node.line or ""
            totals = apply(LeafTotals(function, axis, leaf, state, state), x, line=line)
            one = Scan(function, axis, totals.type.shape[axis], state, state)
            prefixes = apply(one, totals, line=line)
            return apply(ScanAfter(function, axis, leaf, dtype, state), x, prefixes, line=line)
    return None
