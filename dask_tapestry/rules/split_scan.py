"""Rules on scans cut along the scanned axis, in three steps of which the second is small.

Either leaves are scanned, and the scan of their ends is added to them; or, where holding scanned
leaves costs more than reading the cells twice, the totals of leaves are scanned first.

Source: Tapestry whitepaper, "Signature Nodes": a scan dimension is cut in those three steps.
"""

from __future__ import annotations

from dask_tapestry.operators.scan import AfterLeaf, LeafEnds, LeafScan, LeafTotals, Scan, ScanAfter
from dask_tapestry.teg import Node, apply


def split_scan(node: Node) -> Node | None:
    """``scan(x) -> afterleaf(y, scan(leafends(y)))`` with ``y = leafscan(x)``."""
    match node.operator:
        case Scan(function, axis, leaf, dtype, state) if node.type.shape[axis] > leaf:
            (x,), line = node.inputs, node.line or ""
            local = apply(LeafScan(function, axis, leaf, state, state), x, line=line)
            ends = apply(LeafEnds(axis, leaf), local, line=line)
            before = _one_leaf(node.operator, ends, line)
            return apply(AfterLeaf(function, axis, leaf, dtype, state), local, before, line=line)
    return None


def split_scan_reading_twice(node: Node) -> Node | None:
    """``scan(x) -> scanafter(x, scan(leaftotals(x)))``."""
    match node.operator:
        case Scan(function, axis, leaf, dtype, state) if node.type.shape[axis] > leaf:
            (x,), line = node.inputs, node.line or ""
            totals = apply(LeafTotals(function, axis, leaf, state, state), x, line=line)
            before = _one_leaf(node.operator, totals, line)
            return apply(ScanAfter(function, axis, leaf, dtype, state), x, before, line=line)
    return None


def _one_leaf(whole: Scan, totals: Node, line: str) -> Node:
    """The scan of totals, as one leaf: in one step from the first to the last."""
    extent, state = totals.type.shape[whole.axis], whole.state
    return apply(Scan(whole.function, whole.axis, extent, state, state), totals, line=line)
