"""Parts of a form: the nodes that it is made of, each by its number, which may take forms too.

What a form computes on its way may be too large to hold, as the runs of a sort: it goes through a
store as the value of any node does. The number is the same whatever is done with what is read.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dask_tapestry.rewrite.driver import rebuilt
from dask_tapestry.teg import Graph, Node


def parts_of(root: Node, settled: Sequence[Node]) -> list[Node]:
    """The nodes of which `root` is made and `settled` nodes are not, `root` first.

    Parameters
    ----------
    settled
        What the node read that has become `root`.
    """
    known = set(Graph(settled).nodes) if settled else set[Node]()
    return [node for node in reversed(Graph([root]).nodes) if node not in known]


def with_part(
    root: Node, settled: Sequence[Node], place: int, make: Callable[[Node], Node]
) -> Node:
    """What becomes of `root` where its part number `place` is what `make` makes of it.

    Raises
    ------
    IndexError
        If it has no such part.
    """
    if place == 0:
        return make(root)
    parts = parts_of(root, settled)
    chosen = parts[place]
    done = {node: node for node in Graph([root]).nodes}
    for node in reversed(parts):
        done[node] = rebuilt(node, done)
        if node is chosen:
            done[node] = make(done[node])
    return done[root]
