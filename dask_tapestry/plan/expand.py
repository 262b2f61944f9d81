"""Expansions: which reductions and products are cut along the dimension they fold."""

from __future__ import annotations

from collections.abc import Container, Sequence
from itertools import product
from math import inf, prod
from typing import Any

from dask_tapestry.plan.fuse import HELD_SHARE
from dask_tapestry.plan.grid import Aim
from dask_tapestry.plan.sorts import sort_columns
from dask_tapestry.rewrite.driver import rewrite
from dask_tapestry.rewrite.trace import FORMS, Trace
from dask_tapestry.teg import Form, Graph, Kind, Node, Signature, Source
from dask_tapestry.teg.operator import signature_of
from dask_tapestry.zspace import IndexProjection

NODES_A_SHARD = 64  # tree nodes a shard should hold: fine enough to cut, few enough to send
WORTH_PARTS = 2.0  # rows and columns may read so many times the bytes that parts read
SEARCHED_DIMS = 2  # whose cuts are tried together; the longest (a third costs 90 ms)
LOOKED_AT = 64  # nodes that are searched for a stored source
MORE_CELLS = 2  # a piece that can be cut reads at most so many times its cells
BUSY_ENOUGH = 1.5  # a scan may take slots for so many times its work before it is cut
SHORT_RUN = 2**16  # bytes; runs of 3 kB are read at half the speed of longer ones
COMBINED_AT_ONCE = 512  # shards whose nodes one task combines; more are combined in two steps


def expand(graph: Graph, aim: Aim, trace: Trace | None) -> Graph:
    """Cut reductions and products whose parallel dimensions give too few or too large blocks."""
    shared = {node for node, readers in graph.consumers.items() if len(set(readers)) > 1}

    def split_reductions(node: Node) -> Node | None:
        return formed(node, "nodes", *reduction_levels(node, aim, shared))

    def split_products(node: Node) -> Node | None:
        part = product_part(node, aim)
        return formed(node, "parts", part) if part else None

    def split_scans(node: Node) -> Node | None:
        if not scan_is_cut(node, aim, shared):
            return None
        name = "totals" if is_read_twice(node, aim, shared) else "leaves"
        return formed(node, name, node.operator.leaf)  # type: ignore[attr-defined]

    def split_sorts(node: Node) -> Node | None:
        columns = sort_columns(node, aim)
        return formed(node, "columns", columns) if columns else None

    splits = (split_reductions, split_products, split_scans, split_sorts)
    return rewrite(graph, splits, trace, FORMS)


def form_of(node: Node, name: str) -> Form | None:
    """The form `name` of a node's operator, if it has one."""
    forms = node.operator.forms(node.input_types)
    return next((form for form in forms if form.name == name), None)


def formed(node: Node, name: str, *sizes: int) -> Node | None:
    """The node in the form `name` of one of the `sizes`, that one of the next, and so on."""
    for size in sizes:
        form = form_of(node, name)
        assert form is not None
        node = form.make(node, size)
    return node if sizes else None


def shard_bytes(total: int, aim: Aim) -> int:
    """Bytes of input that one shard should read, for `total` bytes in all."""
    wanted = max(aim.smallest, -(-total // aim.count))
    return min(max(min(wanted, aim.largest), total // aim.most), aim.limit // 4)


def reduction_levels(node: Node, aim: Aim, shared: Container[Node] = ()) -> tuple[int, ...]:
    """Tree levels at which a reduction's partial results are sent on; none if it stays whole.

    It stays whole where the kept axes alone give enough shards, if each of them fits, shares no
    stored chunk or held block with many others, and reads no short runs all over the memory.
    """
    whole: Any = node.operator
    if form_of(node, "nodes") is None or not whole.is_whole:
        return ()
    x = node.input_types[0]
    shard = shard_bytes(x.nbytes, aim)
    if not x.size or x.nbytes <= 2 * shard:
        return ()
    kept = [axis for axis in range(x.ndim) if axis not in whole.axes]
    wanted = min(aim.count, x.nbytes // shard)
    columns = _columns(node.inputs[0], kept, aim, shared)
    across = prod(x.shape[axis] for axis in kept)
    whole_columns = across >= wanted <= 2 * columns and x.nbytes // max(1, across) <= shard
    if whole_columns and not (aim.local and _falls_apart(node.inputs[0], whole.axes, wanted)):
        return ()
    cells = shard // x.dtype.itemsize // max(1, across)
    leaf = prod(whole.tree.sides(0))
    level = max(0, (cells // (NODES_A_SHARD * leaf)).bit_length() - 1)
    if level >= whole.tree.depth:
        return ()
    further = level + 2 * (NODES_A_SHARD.bit_length() - 1)  # a second step's shard takes so many
    twice = x.nbytes // shard > COMBINED_AT_ONCE and further < whole.tree.depth
    return (level, further) if twice else (level,)


def _falls_apart(x: Node, axes: Sequence[int], count: int) -> bool:
    """Whether `count` shards that fold all of `axes` would read short runs of cells in memory."""
    shape = x.type.shape
    while not isinstance(x.operator, Source):
        same = [i for i in x.inputs if i.type.shape == shape]
        if not same or not x.operator.is_formula:
            return False
        x = same[0]
    if not x.operator.external or x.operator.layout is not None:
        return False
    slowest, fastest = (0, -1) if x.operator.order == "C" else (-1, 0)
    first = range(len(shape))[slowest]
    run = shape[fastest] * x.type.dtype.itemsize // count
    return first in axes and run < SHORT_RUN


def scan_is_cut(node: Node, aim: Aim, shared: Container[Node] = ()) -> bool:
    """Whether a scan is cut along its axis: the others give too few shards, or too large ones."""
    if form_of(node, "leaves") is None:
        return False
    axis, x = node.operator.axis, node.input_types[0]  # type: ignore[attr-defined]
    shard = shard_bytes(x.nbytes, aim)
    if not x.size or x.nbytes <= shard:
        return False
    kept = [dim for dim in range(x.ndim) if dim != axis]
    wanted = min(aim.count, x.nbytes // shard)
    across = x.size // x.shape[axis]
    columns = _columns(node.inputs[0], kept, aim, shared)
    if _keep_busy(columns, aim) and x.nbytes // min(columns, across) <= aim.limit // 4:
        return False
    few = across < wanted or wanted > 2 * columns
    return few or x.nbytes // across > shard


def _keep_busy(columns: float, aim: Aim) -> bool:
    """Whether so many pieces of a stored value leave slots idle for less than a cut would cost."""
    rounds = -(-columns // aim.slots) if columns < inf else inf
    return rounds * aim.slots <= BUSY_ENOUGH * columns < inf


def is_read_twice(node: Node, aim: Aim, shared: Container[Node] = ()) -> bool:
    """Whether a scan that is cut reads its input twice rather than hold a scan of each leaf.

    Cells in memory are not held again; stored cells and formulas are read or computed again where
    memory cannot hold them.
    """
    (x,) = node.inputs
    if x in shared or not x.operator.transparent or (aim.local and _is_in_memory(x)):
        return True
    held = x.type.size * node.operator.state.itemsize  # type: ignore[attr-defined]
    return bool(held > _bytes_to_hold(aim))


def _bytes_to_hold(aim: Aim) -> int:
    """Bytes of all workers' memory that one held value may take; half of it is for tasks."""
    return int(HELD_SHARE * 2 * aim.limit * aim.slots)


def _is_in_memory(x: Node) -> bool:
    """Whether `x` is a source, or a selection of one, that costs no more than a copy to read."""
    while x.operator.is_selector and len(x.inputs) == 1:
        (x,) = x.inputs
    return isinstance(x.operator, Source) and x.operator.chunks is None


def _columns(x: Node, axes: list[int], aim: Aim, shared: Container[Node]) -> float:
    """Number of pieces of `x` along `axes` that can be read apart, as it is stored or held."""
    counts = chunk_counts(x)
    if counts is not None:
        return prod(counts[axis] for axis in axes)
    if _is_stored(x) or _reads_more(x, axes, aim):
        return 1
    held = x in shared or not x.operator.transparent
    return 1 if held and not aim.local else inf


def _reads_more(x: Node, axes: list[int], aim: Aim) -> bool:
    """Whether a piece of `x` cut along `axes` is made of far more cells than it has.

    So is a column of a reshaped vector: its box holds most of the vector.
    """
    box = x.type.box
    for axis in sorted(axes, key=lambda axis: -x.type.shape[axis])[:1]:
        box = box.replace(axis, 0, max(1, x.type.shape[axis] // aim.count))
    stack, seen = [(x, box)], 0
    while stack and seen < LOOKED_AT:
        seen += 1
        node, cells = stack.pop()
        if not node.operator.transparent:
            continue
        for number, read in node.operator.pieces(node.input_types, cells):
            if read.size > MORE_CELLS * cells.size:
                return True
            stack.append((node.inputs[number], read))
    return False


def chunk_counts(x: Node) -> tuple[int, ...] | None:
    """Stored chunks along each dimension of the source that `x` is a formula of, or None."""
    shape = x.type.shape
    while not isinstance(x.operator, Source):
        same = [i for i in x.inputs if i.type.shape == shape]
        if len(same) != 1 or not x.operator.is_formula:
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
    """Steps of the contracted dimension that one partial result takes; 0 to leave it whole.

    Where the other dimensions are cut, every piece of one factor meets every piece of the other.
    Where the contracted one is cut, each factor is read once, but every part yields a product:
    it is cut if that takes far fewer bytes, or gives work to idle slots. Parts need all rows at
    once, so nothing streams through them.
    """
    whole: Any = node.operator
    if form_of(node, "parts") is None:
        return 0
    dim, signature = whole.folded(node.input_types), signature_of(whole, node.input_types)
    total = sum(x.nbytes for x in node.input_types)
    shard = shard_bytes(total, aim)
    terms = signature.index[dim].extent
    if total <= 4 * shard or terms < 2:
        return 0
    held = _bytes_to_hold(aim) // max(1, node.type.nbytes)
    parts = min(terms, max(aim.count, total // max(shard, 1)), held)
    if parts < 2:  # the partial products would not fit in memory
        return 0
    in_parts = total + 2 * parts * node.type.nbytes
    if _bytes_whole(node, signature, aim) <= WORTH_PARTS * in_parts:
        return 0
    side = _chunk_of(node, signature, dim)
    part = -(-terms // parts)
    found = -(-part // side) * side
    return found if found > 1 else 0  # parts of one step would be the whole again


def _bytes_whole(node: Node, signature: Signature, aim: Aim) -> float:
    """Least bytes read with parallel dimensions cut into enough blocks that fit in memory.

    Bytes count more where the blocks are too few to keep all slots busy.
    """
    extents = [dim.extent if dim.kind is Kind.PARALLEL else 1 for dim in signature.index]
    free = [all(any(row[d] for row in p.matrix) for p in signature.inputs) for d in _dims(extents)]
    batch = prod(n for n, is_free in zip(extents, free, strict=True) if is_free)
    shared = [d for d in _dims(extents) if not free[d] and extents[d] > 1]
    tried = sorted(shared, key=lambda d: -extents[d])[:SEARCHED_DIMS]
    chunks = [chunk_counts(x) for x in node.inputs]
    reads = list(zip(node.inputs, signature.inputs, chunks, strict=True))
    most, best = prod(extents), inf
    for counts in product(*[_counts(extents[d]) for d in tried]):
        cut = dict(zip(tried, counts, strict=True))
        count = batch * prod(counts)
        uncut = {d: n for d, n in enumerate(extents) if free[d]}
        if count < min(aim.count, most) and count < batch * prod(extents[d] for d in tried):
            continue
        if sum(_strip(x, p, cut | uncut) for x, p, _ in reads) > aim.limit // 2:
            continue
        idle = max(1.0, aim.slots / count)
        best = min(best, idle * sum(_read(x, p, cut, c) for x, p, c in reads))
    return best


def _dims(extents: list[int]) -> range:
    return range(len(extents))


def _strip(x: Node, projection: IndexProjection, cut: dict[int, int]) -> float:
    """Bytes that one block reads of `x`."""
    return x.type.nbytes / prod(
        n for d, n in cut.items() if any(row[d] for row in projection.matrix)
    )


def _read(
    x: Node, projection: IndexProjection, cut: dict[int, int], chunks: tuple[int, ...] | None
) -> float:
    """Bytes that all blocks read of `x`: once for each cut that does not move it."""
    again = 1.0
    for d, n in cut.items():
        axes = [axis for axis, row in enumerate(projection.matrix) if row[d]]
        if not axes:
            again *= n
        elif chunks:
            again *= max(1.0, n / chunks[axes[0]])
    return x.type.nbytes * again


def _counts(extent: int) -> list[int]:
    """Into how many pieces to try to cut `extent`: powers of two, and single cells."""
    return sorted({extent, *[1 << i for i in range(extent.bit_length())]})


def _chunk_of(node: Node, signature: Signature, dim: int) -> int:
    """Side of the first stored factor's chunks along an index dimension; 1 if there is none."""
    for x, projection in zip(node.inputs, signature.inputs, strict=True):
        chunks = chunk_counts(x)
        for axis, row in enumerate(projection.matrix):
            if chunks and row[dim]:
                return -(-x.type.shape[axis] // chunks[axis])
    return 1
