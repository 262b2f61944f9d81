"""Components: parts of a graph that share nothing are searched each by itself, alike ones once.

The rank of a plan is a sum over its steps, and no step of one component reads of another: the best
plan of all is that of each, as far as workers can hold them together, which is looked at as of any
other plan. The variables of a Dataset are components, most often all alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import replace

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.planner.search.choices import Choices, State
from dask_tapestry.planner.search.repetition import ShortGraph, kind_of
from dask_tapestry.planner.search.tuning import SHARED_LEAF_BYTES
from dask_tapestry.teg import Graph, Node


@dataclass(frozen=True)
class Components:
    """A graph, and those of its components that differ.

    Attributes
    ----------
    short
        The whole graph, and the one of a component of each kind.
    kinds
        A component of each kind, with how often it comes.
    """

    short: ShortGraph
    kinds: tuple[tuple[Graph, float], ...]


def components_of(graph: Graph) -> Components | None:
    """The components of a graph; None of one that has no two, or whose writes follow others."""
    if len(graph.roots) < 2 or any(node.after for node in graph.nodes):
        return None
    parts = [Graph(roots) for roots in _connected(graph)]
    if len(parts) < 2:
        return None
    alike: dict[object, list[Graph]] = {}
    for part in parts:
        alike.setdefault(_structure(part), []).append(part)
    firsts = [some[0] for some in alike.values()]
    own = [(node, node) for part in firsts for node in part.nodes]
    like = dict(own)
    for first, *others in alike.values():
        for other in others:
            for node, known in zip(other.nodes, first.nodes, strict=True):
                like.setdefault(node, known)
    union = Graph([root for part in firsts for root in part.roots])
    kinds = tuple((some[0], float(len(some))) for some in alike.values())
    return Components(ShortGraph(graph, union, like), kinds)


def joined(states: Iterable[State]) -> Choices:
    """The choices of plans that share no step, as those of one."""
    found = Choices()
    for state in states:
        own, placed = state.choices, state.placed
        found = Choices(
            {**found.forms, **own.forms},
            held=found.held | frozenset(placed),
            fused=found.fused | frozenset([n for n in state.graph.nodes if n not in placed]),
            grids={**found.grids, **{node: priced.grid for node, priced in placed.items()}},
            places={**found.places, **{n: p.place for n, p in placed.items() if p.place}},
        )
    return replace(found, fused=found.fused - found.held)


def _connected(graph: Graph) -> list[list[Node]]:
    """The roots of each component, both in order."""
    parent: dict[Node, Node] = {}

    def first_of_all(node: Node) -> Node:
        while (above := parent.setdefault(node, node)) is not node:
            parent[node] = node = parent.setdefault(above, above)
        return node

    little = set[Node]()
    for node in graph.nodes:
        if _is_little(node, little):
            little.add(node)
        for x in node.inputs:
            if x not in little:
                parent[first_of_all(x)] = first_of_all(node)
    parts: dict[Node, list[Node]] = {}
    for root in dict.fromkeys(graph.roots):
        parts.setdefault(first_of_all(root), []).append(root)
    return list(parts.values())


def _is_little(node: Node, little: Set[Node]) -> bool:
    """Whether a node is a small leaf, or a view of such: to have it for each part costs nothing.

    What is stored is none: it would be read for each part.
    """
    if not node.inputs:
        is_stored = bool(node.operator.stored_bytes(node.type.box))
        return node.type.nbytes <= SHARED_LEAF_BYTES and not is_stored
    is_view = node.operator.is_selector and not node.operator.copies
    return is_view and all(x in little for x in node.inputs)


def _structure(part: Graph) -> object:
    """What components have in common that are planned alike."""
    number = {node: at for at, node in enumerate(part.nodes)}
    roots = set(part.roots)
    rows = [
        (kind_of(node, node in roots), tuple([number[x] for x in node.inputs]))
        for node in part.nodes
    ]
    return tuple(rows), tuple([number[root] for root in part.roots])
