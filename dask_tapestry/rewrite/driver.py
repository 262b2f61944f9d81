"""The driver: applies rules to a graph, inputs first, until none applies or once at each node.

A rule is a function of a node, whose inputs are already rewritten, that returns the node to use
instead or None. It may say which operators it begins at, and ask which values are read more than
once. The driver knows no operator and does not recurse, so graphs may be deep.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NoReturn, Protocol

from dask_tapestry.errors import PlanError
from dask_tapestry.rewrite.annotation_propagation import Annotated
from dask_tapestry.rewrite.rule import Rule, Rules, Shared
from dask_tapestry.rewrite.tuning import LONGEST_CHAIN, STEPS_A_NODE
from dask_tapestry.teg import Graph, Node
from dask_tapestry.teg.node import reapply, written_as

Manner = Literal["fixed point", "once", "graph"]  # of a round of rewrites, as a trace has it


class Recorder(Protocol):
    """What the driver needs of a trace."""

    def begin(self, name: str, manner: Manner) -> None:
        """Begin a round."""

    def record(self, rule: str, before: Node, after: Node, *, again: Rule) -> None:
        """Add a rewrite, and what makes it again."""


def read_often(graph: Graph) -> set[Node]:
    """Nodes that are read more than once; being a root of the graph counts as a reader."""
    often = {node for node, readers in graph.consumers.items() if len(readers) > 1}
    return often | {root for root in graph.roots if graph.consumers[root]}


def rewrite(
    graph: Graph,
    rules: Sequence[Rule],
    trace: Recorder | None = None,
    name: str = "rewrite",
    settled: Iterable[Node] = (),
    carry: bool = True,
) -> Graph:
    """Apply `rules` everywhere, to a fixed point.

    Parameters
    ----------
    name
        Of the round in the trace.
    settled
        Nodes that stay as they are, with all before them.
    carry
        Whether what rules make is annotated like what it replaces; else rules annotate it.

    Raises
    ------
    PlanError
        If rules keep rewriting; it names them.
    """
    chosen = rules if isinstance(rules, Rules) else Rules(rules)
    if trace is not None:
        trace.begin(name, "fixed point")
    shared = read_often(graph) if chosen.take_shared else set()
    rewritten: dict[Node, Node] = {node: node for node in settled}
    following: dict[Node, Node] = {}
    chains, annotated = _Chains(graph), Annotated.of(graph) if carry else None
    stack = list(graph.roots)
    while stack:
        node = stack[-1]
        if node in rewritten:
            stack.pop()
            continue
        if node in following:
            if following[node] not in rewritten:  # it is part of its own replacement
                chains.fail(node)
            rewritten[node] = rewritten[following[node]]
            if node in shared:
                shared.add(rewritten[node])
            stack.pop()
            continue
        waiting = [n for n in (*node.inputs, *node.after) if n not in rewritten]
        if waiting:
            chains.inherit(node, waiting)
            stack.extend(waiting)
            continue
        rebuilt_node = rebuilt(node, rewritten)
        if node in shared:
            shared.add(rebuilt_node)
        replaced, rule = (
            (rewritten[rebuilt_node], "")
            if rebuilt_node in rewritten
            else _step(rebuilt_node, chosen, trace, shared, annotated)
        )
        if replaced is rebuilt_node or rebuilt_node in rewritten:
            rewritten[node] = rewritten[rebuilt_node] = replaced
            continue
        chains.extend(node, replaced, rule)
        following[node] = replaced
        if replaced not in rewritten:
            stack.append(replaced)
    return Graph([rewritten[root] for root in graph.roots])


def apply_once(
    graph: Graph,
    rules: Sequence[Rule],
    trace: Recorder | None = None,
    name: str = "sweep",
    carry: bool = True,
) -> Graph:
    """Apply the first of `rules` that fits, once at each node; what it yields is left as it is."""
    chosen = rules if isinstance(rules, Rules) else Rules(rules)
    if trace is not None:
        trace.begin(name, "once")
    shared = read_often(graph) if chosen.take_shared else set()
    rewritten: dict[Node, Node] = {}
    replacements: dict[Node, Node] = {}
    annotated = Annotated.of(graph) if carry else None
    for node in graph.nodes:
        now = rebuilt(node, rewritten)
        if node in shared:
            shared.add(now)
        if now not in replacements:
            replacements[now], _ = _step(now, chosen, trace, shared, annotated)
        rewritten[node] = replacements[now]
    return Graph([rewritten[root] for root in graph.roots])


class _Chains:
    """How many rewrites led to each node, and which; a graph's own nodes are at the beginning.

    A rule may move one node past many, such as a transpose past formulas, so long chains are
    allowed in large graphs.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._length: dict[Node, int] = {}
        self._from: dict[Node, tuple[Node, str]] = {}
        self._most = LONGEST_CHAIN

    def inherit(self, node: Node, inputs: Iterable[Node]) -> None:
        """Inputs that came with a rewritten node are as far from the beginning."""
        length = self._length.get(node, 0)
        if length:
            for x in inputs:
                if self._length.get(x, 0) < length:
                    self._length[x], self._from[x] = length, (node, "")

    def extend(self, node: Node, replaced: Node, rule: str) -> None:
        """`rule` has rewritten `node`."""
        length = self._length.get(node, 0) + 1
        if length <= self._length.get(replaced, 0):
            return
        self._length[replaced], self._from[replaced] = length, (node, rule)
        if length > self._most:
            self._most = LONGEST_CHAIN + STEPS_A_NODE * len(self._graph)
            if length > self._most:
                self.fail(replaced)

    def fail(self, node: Node) -> NoReturn:
        """Name the rules that led to a node."""
        fired: Counter[str] = Counter()
        at: Node | None = node
        seen: set[Node] = set()
        while at is not None and at not in seen:
            seen.add(at)
            at, rule = self._from.get(at, (None, ""))
            fired.update([rule] if rule else [])
        names = ", ".join(f"{rule} ({n} times)" for rule, n in fired.most_common())
        raise PlanError(f"rules do not come to an end at {node!r}: {names}")


def rebuilt(node: Node, done: Mapping[Node, Node]) -> Node:
    """`node` over the rewritten inputs."""
    return reapply(node, [done[i] for i in node.inputs], [done[a] for a in node.after])


def _step(
    node: Node,
    rules: Rules,
    trace: Recorder | None,
    shared: Shared,
    annotated: Annotated | None,
) -> tuple[Node, str]:
    begin_here = rules.of(type(node.operator))
    if not begin_here:
        return node, ""
    with written_as(node):
        for rule, sharing in begin_here:
            result = rule(node, shared) if sharing else rule(node)
            if result is not None and result is not node:
                name = name_of(rule)
                require_type(name, node, result)
                if annotated is not None:
                    result = annotated.replacement(node, result)
                    if result is None or result is node:
                        continue
                if trace is not None:
                    trace.record(name, node, result, again=rule)
                return result, name
    return node, ""


def name_of(rule: Rule) -> str:
    """The name that traces and errors give a rule."""
    return str(getattr(rule, "__name__", rule))


def require_type(rule: str, node: Node, result: Node) -> None:
    """Raise `PlanError` unless `result` has the cells' shape and dtype of the node it replaces."""
    if (result.type.shape, result.type.dtype) != (node.type.shape, node.type.dtype):
        where = f" ({node.line})" if node.line else ""
        raise PlanError(
            f"rule {rule}: it replaces {brief(node)}, of type {node.type}, by {brief(result)}, of "
            f"type {result.type}{where}"
        )


def brief(node: Node) -> str:
    """A node and the names of its inputs' operators, for traces."""
    inputs = ", ".join(i.operator.name for i in node.inputs)
    text = node.operator.text()
    shown = f", {text}" if text and len(text) < 60 else ""
    return f"{node.operator.name}({inputs}{shown})"
