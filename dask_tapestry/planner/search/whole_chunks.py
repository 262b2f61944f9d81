"""Whole chunks: sizes of forms whose parts end where stored chunks do."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from dask_tapestry.planner.tuning import NEARBY_NODES
from dask_tapestry.teg import Form, Node, Source


def sizes_near(node: Node, form: Form, size: int) -> list[int]:
    """The next finer and coarser size of a form, and those near them that are whole chunks."""
    sizes = sorted(form.sizes)
    finer, coarser = max(0, bisect_left(sizes, size) - 1), bisect_right(sizes, size)
    near = {size, *sizes[finer : coarser + 1]}
    whole = [whole_chunks(node, one, sizes) for one in near]
    return sorted(near.union(*whole) - {size})


def whole_chunks(node: Node, size: int, sizes: Sequence[int]) -> set[int]:
    """Sizes near `size` that are multiples of sides of stored chunks that the node reads."""
    sides = {
        side
        for x in _cheap_sources(node)
        if isinstance(x.operator, Source) and x.operator.chunks is not None
        for side in x.operator.chunks
        if side > 1
    }
    near = {n * side for side in sides for n in (size // side, -(-size // side))}
    return {n for n in near if min(sizes) <= n <= max(sizes) and n not in sizes}


def _cheap_sources(node: Node) -> Iterator[Node]:
    """What a node reads through operators that cost little."""
    stack, seen = list(node.inputs), set[Node]()
    while stack and len(seen) < NEARBY_NODES:
        x = stack.pop()
        if x not in seen:
            seen.add(x)
            yield x
            stack.extend(x.inputs if x.operator.transparent else ())
