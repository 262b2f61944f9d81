"""Passes that reductions over different axes share, or products: forms that nodes take together.

Reductions that a rule has joined in one pass share smaller ones in the same way.

The size of the form is a number: the nodes that take it with one number share a pass.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, Protocol

from dask_tapestry.errors import PlanError
from dask_tapestry.rewrite.driver import brief
from dask_tapestry.rules.joint_passes_apart import (
    in_a_pass_of_their_own,
    numbers_of_passes,
    reductions_of_joint_passes,
)
from dask_tapestry.rules.joint_products import (
    joint_product,
    product_ranks,
    products_of_one_factor,
)
from dask_tapestry.rules.tiled_reductions import Group, in_one_pass, reductions_of_shared_cells
from dask_tapestry.teg import Form, Graph, Node

ONE_PASS: Final = "tiles"
ONE_PRODUCT: Final = "one product"
APART: Final = "apart"
SHARED: Final[dict[str, Callable[[Group], dict[Node, Node] | None]]] = {
    ONE_PASS: in_one_pass,
    ONE_PRODUCT: joint_product,
    APART: in_a_pass_of_their_own,
}


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
    return _numbered(reductions_of_shared_cells(graph))


def offered_products(graph: Graph) -> dict[Node, int]:
    """For each product that may be a part of another one, the number of that."""
    return _numbered(products_of_one_factor(graph))


def offered_smaller_passes(graph: Graph) -> Iterator[dict[Node, int]]:
    """For each reduction of a joint pass the number of a smaller one, in several ways."""
    for passes in numbers_of_passes(graph):
        yield _numbered(reductions_of_joint_passes(graph, passes))


def _numbered(groups: Sequence[Group]) -> dict[Node, int]:
    return {node: number for number, group in enumerate(groups, 1) for node in group}


def passes_of(graph: Graph, chosen: Mapping[Node, FormKey]) -> dict[Node, Group]:
    """For each node that shares a pass, the nodes that do, itself among them, in their order."""
    groups: dict[tuple[str, int], list[Node]] = defaultdict(list)
    for node in graph.nodes:
        if node in chosen and chosen[node].name in SHARED:
            groups[chosen[node].name, chosen[node].size].append(node)
    return {node: tuple(group) for group in groups.values() for node in group}


def in_order_of_passes(graph: Graph) -> Sequence[Node]:
    """The nodes, inputs first, and what a node reads before any that it may share a pass with."""
    ranks = product_ranks(graph)
    return sorted(graph.nodes, key=ranks.__getitem__)


def pass_form(group: Iterable[Node], name: str, number: int) -> Form:
    """The form of each node of a group in which all share a pass, by its name in `SHARED`."""
    together = tuple(group)

    def make(node: Node, _: int) -> Node:
        values = SHARED[name](together) if node in together else None
        if values is None:
            raise PlanError(f"{brief(node)} shares no pass with {len(together) - 1} others")
        return values[node]

    return Form(name, (number,), make)
