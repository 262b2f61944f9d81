"""Whole rows: a fold whose cells wait for folds of their own rows reads what it folds once.

What is centred by means of its rows and folded along its columns is read for the means, and again
for the fold: columns are folded in one go, and means of rows are held. In nodes of some rows, which
a block has whole, the means are made where they are needed. No single change leads there: in one
go each block would make the means of all rows, and in nodes that read held means nothing is saved.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from functools import reduce
from itertools import islice
from operator import or_

from dask_tapestry.planner.cost.rank import preferred
from dask_tapestry.planner.search.choices import Choices, FormChoice, State
from dask_tapestry.planner.search.handed_reads import worth_reading_once
from dask_tapestry.planner.search.local_search import improve
from dask_tapestry.planner.search.plan_evaluator import PlanEvaluator
from dask_tapestry.planner.search.smaller_blocks import split_until_fits
from dask_tapestry.planner.search.tuning import COSTS_A_CHANGE, FOLDS_OF_ROWS, SIZES_OF_ROWS
from dask_tapestry.planner.tuning import ALIKE_SECONDS
from dask_tapestry.teg import Node

Chain = tuple[Node, Sequence[Node], Set[Node]]  # a fold, what it waits for, all on the way to it


def with_whole_rows(space: PlanEvaluator, state: State, costs: int) -> State:
    """The plan, or a faster one in which a fold has all that its cells wait for in its blocks.

    Parameters
    ----------
    costs
        Costs of steps that may be computed for it.
    """
    given = frozenset(space.graph.nodes)  # what goes through a store is none of its sources
    repeated = [] if state.shortfall else worth_reading_once(space, state)
    sources = [node for node in repeated if node in given]
    last = space.pricing.evaluated + costs - COSTS_A_CHANGE
    first = state
    for fold, inside, between in _folds(space, sources) if sources else ():
        state = _in_whole_rows(space, state, (fold, inside, between | set(sources)), last)
    if state is first:
        return state
    best = improve(space, state, last - space.pricing.evaluated)
    return best if space.fits_at_worst(best) else first


def _in_whole_rows(space: PlanEvaluator, state: State, chain: Chain, last: int) -> State:
    """The plan, or a faster one in which a fold and all before it are one step, in few nodes."""
    enough, found = state.rank.with_seconds(1 / ALIKE_SECONDS), [state]
    for choices in _in_nodes(space, state, chain):
        if space.pricing.evaluated > last:
            break
        other = space.state_within(choices, enough)
        if other is not None and not other.shortfall:
            other = split_until_fits(space, other)
            if other.rank < enough and space.fits(other):
                found.append(other)
    return preferred(found, lambda one: one.rank)


def _in_nodes(space: PlanEvaluator, state: State, chain: Chain) -> Iterator[Choices]:
    """Choices in which a fold is in one go or in nodes, and nothing is held on the way to it."""
    fold, inside, between = chain
    others = {n: own for n, own in state.choices.forms.items() if n is not fold and n not in inside}
    sizes = [
        FormChoice(form.name, size)
        for form in fold.operator.forms(fold.input_types)
        for size in islice(sorted(form.sizes), SIZES_OF_ROWS)
    ]
    for forms in (others, *[{**others, fold: (size,)} for size in sizes]):
        _, became = space.became(forms)
        fused = frozenset(became[node] for node in between)
        choices = space.in_forms(state.choices, forms)
        grids = {node: grid for node, grid in choices.grids.items() if node not in fused}
        held = choices.held - fused
        yield replace(choices, held=held, grids=grids, fused=choices.fused | fused)


def _folds(space: PlanEvaluator, sources: Sequence[Node]) -> Iterator[Chain]:
    """What has forms and waits for a few others that have, and are made of the same sources."""
    made_of = _made_of(space, sources)
    formed = [node for node in made_of if node.operator.forms(node.input_types)]
    bits = {node: 1 << number for number, node in enumerate(made_of)}
    every = sum([bits[node] for node in formed])
    for fold in formed:
        if 0 < (made_of[fold] & every).bit_count() <= FOLDS_OF_ROWS:
            between = {node for node in made_of if made_of[fold] & bits[node]}
            yield fold, [node for node in formed if node in between], between


def _made_of(space: PlanEvaluator, sources: Sequence[Node]) -> dict[Node, int]:
    """Nodes that are made of some sources, each with a bit for those of them that it is made of."""
    found: dict[Node, int] = {}
    numbers: dict[Node, int] = {}
    for node in space.graph.nodes:
        own = [found[x] | 1 << numbers[x] for x in node.inputs if x in found]
        if own or any(x in sources for x in node.inputs):
            found[node], numbers[node] = reduce(or_, own, 0), len(numbers)
    return found
