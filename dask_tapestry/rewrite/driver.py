"""The driver: applies rules to a graph, inputs first, until none applies.

A rule is a function of a node, whose inputs are already rewritten, that returns the node to use
instead or None. It may say which operators it begins at, and ask which values are read more than
once. The driver knows no operator and does not recurse, so graphs may be deep.
"""

from __future__ import annotations

from collections.abc import Sequence

from dask_tapestry.errors import PlanError
from dask_tapestry.rewrite.rule import Rule, Rules, Shared
from dask_tapestry.rewrite.trace import Trace
from dask_tapestry.teg import Graph, Node
from dask_tapestry.teg.node import reapply, written_at

LONGEST_CHAIN = 1_000  # rewrites of one node; more means that two rules undo each other


def read_often(graph: Graph) -> set[Node]:
    """Nodes that are read more than once; being a root of the graph counts as a reader."""
    often = {node for node, readers in graph.consumers.items() if len(readers) > 1}
    return often | {root for root in graph.roots if graph.consumers[root]}


def rewrite(graph: Graph, rules: Sequence[Rule], trace: Trace | None = None) -> Graph:
    """Apply `rules` everywhere, to a fixed point.

    Raises
    ------
    PlanError
        If rules keep rewriting one node.
    """
    chosen = rules if isinstance(rules, Rules) else Rules(rules)
    shared = read_often(graph) if chosen.take_shared else set()
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
            if following[node] not in done:  # it is part of its own replacement
                raise PlanError(f"rules do not come to an end at {node!r}")
            done[node] = done[following[node]]
            if node in shared:
                shared.add(done[node])
            stack.pop()
            continue
        waiting = [n for n in (*node.inputs, *node.after) if n not in done]
        if waiting:
            stack.extend(waiting)
            continue
        now = rebuilt(node, done)
        if node in shared:
            shared.add(now)
        replaced = done[now] if now in done else _step(now, chosen, trace, shared)
        if replaced is now or now in done:
            done[node] = done[now] = replaced
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
    return reapply(node, [done[i] for i in node.inputs], [done[a] for a in node.after])


def _step(node: Node, rules: Rules, trace: Trace | None, shared: Shared) -> Node:
    begin_here = rules.of(type(node.operator))
    if not begin_here:
        return node
    with written_at(node.line):
        for rule, sharing in begin_here:
            result = rule(node, shared) if sharing else rule(node)
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
