"""Abstraction: the graph that a plan computes, recovered from its steps.

Steps say which operators compute a block, so the operators of all steps together are a graph again,
in which reductions, products, scans and sorts still have the forms in which they are cut. The trace
says which node each form was made of; that is believed only of a form that the node makes again.

Source: Tapestry whitepaper, "Abstract and Sharded Graphs".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from dask_tapestry.errors import PlanError
from dask_tapestry.planner.cost.step import Step
from dask_tapestry.planner.fusion.fuse import is_read_late
from dask_tapestry.rewrite.driver import brief
from dask_tapestry.rewrite.trace import FORMS, Change, Trace
from dask_tapestry.rules.unfuse import Unfused
from dask_tapestry.teg import Graph, Node, apply
from dask_tapestry.teg.node import reapply, topological


class PlanView(Protocol):
    """What is read of a plan."""

    @property
    def steps(self) -> Mapping[Node, Step]:
        """Steps by the node they compute, producers first."""

    @property
    def graph(self) -> Graph:
        """The rewritten graph with forms, of which only the results are read."""

    @property
    def rewrites(self) -> Trace:
        """The record of rewrites."""

    def source(self, node: Node) -> Node:
        """The array for a slot; any other node itself."""


def abstract(plan: PlanView) -> Graph:
    """The graph that a plan computes, each formula with one function.

    Raises
    ------
    PlanError
        If a form is not what its node makes.
    """
    ends = {node: plan.source(node) for node in plan.graph.nodes if not node.inputs}
    unfused = Unfused({node: source for node, source in ends.items() if source is not node})
    undone = _Undone(unfused)
    for each in plan.rewrites.rounds:
        if each.name == FORMS:
            for change in each.changes:
                undone.learn(change)
    sharded = of_steps(plan)
    return Graph([undone.node(unfused.node(root)) for root in sharded.roots])


def of_steps(plan: PlanView) -> Graph:
    """The graph of the operators of all steps, as their programs have them."""
    values: dict[Node, Node] = {}
    for node, step in plan.steps.items():
        members = [values.get(x, x) for x in step.inputs]
        for member, instruction in zip(step.members, step.program.instructions, strict=True):
            inputs = [members[i] for i in instruction.inputs]
            follows = member is node or is_read_late(member)
            after = [_point(a, values) for a in member.after] if follows else []
            line = instruction.line or ""
            members.append(apply(instruction.operator, *inputs, after=after, line=line))
        values[node] = members[-1]
    points = [_point(r, values) if r.is_sequence_point else r for r in plan.graph.roots]
    return Graph([values.get(root, root) for root in points])


def _point(point: Node, values: Mapping[Node, Node]) -> Node:
    """A sequence point after what steps compute."""
    rebuilt_nodes: dict[Node, Node] = {}
    for node in topological([point]):
        if node in values or not node.is_sequence_point:
            rebuilt_nodes[node] = values.get(node, node)
        else:
            rebuilt_nodes[node] = reapply(node, (), [rebuilt_nodes[a] for a in node.after])
    return rebuilt_nodes[point]


class _Undone:
    """Nodes whose forms are undone, by what was learnt of each change.

    A change is known by the node after it, with all forms before it and inside it undone; forms
    inside it are taken later, so their changes are learnt later and do not show in it yet.
    """

    def __init__(self, one: Unfused) -> None:
        self._one = one
        self._whole: dict[Node, Node] = {}
        self._done: dict[Node, Node] = {}

    def learn(self, change: Change) -> None:
        """Believe a change that can be made again."""
        if change.again is None or change.again(change.before) is not change.after:
            raise PlanError(
                f"{change.rule}: {brief(change.after)} is not a form of {brief(change.before)}"
            )
        after = self._one.node(change.after)
        known = self._rebuilt(after)
        before = self.node(self._one.node(change.before))
        if known is not before:
            self._whole.setdefault(known, before)
            self._done[after] = before

    def node(self, node: Node) -> Node:
        """A node without forms."""
        done = self._done
        for before in topological([node], known=done):
            done[before] = self._original(self._reapplied(before))
        return done[node]

    def _rebuilt(self, node: Node) -> Node:
        for x in (*node.inputs, *node.after):
            self.node(x)
        return self._reapplied(node)

    def _reapplied(self, node: Node) -> Node:
        """A node over inputs without forms."""
        return reapply(
            node, [self._done[x] for x in node.inputs], [self._done[a] for a in node.after]
        )

    def _original(self, node: Node) -> Node:
        """What a node is a form of; sequence points that were added to it since are kept."""
        if node in self._whole or not node.after:
            return self._whole.get(node, node)
        bare = self._whole.get(reapply(node, node.inputs))
        return node if bare is None else reapply(bare, bare.inputs, node.after)
