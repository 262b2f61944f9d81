"""Annotations and fusion: what a step has of its members', and what is held apart for them."""

from __future__ import annotations

from collections.abc import Collection

from dask_tapestry.planner.fusion.group import is_external, members_of
from dask_tapestry.teg import Graph, Node
from dask_tapestry.teg.annotations import NONE, Annotations, any_were_met, joined


def held_apart(graph: Graph, held: Collection[Node]) -> set[Node]:
    """The nodes to hold besides those `held`, as their readers' annotations cannot be joined.

    All that is not held is taken to be fused with what reads it.
    """
    separate: set[Node] = set()
    if not any_were_met() or not any(node.annotations for node in graph.nodes):
        return separate
    annotations: dict[Node, Annotations] = {}  # of a node, with all that is fused into it
    for node in graph.nodes:
        annotations[node] = node.annotations
        for x in dict.fromkeys(node.inputs):
            if x in held or x in separate or is_external(x):
                continue
            both = joined((annotations[node], annotations[x]))
            if both is None:
                separate.add(x)
            else:
                annotations[node] = both
    return separate


def annotations_of_step(node: Node, inputs: Collection[Node]) -> Annotations:
    """What was said of all that the step of `node` computes."""
    if not any_were_met() or is_external(node):
        return NONE
    return joined(one.annotations for one in members_of(node, inputs)) or NONE
