"""Repetition: a graph in which a part repeats is searched as one in which it does so a few times.

The steps of a loop, the layers of a network and the months of a climatology are planned alike, but
for the first and the last ones. So some of them are left out of the middle, the plan of what is
left is searched, and those that were left out take the choices of those before them, two by two, as
cuts may alternate. Whether what comes out is legal and fits is looked at as of any other plan.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.planner.fusion.group import Group
from dask_tapestry.planner.search.choices import Choices, State
from dask_tapestry.planner.search.plan_evaluator import PlanEvaluator
from dask_tapestry.planner.search.pricing import PricedGroup
from dask_tapestry.planner.search.tuning import CYCLE, FEWEST_REPEATED, HEAD_PARTS, TAIL_PARTS
from dask_tapestry.rules.repeated_steps import RepeatedRange, repeated_ranges
from dask_tapestry.teg import Graph, Node, Source
from dask_tapestry.teg.node import reapply


@dataclass(frozen=True)
class ShortGraph:
    """A graph with a part that repeats, and a shorter one with fewer of these.

    Attributes
    ----------
    whole, graph
        Both graphs.
    like
        For each node of the whole one, that of the shorter one whose choices it takes.
    """

    whole: Graph
    graph: Graph
    like: Mapping[Node, Node]

    @property
    def times(self) -> float:
        """How many times as many nodes the whole graph has."""
        return len(self.whole.nodes) / len(self.graph.nodes)

    def lengthened(self, state: State, short: PlanEvaluator, whole: PlanEvaluator) -> State | None:
        """The plan of the whole graph with the choices of one of the shorter graph.

        None where they make no sense there.
        """
        forms = {
            node: state.choices.forms[short_node]
            for node, short_node in self.like.items()
            if short_node in state.choices.forms
        }
        _, short_became = short.became(state.choices.forms)
        graph, became = whole.became(forms)
        pairs = _pairs({became[n]: short_became[short_node] for n, short_node in self.like.items()})
        if pairs is None or any(node not in pairs for node in graph.nodes):
            return None
        placed = {n: state.placed[pairs[n]] for n in graph.nodes if pairs[n] in state.placed}
        choices = Choices(
            forms,
            held=frozenset(placed),
            fused=frozenset([n for n in graph.nodes if n not in placed]),
            grids={node: priced.grid for node, priced in placed.items()},
            places={node: priced.place for node, priced in placed.items() if priced.place},
        )
        grids = {n: p.grid for n, p in placed.items() if _is_as_long(whole.group(n, choices), p)}
        whole_state = whole.state(replace(choices, grids=grids))
        return whole_state if whole_state.placed.keys() == placed.keys() else None


def _is_as_long(group: Group, priced: PricedGroup) -> bool:
    """Whether a step is no longer than one of a shorter graph, so that it is cut alike."""
    return len(group.members) == len(priced.group.members)


def _pairs(known: Mapping[Node, Node]) -> dict[Node, Node] | None:
    """What stands for each node, of those given, all that these are made of, and what they follow.

    None where two differ in more than their data.
    """
    pairs: dict[Node, Node] = {}
    stack = list(known.items())
    while stack:
        node, partner = stack.pop()
        if node in pairs:
            continue
        before, others = (*node.inputs, *node.after), (*partner.inputs, *partner.after)
        alike = node.type.shape == partner.type.shape and len(before) == len(others)
        if not alike or type(node.operator) is not type(partner.operator):
            return None
        pairs[node] = known.get(node, partner)
        stack += [(x, known.get(x, y)) for x, y in zip(before, others, strict=True)]
    return pairs


def shortened(graph: Graph) -> ShortGraph | None:
    """A graph with fewer parts that repeat; None where none repeats often."""
    nodes = graph.nodes
    if max(Counter([type(node.operator) for node in nodes]).values(), default=0) < FEWEST_REPEATED:
        return None
    roots = set(graph.roots)
    kinds = [kind_of(node, node in roots) for node in nodes]
    ranges = [one for one in repeated_ranges(nodes, kinds) if one.parts >= FEWEST_REPEATED]
    if not ranges:
        return None
    return _Cutter(graph, max(ranges, key=lambda one: one.last - one.first)).cut()


def kind_of(node: Node, is_root: bool) -> object:
    """What nodes have in common that are planned alike."""
    operator = node.operator
    slot = operator.slot(0) if isinstance(operator, Source) else None
    plain = slot or operator.without_places(node.input_types)
    what = node.form if plain is operator else plain
    return what, node.type, node.annotations.text, is_root


class _Cutter:
    """Leaves parts out of a graph in which they repeat."""

    def __init__(self, graph: Graph, where: RepeatedRange) -> None:
        self.graph, self.where = graph, where
        spare = where.parts - HEAD_PARTS - TAIL_PARTS
        self.removed = spare - spare % CYCLE
        self.head = where.parts - self.removed - TAIL_PARTS

    @cached_property
    def _number(self) -> dict[Node, int]:
        return {node: place for place, node in enumerate(self.graph.nodes)}

    def cut(self) -> ShortGraph | None:
        """The graph without the parts; None where others read them, or they share a value."""
        nodes, cut_nodes = self.graph.nodes, dict[int, Node]()
        if any(node.after for node in nodes) or self._shares_a_value():
            return None
        for position, node in enumerate(nodes):
            if self._part(position) in range(self.head, self.head + self.removed):
                continue
            reads = [cut_nodes.get(at) for at in self._reads(position)]
            inputs = [x for x in reads if x is not None]
            if len(inputs) < len(reads):
                return None
            cut_nodes[position] = reapply(node, inputs)
        roots = [
            cut_nodes[at]
            for at in map(self._number.__getitem__, self.graph.roots)
            if at in cut_nodes
        ]
        if not roots:
            return None
        like = {node: cut_nodes[self._like(position)] for position, node in enumerate(nodes)}
        graph = Graph(roots)
        return (
            ShortGraph(self.graph, graph, like)
            if set(graph.nodes) == set(cut_nodes.values())
            else None
        )

    def _shares_a_value(self) -> bool:
        """Whether parts that need no other part read each its own cells of one value.

        What is computed of these together is then worth less to fewer parts.
        """
        nodes, period = self.graph.nodes, self.where.period
        start = self.where.first + self.head * period
        part, shares = range(start, start + period), False
        for place in part:
            before = nodes[place - period]
            for x, known in zip(nodes[place].inputs, before.inputs, strict=True):
                if x is known:
                    other_cells = nodes[place].operator != before.operator
                    shares |= other_cells and bool(x.inputs)
                elif self._number[x] not in part:
                    return False  # it reads what another part has made
        return shares

    def _part(self, place: int) -> int:
        """The number of the part that a place lies in; outside -1, or one past the last."""
        return min(max(-1, (place - self.where.first) // self.where.period), self.where.parts)

    def _like(self, place: int) -> int:
        """The place that is kept whose choices a place takes."""
        gone = self._part(place) - self.head
        if not 0 <= gone < self.removed:
            return place
        return place - (gone // CYCLE + 1) * CYCLE * self.where.period

    def _reads(self, place: int) -> list[int]:
        """The places of what a node reads once parts are left out."""
        nodes, period = self.graph.nodes, self.where.period
        reads = [self._number[x] for x in nodes[place].inputs]
        behind = self.head + self.removed
        if not behind <= self._part(place) < self.where.parts:
            return reads
        before = [self._number[x] for x in nodes[place - period].inputs]
        return [
            at if at == known or self._part(at) >= behind else at - self.removed * period
            for at, known in zip(reads, before, strict=True)
        ]
