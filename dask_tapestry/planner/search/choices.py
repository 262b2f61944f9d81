"""Choices: all that a search may decide, and what a plan with these choices costs."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import field, replace
from functools import cached_property
from typing import NamedTuple

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.planner.cost.rank import Rank, total
from dask_tapestry.planner.search.grid import Grid
from dask_tapestry.planner.search.pricing import PricedGroup
from dask_tapestry.planner.tuning import ALIKE_SECONDS
from dask_tapestry.teg import Graph, Node


class FormChoice(NamedTuple):
    """A form of an operator, its size, and which part of the forms before takes it."""

    name: str
    size: int
    place: int = 0


@dataclass(frozen=True)
class Choices:
    """What a search decides.

    Attributes
    ----------
    forms
        Forms of nodes of the rewritten graph, each of what the one before makes last; other nodes
        are computed as they are.
    held, fused
        Nodes that are held though fusion's first guess would not, and the other way round.
    grids
        Grids of held nodes; others take the one that costs their own step least.
    places
        Places of held nodes, "" for any worker; others are computed anywhere, or where alone there
        is enough memory.
    """

    forms: Mapping[Node, tuple[FormChoice, ...]] = field(default_factory=dict)
    held: frozenset[Node] = frozenset()
    fused: frozenset[Node] = frozenset()
    grids: Mapping[Node, Grid] = field(default_factory=dict)
    places: Mapping[Node, str] = field(default_factory=dict)

    @cached_property
    def key(self) -> object:
        """What equal choices have in common."""
        forms = frozenset((node, tuple(taken)) for node, taken in self.forms.items())
        grids, places = frozenset(self.grids.items()), frozenset(self.places.items())
        return forms, self.held, self.fused, grids, places

    def fusing(self, nodes: Set[Node]) -> Choices:
        """The choices in which nodes are not held, but computed in the steps that read them."""
        return replace(
            self,
            held=self.held - nodes,
            fused=self.fused | nodes,
            grids={n: g for n, g in self.grids.items() if n not in nodes},
            places={n: p for n, p in self.places.items() if n not in nodes},
        )


@dataclass(frozen=True)
class State:
    """A plan as the search sees it.

    Attributes
    ----------
    graph
        With the chosen forms.
    placed
        The steps by the node they compute, producers first.
    places
        Where steps may be computed besides anywhere.
    """

    choices: Choices
    graph: Graph
    placed: Mapping[Node, PricedGroup]
    places: tuple[str, ...] = ()

    @cached_property
    def rank(self) -> Rank:
        """Order of states: what is allowed first, then by time."""
        return total([(priced.cost, priced.limits) for priced in self.placed.values()])

    @property
    def seconds(self) -> float:
        """The seconds of all steps, one after the other."""
        return self.rank.seconds

    @property
    def shortfall(self) -> int:
        """Bytes by which tasks exceed their limit."""
        return self.rank.excess

    @cached_property
    def carried(self) -> float:
        """Bytes that come from stores and other workers."""
        return sum(priced.cost.carried for priced in self.placed.values())

    def is_as_good_as(self, first: State) -> bool:
        """Whether it takes hardly longer than another plan, is busy for no longer, carries no more.

        It exceeds no limit by more, either.
        """
        pairs = (
            (first.rank.seconds, self.rank.seconds),
            (first.rank.busy, self.rank.busy),
            (first.carried, self.carried),
        )
        no_more = all(now <= ALIKE_SECONDS * before for before, now in pairs)
        return no_more and self.rank.exceeded <= first.rank.exceeded

    @property
    def as_good(self) -> Rank:
        """The rank beyond which no plan is as good as this one."""
        return self.rank.with_seconds(ALIKE_SECONDS)

    @cached_property
    def readers(self) -> Mapping[Node, tuple[Node, ...]]:
        """For each held node, the nodes whose steps read it."""
        found: dict[Node, list[Node]] = {node: [] for node in self.placed}
        for node, priced in self.placed.items():
            for x in priced.group.inputs:
                if x in found and x is not node:
                    found[x].append(node)
        return {node: tuple(readers) for node, readers in found.items()}
