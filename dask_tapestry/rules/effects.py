"""Effects: no rewrite prunes a write that a value follows.

Let y follow a write, and no cell of y be read: ``y[:0]``, ``where(False, y, 0)``. The rules drop y,
and the result no longer leads to the write. So while a graph is rewritten, the sequence points
that its values follow are roots too; afterwards each result follows those that it led to before and
leads to no longer. Operations that drop a value while the graph is built, such as an assignment to
all cells, call `following`.

Source: Tapestry whitepaper, "Sequence Point Nodes".
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final
from weakref import WeakKeyDictionary

from dask_tapestry.operators.layouts.placement import hold
from dask_tapestry.rewrite.trace import Trace
from dask_tapestry.teg import Graph, Node, Sink, Source, sequence_point
from dask_tapestry.teg.node import reapply, topological

NO_SINKS: Final[frozenset[Node]] = frozenset()
_sinks: WeakKeyDictionary[Node, frozenset[Node]] = WeakKeyDictionary()  # before a node


def followed_points(graph: Graph) -> tuple[Node, ...]:
    """The sequence points that values and sinks of a graph follow."""
    found = (a for n in graph.nodes if not n.is_sequence_point for a in n.after)
    return tuple(dict.fromkeys(found))


def keep_effects(
    written: Graph, points: Sequence[Node], graph: Graph, trace: Trace | None = None
) -> Graph:
    """The results of a rewritten graph, following all that those of `written` followed.

    Parameters
    ----------
    points
        The sequence points of `written`; they are the graph's last roots, after the results.
    """
    if not points:
        return graph
    count = len(written.roots)
    now = dict(zip(points, graph.roots[count:], strict=True))
    new_roots = []
    if trace is not None:
        trace.begin("effects", "graph")
    for before, root in zip(written.roots, graph.roots[:count], strict=True):
        reached = set(topological([root]))
        lost = [now[n] for n in topological([before]) if n in now and now[n] not in reached]
        new_roots.append(_following(root, lost) if lost else root)
        if trace is not None and lost:
            trace.record("keep_effects", root, new_roots[-1])
    if trace is not None:
        trace.record_results(graph.roots[:count], new_roots)
    return Graph(new_roots)


def following(value: Node, dropped: Sequence[Node]) -> Node:
    """`value`, which replaces the tensors `dropped`, after the sequence points they follow.

    The same node where they follow none, or `value` leads to them all.
    """
    gone = _unread_by(value, dropped)
    points = followed_points(Graph(gone)) if gone else ()
    if not points:
        return value
    reached = set(topological([value]))
    lost = [point for point in points if point not in reached]
    return _following(value, lost) if lost else value


def _unread_by(value: Node, others: Sequence[Node]) -> list[Node]:
    """The members of `others` that `value` does not read, found breadth first, as most are near."""
    missing, seen, level = set(others), {value}, [value]
    while level and missing:
        missing.difference_update(level)
        level = list(dict.fromkeys(x for n in level for x in n.inputs if x not in seen))
        seen.update(level)
    return [node for node in others if node in missing]


def effects_of(nodes: Sequence[Node]) -> frozenset[Node]:
    """The sinks that `nodes` need; each node of a graph that grows is looked at once."""
    for node in topological(nodes, _sinks):
        needed = [_with_sink(x) for x in (*node.inputs, *node.after)]
        _sinks[node] = NO_SINKS.union(*needed) if any(needed) else NO_SINKS
    return NO_SINKS.union(*[_with_sink(node) for node in nodes])


def _with_sink(node: Node) -> frozenset[Node]:
    """The sinks before a node, and itself if it is one: what is remembered must not hold it."""
    return _sinks[node] | {node} if isinstance(node.operator, Sink) else _sinks[node]


def followers(value: Node, effects: Collection[Node], beside: Sequence[Node]) -> tuple[Node, ...]:
    """The tensors that `value` reads and that follow some of `effects`.

    Those behind another one, or behind tensors of `beside`, are left out.
    """
    if not effects:
        return ()
    following: list[Node] = []
    seen, stack = set(beside), [value]
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        if node.after and not effects_of(node.after).isdisjoint(effects):
            following.append(node)
        else:
            stack += node.inputs
    return tuple(following)


def replaced(value: Node, by: Mapping[Node, Node]) -> Node:
    """`value` with the tensors it reads replaced."""
    now = dict(by)
    for node in topological([value]):
        if node not in now:
            now[node] = reapply(node, [now[x] for x in node.inputs], [now[x] for x in node.after])
    return now[value]


def _following(root: Node, points: Sequence[Node]) -> Node:
    """The result `root`, computed after `points`."""
    if root.is_sequence_point or isinstance(root.operator, Sink):
        return sequence_point(root, *points)
    if isinstance(root.operator, Source) and root.operator.external:  # a copy can wait
        return hold(root, points, root.line or "")
    return reapply(root, root.inputs, [*root.after, *points])
