"""Form sizes: which are good guesses, by the cells that the first step of a form yields.

A form of a finer size yields more of them, which can be cut into more blocks.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Sequence

from dask_tapestry.planner.search.tuning import NEARBY_NODES
from dask_tapestry.teg import Form, Node, Source
from dask_tapestry.teg.node import topological


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


def coarsest(node: Node, form: Form, cells: int) -> int:
    """The coarsest size of a form, by its place, whose first step yields so many cells.

    The coarsest of all where finer ones yield no more, as panels of a matrix.
    """
    known: dict[int, int] = {}

    def at_size(at: int) -> int:
        if at not in known:
            known[at] = yielded(node, form, at)
        return known[at]

    last = len(form.sizes) - 1
    place = bisect_left(range(last), True, key=lambda at: at_size(at) >= cells)
    return 0 if place == last and at_size(last) <= at_size(0) else place


def yielded(node: Node, form: Form, at: int) -> int:
    """Cells that the first step of a form yields, whose size is in this place.

    Into so many blocks it can be cut.
    """
    formed = form.make(node, form.sizes[at])
    return added_nodes(formed, set(topological(node.inputs)))[0].type.size


def added_nodes(node: Node, *known: Collection[Node]) -> list[Node]:
    """The nodes that lead to `node`, inputs first, from those that are known."""
    order: dict[Node, None] = {}
    stack = [(node, False)]
    while stack:
        top, done = stack.pop()
        if done:
            order.setdefault(top)
        elif top not in order and (top is node or not any(top in some for some in known)):
            stack.append((top, True))
            stack.extend((x, False) for x in reversed(top.inputs))
    return list(order)
