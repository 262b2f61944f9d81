"""Exhaustive search: the cheapest of all plans of a small graph, the yardstick of the search."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, combinations, product
from math import prod

from dask_tapestry.errors import PlanError
from dask_tapestry.planner.fusion.group import is_external
from dask_tapestry.planner.rewriting.rule_choices import forms_of
from dask_tapestry.planner.search.choices import Choices, FormChoice, State
from dask_tapestry.planner.search.exact_grids import all_grids, best_grids
from dask_tapestry.planner.search.moves import optional
from dask_tapestry.planner.search.plan_evaluator import PlanEvaluator
from dask_tapestry.planner.search.tuning import MOST_CHOICES
from dask_tapestry.teg import Node


def exhaustive(space: PlanEvaluator, found: State) -> State:
    """The cheapest plan: of all forms in all sizes, all values held or not, all grids.

    Grids have a power of two of pieces in each dimension. A node takes one form; the last node of a
    form takes none. The plan `found` is compared, too.

    Raises
    ------
    PlanError
        If there are too many.
    """
    best = found
    for choices in all_choices(space):
        state = space.state(choices)
        cut = best_grids(space, state, all_grids(space, state))
        if cut is None:
            raise PlanError(f"{len(space.graph)} operators have too many grids to compare them all")
        best = min(best, state, cut, key=lambda s: (not space.fits(s), s.rank))
    return best


def all_choices(space: PlanEvaluator) -> Iterator[Choices]:
    """All combinations of forms, and for each all sets of held values."""
    offers = all_forms(space)
    seeds = [
        Choices(forms={n: (f,) for n, f in zip(offers, forms, strict=True) if f is not None})
        for forms in product(*offers.values())
    ]
    free = [_may_be_held(space.state(seed)) for seed in seeds]
    _require_few(sum(2 ** len(nodes) for nodes in free), space)
    for seed, nodes in zip(seeds, free, strict=True):
        subsets = chain.from_iterable(combinations(nodes, n) for n in range(len(nodes) + 1))
        for held in map(frozenset, subsets):
            yield replace(seed, held=held, fused=frozenset(nodes) - held)


def all_forms(space: PlanEvaluator) -> dict[Node, list[FormChoice | None]]:
    """The forms that each node may take, if these have few combinations.

    Raises
    ------
    PlanError
        If there are too many.
    """
    offers = {node: list(_chosen_form(node)) for node in space.graph.nodes if forms_of(node)}
    _require_few(prod(len(taken) for taken in offers.values()), space)
    return offers


def _require_few(count: int, space: PlanEvaluator) -> None:
    if count > MOST_CHOICES:
        raise PlanError(
            f"{len(space.graph)} operators have {count:,} combinations of forms and held values; "
            f"method='exhaustive' compares {MOST_CHOICES:,} at most"
        )


def _chosen_form(node: Node) -> Iterator[FormChoice | None]:
    yield None
    for form in forms_of(node):
        yield from (FormChoice(form.name, size) for size in form.sizes)


def _may_be_held(state: State) -> list[Node]:
    """Values that need not be held, or that need not be computed where they are read.

    Selections of another value alone are not: what they select may be.
    """
    chosen = set(optional(state))
    return [
        node
        for node in state.graph.nodes
        if node in chosen
        or (node not in state.placed and not node.operator.is_selector and not is_external(node))
    ]
