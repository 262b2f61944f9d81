"""The driver: applies rules to a graph, inputs first, until none applies.

A rule is a function of a node, whose inputs are already rewritten, that returns the node to put in
its place or None. The driver knows no operator; it keeps no recursion, so graphs may be deep.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dask_tapestry.errors import PlanError
from dask_tapestry.rewrite.trace import Trace
from dask_tapestry.teg import Graph, Node, apply

Rule = Callable[[Node], Node | None]
LONGEST_CHAIN = 1_000  # rewrites of one node; more means that two rules undo each other


def rewrite(graph: Graph, rules: Sequence[Rule], trace: Trace | None = None) -> Graph:
    """Apply `rules` everywhere, to a fixed point.

    Raises
    ------
    PlanError
        If rules keep rewriting one node.
    """
    done: dict[Node, Node] = {}
    following: dict[Node, Node] = {}
    chain: dict[Node, int] = {}
    stack = list(graph.roots)
    while stack:
        node = stack[-1]
        if node in done:
            stack.pop()
            continue
        if node in following:
            if following[node] not in done:  # it was met again on the way to its own replacement
                raise PlanError(f"rules do not come to an end at {node!r}")
            done[node] = done[following[node]]
            stack.pop()
            continue
        waiting = [n for n in (*node.inputs, *node.after) if n not in done]
        if waiting:
            stack.extend(waiting)
            continue
        replaced = _step(rebuilt(node, done), rules, trace)
        if replaced is node:
            done[node] = node
            continue
        chain[replaced] = max(chain.get(replaced, 0), chain.get(node, 0) + 1)
        if chain[replaced] > LONGEST_CHAIN:
            raise PlanError(f"rules do not come to an end at {node!r}")
        following[node] = replaced
        if replaced not in done:
            stack.append(replaced)
    return Graph([done[root] for root in graph.roots])


def rebuilt(node: Node, done: dict[Node, Node]) -> Node:
    """`node` over the rewritten inputs."""
    inputs = [done[i] for i in node.inputs]
    after = [done[a] for a in node.after]
    if tuple(inputs) == node.inputs and tuple(after) == node.after:
        return node
    return apply(node.operator, *inputs, after=after, line=node.line or "")


def _step(node: Node, rules: Sequence[Rule], trace: Trace | None) -> Node:
    for rule in rules:
        result = rule(node)
        if result is not None and result is not node:
            if trace is not None:
                trace.record(rule.__name__, brief(node), brief(result))
            return result
    return node


def brief(node: Node) -> str:
    """A node and the names of its inputs' operators, for traces."""
    inputs = ", ".join(i.operator.name for i in node.inputs)
    text = node.operator.text()
    shown = f", {text}" if text and len(text) < 60 else ""
    return f"{node.operator.name}({inputs}{shown})"
