"""Annotations through rewrites: what replaces several operators has what was said of them all.

A rule sees a node and makes others; what lies between it and what its replacement reads is gone.
Where that was annotated in ways that cannot be joined, the rule does not apply. An operator that
vanishes altogether, as two transposes of one array do, takes its annotations along.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Literal, Protocol

from dask_tapestry.teg import Graph, Node
from dask_tapestry.teg.annotations import NONE, Annotations, any_were_met, joined
from dask_tapestry.teg.node import reapply


class Annotated:
    """The nodes of a graph that is being rewritten, some of which are annotated."""

    def __init__(self, graph: Graph) -> None:
        self._known = set(graph.nodes)

    @classmethod
    def of(cls, graph: Graph) -> Annotated | None:
        """None if nothing in the graph is annotated."""
        if not any_were_met() or not any(node.annotations for node in graph.nodes):
            return None
        return cls(graph)

    def replacement(self, node: Node, result: Node) -> Node | None:
        """What a rule made of `node`, annotated like all that it replaces; None to refuse it."""
        self._known.add(node)
        fresh, read = self._fresh(result)
        annotations = joined(fresh_node.annotations for fresh_node in _replaced_nodes(node, read))
        if annotations is None:
            return None
        rebuilt = {x: x for x in read}
        for fresh_node in fresh:
            own = joined((annotations, fresh_node.annotations))
            if own is None:
                return None
            ends = [rebuilt[x] for x in fresh_node.inputs], [rebuilt[a] for a in fresh_node.after]
            rebuilt[fresh_node] = reapply(fresh_node, *ends, own)
        self._known.update(rebuilt.values())
        return rebuilt.get(result, result)

    def _fresh(self, made: Node) -> tuple[list[Node], set[Node]]:
        """The nodes that a rule made, inputs first, and those of the graph that they read."""
        fresh: dict[Node, bool] = {}
        nodes_read: set[Node] = set()
        stack = [made]
        while stack:
            node = stack[-1]
            if node in self._known or fresh.get(node):
                stack.pop()
                if node in self._known:
                    nodes_read.add(node)
                continue
            if node in fresh:
                stack.pop()
                del fresh[node]
                fresh[node] = True  # after all that it reads
                continue
            fresh[node] = False
            stack.extend((*node.inputs, *node.after))
        return list(fresh), nodes_read


def _replaced_nodes(node: Node, read: set[Node]) -> set[Node]:
    """The nodes between `node`, which is one of them, and those that are still read."""
    replaced, stack = {node}, [node]
    while stack:
        for x in stack.pop().inputs:
            if x not in replaced and x not in read:
                replaced.add(x)
                stack.append(x)
    return replaced


class TraceView(Protocol):
    """What is needed of a trace."""

    def begin(self, name: str, manner: Literal["graph"]) -> None:
        """Begin a round."""

    def record_results(self, before: Sequence[Node], after: Sequence[Node]) -> None:
        """Add the results of a round."""


def merge_annotated(graph: Graph, trace: TraceView) -> Graph:
    """``op(x){a}, op(x){b} -> op(x){a and b}``: equal operators are computed once.

    Those whose annotations cannot be joined stay apart.
    """
    if Annotated.of(graph) is None:
        return graph
    bare = without_annotations(graph)
    said: dict[Node, list[Annotations]] = defaultdict(list)
    for node in graph.nodes:
        said[bare[node]].append(node.annotations)
    of_all = {node: joined(several) for node, several in said.items()}
    done: dict[Node, Node] = {}
    for node in graph.nodes:
        ends = [done[x] for x in node.inputs], [done[a] for a in node.after]
        done[node] = reapply(node, *ends, of_all[bare[node]])
    roots = [done[root] for root in graph.roots]
    if tuple(roots) == graph.roots:
        return graph
    trace.begin("annotations", "graph")
    trace.record_results(graph.roots, roots)
    return Graph(roots)


def without_annotations(graph: Graph) -> dict[Node, Node]:
    """A map from each node of a graph to the node without annotations."""
    done: dict[Node, Node] = {}
    for node in graph.nodes:
        ends = [done[x] for x in node.inputs], [done[a] for a in node.after]
        done[node] = reapply(node, *ends, NONE)
    return done
