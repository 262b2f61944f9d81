"""Passes that reductions over different axes share: forms of several nodes, which take it together.

The size of the form is a number: the nodes that take it with one number share a pass.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Protocol

from dask_tapestry.errors import PlanError
from dask_tapestry.rewrite.driver import brief
from dask_tapestry.rules.shared_cells import reduction_ranks
from dask_tapestry.rules.tiled_reductions import Group, in_one_pass, reductions_of_shared_cells
from dask_tapestry.teg import Form, Graph, Node

ONE_PASS: Final = "tiles"


class FormKey(Protocol):
    """A form's name and size, and which part of what forms before have made takes it."""

    @property
    def name(self) -> str:
        """The name of the form."""

    @property
    def size(self) -> int:
        """Its size."""

    @property
    def place(self) -> int:
        """Number of the part, as `parts_of` counts them; 0 for the node that yields the value."""


def offered_passes(graph: Graph) -> dict[Node, int]:
    """For each reduction that may share a pass, the number of that pass."""
    groups = reductions_of_shared_cells(graph)
    return {node: number for number, group in enumerate(groups, 1) for node in group}


def passes_of(graph: Graph, chosen: Mapping[Node, FormKey]) -> dict[Node, Group]:
    """For each node that shares a pass, the nodes that do, itself among them, in their order."""
    groups: dict[int, list[Node]] = defaultdict(list)
    for node in graph.nodes:
        if node in chosen and chosen[node].name == ONE_PASS:
            groups[chosen[node].size].append(node)
    return {node: tuple(group) for group in groups.values() for node in group}


def in_order_of_passes(graph: Graph) -> Sequence[Node]:
    """The nodes, inputs first, and what a reduction reads before any that it may share with."""
    ranks = reduction_ranks(graph)
    return sorted(graph.nodes, key=ranks.__getitem__)


def pass_form(group: Iterable[Node], number: int) -> Form:
    """The form of each node of a group in which all share a pass."""
    together = tuple(group)

    def make(node: Node, _: int) -> Node:
        values = in_one_pass(together) if node in together else None
        if values is None:
            raise PlanError(f"{brief(node)} shares no pass with {len(together) - 1} reductions")
        return values[node]

    return Form(ONE_PASS, (number,), make)
