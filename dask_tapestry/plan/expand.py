"""Expansions: which reductions and products are cut along the dimension they fold."""

from __future__ import annotations

from collections.abc import Container
from itertools import product
from math import inf, prod

from dask_tapestry.operators.elementwise import Map
from dask_tapestry.operators.matmul import MatMul
from dask_tapestry.operators.reduce import Reduce
from dask_tapestry.plan.grid import Aim
from dask_tapestry.rewrite.driver import rewrite
from dask_tapestry.rewrite.trace import Trace
from dask_tapestry.rules.split_k import split_k
from dask_tapestry.rules.split_reduction import split_reduction
from dask_tapestry.teg import Graph, Node, Source

NODES_A_SHARD = 64  # tree nodes a shard should hold: fine enough to cut, few enough to send
WORTH_PARTS = 2.0  # times as many bytes that rows and columns may read before parts are taken
LOOKED_AT = 64  # nodes among which a stored source is looked for
COMBINED_AT_ONCE = 512  # shards whose nodes one task combines; more are combined in two steps


def expand(graph: Graph, aim: Aim, trace: Trace | None) -> Graph:
    """Cut reductions and products whose parallel dimensions give too few or too large blocks."""
    shared = {node for node, readers in graph.consumers.items() if len(set(readers)) > 1}

    def split_reductions(node: Node) -> Node | None:
        return split_reduction(node, reduction_levels(node, aim, shared))

    def split_products(node: Node) -> Node | None:
        return split_k(node, product_part(node, aim))

    return rewrite(graph, (split_reductions, split_products), trace)


def shard_bytes(total: int, aim: Aim) -> int:
    """Bytes of input that one shard should read, for `total` bytes in all."""
    wanted = max(aim.smallest, -(-total // aim.count))
    return min(max(min(wanted, aim.largest), total // aim.most), aim.limit // 4)


def reduction_levels(node: Node, aim: Aim, shared: Container[Node] = ()) -> tuple[int, ...]:
    """Tree levels at which a reduction's partial results are sent on; none if it stays whole.

    It stays whole where the kept axes alone give enough shards, each of which holds all that it
    folds and reads no stored chunk, and no block of another step, that many others read too.
    """
    match node.operator:
        case Reduce(source=None, target=None) as whole:
            (x,) = node.input_types
        case _:
            return ()
    shard = shard_bytes(x.nbytes, aim)
    if not x.size or x.nbytes <= 2 * shard:
        return ()
    kept = [axis for axis in range(x.ndim) if axis not in whole.axes]
    wanted = min(aim.count, x.nbytes // shard)
    columns = _columns(node.inputs[0], kept, aim, shared)
    if node.type.size >= wanted <= 2 * columns and prod(whole.extents) * x.dtype.itemsize <= shard:
        return ()
    cells = shard // x.dtype.itemsize // max(1, prod(x.shape[axis] for axis in kept))
    leaf = prod(whole.tree.sides(0))
    level = max(0, (cells // (NODES_A_SHARD * leaf)).bit_length() - 1)
    if level >= whole.tree.depth:
        return ()
    further = level + 2 * (NODES_A_SHARD.bit_length() - 1)  # a second step's shard takes so many
    twice = x.nbytes // shard > COMBINED_AT_ONCE and further < whole.tree.depth
    return (level, further) if twice else (level,)


def _columns(x: Node, axes: list[int], aim: Aim, shared: Container[Node]) -> float:
    """Into how many pieces `x` falls along `axes` by the way it is stored or held."""
    counts = chunk_counts(x)
    if counts is not None:
        return prod(counts[axis] for axis in axes)
    if _is_stored(x):
        return 1
    held = x in shared or not x.operator.transparent
    return 1 if held and not aim.local else inf


def chunk_counts(x: Node) -> tuple[int, ...] | None:
    """Stored chunks along each dimension of what `x` is a cell by cell function of."""
    shape = x.type.shape
    while not isinstance(x.operator, Source):
        same = [i for i in x.inputs if i.type.shape == shape]
        if len(same) != 1 or not isinstance(x.operator, Map):
            return None
        x = same[0]
    sides = x.operator.chunks
    return sides and tuple(-(-n // side) for n, side in zip(shape, sides, strict=True))


def _is_stored(x: Node) -> bool:
    stack, seen = [x], 0
    while stack and seen < LOOKED_AT:
        seen += 1
        node = stack.pop()
        if isinstance(node.operator, Source) and node.operator.chunks is not None:
            return True
        if node.operator.transparent:
            stack.extend(node.inputs)
    return False


def product_part(node: Node, aim: Aim) -> int:
    """Cells of the contracted dimension that one partial product takes; 0 to leave it whole.

    Rows and columns are cut, where every piece of one factor meets every piece of the other; unless
    cutting the contracted dimension, where each is read once but every part yields a whole product,
    takes far fewer bytes. Parts of it need all rows at once, so that nothing streams through them.
    """
    match node.operator:
        case MatMul(part=None):
            x, w = node.input_types
        case _:
            return 0
    shard = shard_bytes(x.nbytes + w.nbytes, aim)
    terms = x.shape[-1]
    if x.nbytes + w.nbytes <= 4 * shard or terms < 2:
        return 0
    parts = min(terms, max(aim.count, (x.nbytes + w.nbytes) // max(shard, 1)))
    in_parts = x.nbytes + w.nbytes + 2 * parts * node.type.nbytes
    if _bytes_whole(node, aim) <= WORTH_PARTS * in_parts:
        return 0
    return _aligned(-(-terms // parts), node)


def _bytes_whole(node: Node, aim: Aim) -> float:
    """Least bytes read with rows and columns cut into enough blocks that fit in memory."""
    x, w = node.input_types
    rows, columns = x.shape[-2], w.shape[-1]
    batch, terms = prod(x.shape[:-2]), x.shape[-1]
    x_chunks, w_chunks = chunk_counts(node.inputs[0]), chunk_counts(node.inputs[1])
    best = inf
    for a, b in product(_powers(rows), _powers(columns)):
        strip = (-(-rows // a) + -(-columns // b)) * terms * x.dtype.itemsize
        if a * b * batch < min(aim.count, rows * columns * batch) or strip > aim.limit // 2:
            continue
        x_again = max(1, a / x_chunks[-2]) if x_chunks else 1
        w_again = max(1, b / w_chunks[-1]) if w_chunks else 1
        best = min(best, x.nbytes * b * x_again + w.nbytes * a * w_again)
    return best


def _powers(extent: int) -> list[int]:
    return [1 << i for i in range(extent.bit_length())]


def _aligned(part: int, node: Node) -> int:
    """`part`, lengthened to whole stored chunks of the first factor."""
    counts = chunk_counts(node.inputs[0])
    terms = node.input_types[0].shape[-1]
    side = -(-terms // counts[-1]) if counts else 1
    return -(-part // side) * side
