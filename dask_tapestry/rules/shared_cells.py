"""Shared cells: which reductions read some of the same cells, and none of each other's values."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

from dask_tapestry.operators.reductions.joint_reductions import JointReductions
from dask_tapestry.operators.reductions.reduce import Reduce
from dask_tapestry.teg import Graph, Node


def reduction_ranks(graph: Graph) -> dict[Node, int]:
    """For each node the most reductions on a path that ends in it, itself counted.

    Of two reductions of one rank neither needs the other.
    """
    return ranks_of(graph, (Reduce, JointReductions))


def ranks_of(graph: Graph, kinds: tuple[type, ...]) -> dict[Node, int]:
    """For each node the most operators of some kinds on a path that ends in it, itself counted."""
    ranks: dict[Node, int] = {}
    for node in graph.nodes:
        before = max((ranks[x] for x in (*node.inputs, *node.after)), default=0)
        ranks[node] = before + isinstance(node.operator, kinds)
    return ranks


def sharing_cells(
    nodes: Sequence[Node],
    most: int,
    unshared: Callable[[Node], bool] = lambda _: False,
    read: Callable[[Node], Hashable] = lambda node: node,
) -> list[list[Node]]:
    """Groups of at most `most` nodes that read some of the same cells, through formulas or not.

    Nodes that share nothing but what is `unshared` are apart; what is `read` for one of those that
    they are formulas of is equal where they share it.
    """
    groups: list[tuple[list[Node], set[Hashable]]] = []
    for node in nodes:
        group, cells = [node], {read(x) for x in cells_of(node.inputs) if not unshared(x)}
        for other in [g for g in groups if g[1] & cells]:
            if len(group) + len(other[0]) <= most:
                groups.remove(other)
                group, cells = other[0] + group, other[1] | cells
        groups.append((group, cells))
    return [group for group, _ in groups]


def cells_of(values: Sequence[Node]) -> set[Node]:
    """The nodes that values are formulas of, cell by cell."""
    nodes: set[Node] = set()
    visited, stack = set(values), list(values)
    while stack:
        node = stack.pop()
        if not node.operator.is_formula:
            nodes.add(node)
            continue
        more = set(node.inputs) - visited
        visited |= more
        stack.extend(more)
    return nodes
