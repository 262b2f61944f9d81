"""Choosing: whether a graph takes the choices among a user's rules, by the cost of whole plans.

A choice may spare what stands before a node, or change what its readers can be fused with. So each
is compared as a plan of the whole graph, and the best is taken, again and again until none pays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Final, Protocol, TypeVar

from dask_tapestry.errors import MemoryLimitError
from dask_tapestry.late_named_tuple import NamedTuple
from dask_tapestry.planner.cost.rank import Rank
from dask_tapestry.planner.rewriting.rule_choices import choices_of, with_forms
from dask_tapestry.rewrite.trace import Trace
from dask_tapestry.rewrite.user_rules import rules_in_force
from dask_tapestry.teg import Graph, Node

MOST_PLANS: Final = 64  # that are compared; each takes as long as a plan without choices
GAIN: Final = 0.99  # of the seconds without it: a choice must save a hundredth


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


def choosing(
    graph: Graph, find: Callable[[Graph], S], trace: Trace | None = None
) -> tuple[Graph, S]:
    """The graph with the choices among the rules in force that make it cheaper, and its plan.

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
    offers_any = any(rule.kind == "choice" for rule in rules_in_force())
    best, refusal = _plan_or_reason(graph, find)
    left = MOST_PLANS if offers_any else 0
    while left > 0:
        offers = list(islice(_offers(graph), left))
        left -= len(offers)
        better = _best(graph, offers, find, best)
        if better is None:
            break
        node, choice, best = better
        graph = with_forms(graph, {node: [choice]}, trace)
    if best is None:
        assert refusal is not None
        raise refusal
    return graph, best


def _best(
    graph: Graph,
    offers: Sequence[tuple[Node, AppliedChoice]],
    find: Callable[[Graph], S],
    best: S | None,
) -> tuple[Node, AppliedChoice, S] | None:
    """The offer that leads to the cheapest plan, if that is better than `best`."""
    taken: tuple[Node, AppliedChoice, S] | None = None
    for node, choice in offers:
        other, _ = _plan_or_reason(with_forms(graph, {node: [choice]}), find)
        if other is not None and _is_better(other, best):
            taken, best = (node, choice, other), other
    return taken


def _offers(graph: Graph) -> Iterator[tuple[Node, AppliedChoice]]:
    """The nodes with the choices that they have, readers first."""
    for node in reversed(graph.nodes):
        for form in choices_of(node):
            yield node, AppliedChoice(form.name, form.sizes[0])


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
    return other.rank < best.rank.with_seconds(GAIN)
