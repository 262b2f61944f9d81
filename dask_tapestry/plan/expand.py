"""Expansions: which reductions and products are cut along the dimension they fold."""

from __future__ import annotations

from math import prod

from dask_tapestry.operators.matmul import MatMul
from dask_tapestry.operators.reduce import Reduce
from dask_tapestry.plan.grid import Aim
from dask_tapestry.rewrite.driver import rewrite
from dask_tapestry.rewrite.trace import Trace
from dask_tapestry.rules.split_k import split_k
from dask_tapestry.rules.split_reduction import split_reduction
from dask_tapestry.teg import Graph, Node

NODES_A_SHARD = 64  # tree nodes a shard should hold: fine enough to cut, few enough to send
COMBINED_AT_ONCE = 512  # shards whose nodes one task combines; more are combined in two steps


def expand(graph: Graph, aim: Aim, trace: Trace | None) -> Graph:
    """Cut reductions and products whose parallel dimensions give too few or too large blocks."""

    def split_reductions(node: Node) -> Node | None:
        return split_reduction(node, reduction_levels(node, aim))

    def split_products(node: Node) -> Node | None:
        return split_k(node, product_part(node, aim))

    return rewrite(graph, (split_reductions, split_products), trace)


def shard_bytes(total: int, aim: Aim) -> int:
    """Bytes of input that one shard should read, for `total` bytes in all."""
    wanted = max(aim.smallest, -(-total // aim.count))
    return min(max(min(wanted, aim.largest), total // aim.most), aim.limit // 4)


def reduction_levels(node: Node, aim: Aim) -> tuple[int, ...]:
    """Tree levels at which a reduction's partial results are sent on; none if it stays whole."""
    match node.operator:
        case Reduce(source=None, target=None) as whole:
            (x,) = node.input_types
        case _:
            return ()
    shard = shard_bytes(x.nbytes, aim)
    folded = prod(whole.extents) * x.dtype.itemsize
    if not x.size or x.nbytes <= 2 * shard:
        return ()
    kept_alone = node.type.size >= aim.count and folded <= shard
    if kept_alone and not _reads_chunks_across(node, shard):
        return ()
    cells = shard // x.dtype.itemsize
    leaf = prod(whole.tree.sides(0))
    level = max(0, (cells // (NODES_A_SHARD * leaf)).bit_length() - 1)
    depth = whole.tree.depth
    if level >= depth:
        return ()
    further = (
        level + 2 * NODES_A_SHARD.bit_length() - 2
    )  # that many shards to one of the second step
    twice = x.nbytes // shard > COMBINED_AT_ONCE and further < depth
    return (level, further) if twice else (level,)


def _reads_chunks_across(node: Node, shard: int) -> bool:
    """Whether shards along the kept axes alone would read stored chunks many times over."""
    stack, seen = [node.inputs[0]], 0
    while stack and seen < 64:
        seen += 1
        x = stack.pop()
        chunks = getattr(x.operator, "chunks", None)
        if chunks is not None:
            return x.type.dtype.itemsize * prod(chunks) * 2 > shard
        if x.operator.transparent:
            stack.extend(x.inputs)
    return False


def product_part(node: Node, aim: Aim) -> int:
    """Cells of the contracted dimension that one partial product takes; 0 to leave it whole."""
    match node.operator:
        case MatMul(part=None):
            x, w = node.input_types
        case _:
            return 0
    terms = x.shape[-1]
    shard = shard_bytes(x.nbytes + w.nbytes, aim)
    strip = terms * max(x.dtype.itemsize, 1)
    enough = node.type.size * node.type.dtype.itemsize >= shard and strip <= aim.limit // 8
    if enough or x.nbytes + w.nbytes <= 4 * shard:
        return 0
    rows, columns = prod(x.shape[:-1]), prod(w.shape[:-2]) * w.shape[-1]
    uncut = max(rows, columns)
    if strip * 64 <= shard * 4 and uncut >= 64 * aim.count:
        return 0
    if rows * strip <= 2 * shard or columns * strip <= 2 * shard or strip > shard:
        return max(1, shard // ((rows + columns) * x.dtype.itemsize))
    return 0
