"""Selection of rules and forms before a graph is searched, by the cost of whole plans.

A user's choice may spare what stands before a node, or change what its readers can be fused with;
what the host computes instead of a device changes what crosses the link between them; reductions
that share a pass spare what stands before all of them. So each is compared as a plan of the whole
graph, and the best is taken, again and again until none pays. Only graphs are searched whose seeds
are not far behind the best of them. Where no plan fits, what shares a pass may take several, and
layouts that were asked for are left. And results that take most of workers' memory are apart from
what steps read, unless that is slow.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import chain, islice
from math import inf
from typing import Generic, NamedTuple, Protocol, TypeVar

from dask_tapestry.errors import MemoryLimitError
from dask_tapestry.planner.cost.rank import NOTHING, Rank
from dask_tapestry.planner.rewriting.host_parts import HOST, host_parts
from dask_tapestry.planner.rewriting.rule_choices import choices_of, with_forms
from dask_tapestry.planner.rewriting.shared_passes import (
    APART,
    ONE_PASS,
    ONE_PRODUCT,
    offered_passes,
    offered_products,
    offered_smaller_passes,
)
from dask_tapestry.planner.search.tuning import (
    CHOICE_GAIN,
    MOST_PLANS,
    SEED_FAR_BEHIND,
    SLOW_APART,
    WORTH_SHARED_PASSES,
)
from dask_tapestry.rewrite.trace import Trace
from dask_tapestry.rewrite.user_rules import rules_in_force
from dask_tapestry.rules.asked_layouts import LAYOUT_LEFT, layouts_within
from dask_tapestry.rules.results_apart import RESULTS_APART, with_results_apart
from dask_tapestry.settings import setting
from dask_tapestry.teg import Graph, Node


class Ranked(Protocol):
    """A plan that was found."""

    @property
    def rank(self) -> Rank:
        """Its place among others; the least is best."""


S = TypeVar("S", bound=Ranked, covariant=True)


class Find(Protocol[S]):
    """Finds a plan for a graph."""

    def __call__(self, graph: Graph, beside: Rank | None = None, /) -> S | None:
        """The best plan; None where it is not worth to look on beside one of such a rank.

        Raises
        ------
        MemoryLimitError
            If no plan fits, and none is known beside it.
        """


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


class RankedSeeds(Protocol):
    """The plans that searches of graphs would begin with."""

    def of(self, graph: Graph) -> Ranked | None:
        """The seed of a graph; None where it is not known sooner than its plan."""

    def leave(self, graph: Graph) -> None:
        """Take note that a graph is not searched, as its seed is far behind."""


class _NoSeeds:
    """Those of graphs of which none is known: all are searched."""

    def of(self, graph: Graph) -> None:
        """None is known."""

    def leave(self, graph: Graph) -> None:
        """No graph is left."""


def choosing(
    graph: Graph,
    find: Find[S],
    trace: Trace | None = None,
    seeds: RankedSeeds | None = None,
    apart: bool = True,
    crowding: Callable[[Graph], Collection[Node]] = lambda _: (),
) -> Chosen[S]:
    """The graph in the forms that make it cheaper: those of users' rules, and those of the host.

    Parameters
    ----------
    find
        Finds a plan for a graph, beside a known one.
    trace
        Where the choices taken are recorded.
    seeds
        Tell which graphs need not be searched.
    apart
        Whether passes may be taken apart where no plan fits.
    crowding
        Tells which results of a graph leave little memory to the steps that read them.

    Raises
    ------
    MemoryLimitError
        If no plan fits.
    """
    seeds = seeds or _NoSeeds()
    plans_left, forms_taken = MOST_PLANS, list[Taken]()
    best, refusal, better = None, None, _far_ahead(graph, find, seeds)
    if better is None:
        better = _results_apart(graph, find, crowding)
        if better is None or _is_slow(better[1], seeds.of(graph)):
            best, refusal = _plan_or_reason(graph, find, None if better is None else better[1].rank)
            better = better if better is not None and _is_better(better[1], best) else None
        else:
            seeds.leave(graph)
    while better is not None or plans_left > 0:
        if better is None:
            smaller = _smaller(graph) if apart and best is None else ()
            offers = list(islice(chain(smaller, _offers(graph, best)), plans_left))
            plans_left -= len(offers)
            better = _best(graph, offers, find, best, seeds)
        if better is None:
            break
        offer, best = better
        forms_taken.append(taken_of(graph, offer))
        graph, better = with_taken(graph, forms_taken[-1], trace), None
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
    offer = {graph.nodes[at]: AppliedChoice(name, size) for at, name, size in taken}
    return _with_offer(graph, offer, trace)


def _best(
    graph: Graph,
    offers: Sequence[Offer],
    find: Find[S],
    best: S | None,
    seeds: RankedSeeds,
) -> tuple[Offer, S] | None:
    """The offer that leads to the cheapest plan, if that is better than `best`.

    Where no plan fits, those are tried first whose tasks lack least by their seeds.
    """
    best_offer: tuple[Offer, S] | None = None
    seed = seeds.of(graph) if offers and best is not None else None
    if best is None:
        offers = sorted(offers, key=lambda offer: _seed_rank(seeds.of(_with_offer(graph, offer))))
    for offer in offers:
        offered = _with_offer(graph, offer)
        if seed is not None and _is_far_behind(seeds.of(offered), seed):
            seeds.leave(offered)
            continue
        other, _ = _plan_or_reason(offered, find, None if best is None else best.rank)
        if other is not None and _is_better(other, best):
            best_offer, best, seed = (offer, other), other, seed or seeds.of(offered)
    return best_offer


def _seed_rank(seed: Ranked | None) -> Rank:
    """The rank of a seed; of one that is not known, the best."""
    return NOTHING if seed is None else seed.rank


def _far_ahead(graph: Graph, find: Find[S], seeds: RankedSeeds) -> tuple[Offer, S] | None:
    """The offer whose seed is best, with its plan, if that of the graph is far behind that seed."""
    if isinstance(seeds, _NoSeeds) or next(_offers(graph, None), None) is None:
        return None
    seed = seeds.of(graph)
    if seed is None:
        return None
    others = [(one, seeds.of(_with_offer(graph, one))) for one in _offers(graph, seed)]
    known = [(other.rank, at) for at, (_, other) in enumerate(others) if other is not None]
    if not known or not _is_far_behind(seed, others[min(known)[1]][1]):
        return None
    offer, _ = others[min(known)[1]]
    found, _ = _plan_or_reason(_with_offer(graph, offer), find)
    if found is None:
        return None
    seeds.leave(graph)
    return offer, found


def _results_apart(
    graph: Graph, find: Find[S], crowding: Callable[[Graph], Collection[Node]]
) -> tuple[Offer, S] | None:
    """The plan in which results that crowd workers are apart from what steps read, if it fits."""
    results = crowding(graph)
    if not results:
        return None
    offer = dict.fromkeys(results, AppliedChoice(RESULTS_APART, 1))
    found, _ = _plan_or_reason(_with_offer(graph, offer), find)
    return None if found is None else (offer, found)


def _is_slow(found: Ranked, seed: Ranked | None) -> bool:
    """Whether a plan takes so much longer than the seed of another graph that one may be faster."""
    return seed is None or found.rank.seconds > SLOW_APART * seed.rank.seconds


def _is_far_behind(seed: Ranked | None, best: Ranked | None) -> bool:
    """Whether a search would have to gain far more from one seed than from the other."""
    if seed is None or best is None or not best.rank.is_allowed:
        return False
    return seed.rank > best.rank.with_seconds(SEED_FAR_BEHIND)


def _with_offer(graph: Graph, offer: Offer, trace: Trace | None = None) -> Graph:
    """The graph in which an offer is taken."""
    if any(choice.name == RESULTS_APART for choice in offer.values()):
        return with_results_apart(graph, offer.__contains__, trace)
    return with_forms(graph, {node: [choice] for node, choice in offer.items()}, trace)


def _offers(graph: Graph, best: Ranked | None) -> Iterator[Offer]:
    """What a graph may take: choices of single nodes, readers first; parts for the host; passes."""
    if any(rule.kind == "choice" for rule in rules_in_force()):
        for node in reversed(graph.nodes):
            for form in choices_of(node):
                yield {node: AppliedChoice(form.name, form.sizes[0])}
    if setting("host-parts") and any(node.format is not None for node in graph.nodes):
        for part in host_parts(graph):
            yield dict.fromkeys(part, AppliedChoice(HOST, 1))
    seconds = inf if best is None else best.rank.seconds
    if seconds > WORTH_SHARED_PASSES:
        shared = offered_passes(graph)
        folds = sum(len(node.operator.formulas(node.input_types)) for node in shared)
        if folds and seconds > WORTH_SHARED_PASSES * folds:
            yield {node: AppliedChoice(ONE_PASS, number) for node, number in shared.items()}
        products = offered_products(graph)
        if products and seconds > WORTH_SHARED_PASSES * len(products):
            yield {node: AppliedChoice(ONE_PRODUCT, number) for node, number in products.items()}


def _smaller(graph: Graph) -> Iterator[Offer]:
    """What a graph may take of which no plan fits: no layouts within, passes of fewer folds."""
    layouts = layouts_within(graph)
    if layouts:
        yield dict.fromkeys(layouts, AppliedChoice(LAYOUT_LEFT, 1))
    for parts in offered_smaller_passes(graph):
        yield {node: AppliedChoice(APART, number) for node, number in parts.items()}


def _plan_or_reason(
    graph: Graph, find: Find[S], beside: Rank | None = None
) -> tuple[S | None, MemoryLimitError | None]:
    """A plan for a graph, or why there is none; neither where one `beside` it is better."""
    try:
        return find(graph, beside), None
    except MemoryLimitError as error:
        return None, error


def _is_better(other: Ranked, best: Ranked | None) -> bool:
    if best is None:
        return True
    return other.rank < best.rank.with_seconds(CHOICE_GAIN)
