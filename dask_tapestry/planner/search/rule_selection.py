"""Selection of rules and forms before a graph is searched, by the cost of whole plans.

A user's choice may spare what stands before a node, or change what its readers can be fused with;
what the host computes instead of a device changes what crosses the link between them; reductions
that share a pass spare what stands before all of them. So each is compared as a plan of the whole
graph, and the best is taken, again and again until none pays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Generic, NamedTuple, Protocol, TypeVar

from dask_tapestry.errors import MemoryLimitError
from dask_tapestry.planner.cost.rank import Rank
from dask_tapestry.planner.rewriting.host_parts import HOST, host_parts
from dask_tapestry.planner.rewriting.rule_choices import choices_of, with_forms
from dask_tapestry.planner.rewriting.shared_passes import (
    ONE_PASS,
    ONE_PRODUCT,
    offered_passes,
    offered_products,
)
from dask_tapestry.planner.tuning import CHOICE_GAIN, MOST_PLANS, WORTH_SHARED_PASSES
from dask_tapestry.rewrite.trace import Trace
from dask_tapestry.rewrite.user_rules import rules_in_force
from dask_tapestry.settings import setting
from dask_tapestry.teg import Graph, Node


class Ranked(Protocol):
    """A plan that was found."""

    @property
    def rank(self) -> Rank:
        """Its place among others; the least is best."""


S = TypeVar("S", bound=Ranked)


class AppliedChoice(NamedTuple):
    """A choice, as `with_forms` takes it."""

    name: str
    size: int
    place: int = 0


Offer = Mapping[Node, AppliedChoice]
Taken = tuple[tuple[int, str, int], ...]  # of nodes by their places in a graph, name and size


class Chosen(NamedTuple, Generic[S]):
    """What was chosen.

    Attributes
    ----------
    graph, found
        The graph with the choices that make it cheaper, and its plan.
    taken
        What was taken of each graph on the way, in order.
    """

    graph: Graph
    found: S
    taken: tuple[Taken, ...]


def choosing(graph: Graph, find: Callable[[Graph], S], trace: Trace | None = None) -> Chosen[S]:
    """The graph in the forms that make it cheaper: those of users' rules, and those of the host.

    Parameters
    ----------
    find
        Finds a plan for a graph.
    trace
        Where the choices taken are recorded.

    Raises
    ------
    MemoryLimitError
        If no plan fits.
    """
    best, refusal = _plan_or_reason(graph, find)
    plans_left, forms_taken = MOST_PLANS, list[Taken]()
    while plans_left > 0:
        offers = list(islice(_offers(graph, best), plans_left))
        plans_left -= len(offers)
        better = _best(graph, offers, find, best)
        if better is None:
            break
        offer, best = better
        forms_taken.append(taken_of(graph, offer))
        graph = with_taken(graph, forms_taken[-1], trace)
    if best is None:
        assert refusal is not None
        raise refusal
    return Chosen(graph, best, tuple(forms_taken))


def taken_of(graph: Graph, offer: Offer) -> Taken:
    """An offer by the places of its nodes in a graph."""
    found = [(at, offer[node]) for at, node in enumerate(graph.nodes) if node in offer]
    return tuple([(at, choice.name, choice.size) for at, choice in found])


def with_taken(graph: Graph, taken: Taken, trace: Trace | None = None) -> Graph:
    """The graph in which nodes, by their places, have taken forms.

    Raises
    ------
    PlanError
        If a node has no form of that name.
    """
    forms = {graph.nodes[at]: [AppliedChoice(name, size)] for at, name, size in taken}
    return with_forms(graph, forms, trace)


def _best(
    graph: Graph, offers: Sequence[Offer], find: Callable[[Graph], S], best: S | None
) -> tuple[Offer, S] | None:
    """The offer that leads to the cheapest plan, if that is better than `best`."""
    best_offer: tuple[Offer, S] | None = None
    for offer in offers:
        forms = {node: [choice] for node, choice in offer.items()}
        other, _ = _plan_or_reason(with_forms(graph, forms), find)
        if other is not None and _is_better(other, best):
            best_offer, best = (offer, other), other
    return best_offer


def _offers(graph: Graph, best: Ranked | None) -> Iterator[Offer]:
    """What a graph may take: choices of single nodes, readers first; parts for the host; passes."""
    if any(rule.kind == "choice" for rule in rules_in_force()):
        for node in reversed(graph.nodes):
            for form in choices_of(node):
                yield {node: AppliedChoice(form.name, form.sizes[0])}
    if setting("host-parts") and any(node.format is not None for node in graph.nodes):
        for part in host_parts(graph):
            yield dict.fromkeys(part, AppliedChoice(HOST, 1))
    if best is None or best.rank.seconds > WORTH_SHARED_PASSES:
        shared = offered_passes(graph)
        folds = sum(len(node.operator.formulas(node.input_types)) for node in shared)
        if folds and (best is None or best.rank.seconds > WORTH_SHARED_PASSES * folds):
            yield {node: AppliedChoice(ONE_PASS, number) for node, number in shared.items()}
        products = offered_products(graph)
        if products and (best is None or best.rank.seconds > WORTH_SHARED_PASSES * len(products)):
            yield {node: AppliedChoice(ONE_PRODUCT, number) for node, number in products.items()}


def _plan_or_reason(
    graph: Graph, find: Callable[[Graph], S]
) -> tuple[S, None] | tuple[None, MemoryLimitError]:
    """A plan for a graph, or why there is none."""
    try:
        return find(graph), None
    except MemoryLimitError as error:
        return None, error


def _is_better(other: Ranked, best: Ranked | None) -> bool:
    if best is None:
        return True
    return other.rank < best.rank.with_seconds(CHOICE_GAIN)
