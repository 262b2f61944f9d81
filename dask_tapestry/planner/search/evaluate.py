"""Evaluation: the steps, grids and costs that follow from choices."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from dataclasses import replace
from functools import partial
from math import inf

from dask_tapestry.planner.access.blocks_together import Beside, beside_of, lies_with
from dask_tapestry.planner.cost.rank import NOTHING, Rank
from dask_tapestry.planner.fusion.external_inputs import given_cuts
from dask_tapestry.planner.fusion.group import Group, is_external
from dask_tapestry.planner.search.choices import Choices, State
from dask_tapestry.planner.search.grid import Grid
from dask_tapestry.planner.search.pricing import AskedStep, Cut, PricedGroup, Pricing
from dask_tapestry.teg import Graph, Node

NO_GRIDS: Mapping[Node, Grid] = {}


def evaluate(graph: Graph, choices: Choices, pricing: Pricing) -> State:
    """The plan of `graph`, whose forms are chosen already, with the other `choices`."""
    state = evaluate_within(graph, choices, pricing, None)
    assert state is not None
    return state


def evaluate_within(
    graph: Graph, choices: Choices, pricing: Pricing, most: Rank | None, last: float = inf
) -> State | None:
    """The plan of `graph`; None as soon as its first steps take more than the rank `most`.

    None, too, once more than the `last` cost is computed: to hold other values may change each of
    hundreds of steps, which takes many times as long as what the plan is worth.
    """
    held = pricing.held(graph, choices.held, choices.fused)
    placed: dict[Node, PricedGroup] = {}
    so_far, too_much = NOTHING, None
    for node in graph.nodes:
        if node not in held or is_given(node):
            continue
        if pricing.evaluated > last:
            return None
        if most is not None:
            too_much = partial(so_far.is_beyond, most)
        chosen = choices.places.get(node)
        priced = place(node, held, placed, pricing, choices.grids, chosen, too_much)
        placed[node] = priced
        if most is not None:
            so_far = so_far.plus(priced.rank)
            if so_far > most:
                return None
    return State(choices, graph, placed, tuple(m.place for m in pricing.machine.places))


def place(
    node: Node,
    held: Set[Node],
    placed: Mapping[Node, PricedGroup],
    pricing: Pricing,
    grids: Mapping[Node, Grid] = NO_GRIDS,
    chosen: str | None = None,
    is_too_much: Callable[[Rank], bool] | None = None,
) -> PricedGroup:
    """The step of a held node, whose producers are `placed`.

    Its cost is what it takes at least, if that `is_too_much`.

    It is cut as `grids` says, if it may be, or in the best way. It is computed at the `chosen`
    place, or where the user has asked, or else anywhere; but where it needs more memory than any
    worker has, at the place that is best of those.
    """
    group = pricing.group(node, held)
    cuts: Cut = tuple(
        given_cuts(x, pricing.machine)
        if is_external(x)
        else (placed[x].grid if x in placed else None)
        for x in group.inputs
    )
    grid = grids.get(node)
    last = pricing.asked.get(node)
    homes = tuple([placed[x].home or x if x in placed else x for x in group.inputs])
    if last is not None and last.is_of(group, cuts, (grid, chosen, homes)):
        return last.priced
    priced = _anywhere(group, cuts, pricing, grid, chosen, is_too_much, beside_of(homes))
    near = lies_with(group.program, priced.grid, cuts) if any(cuts) else None
    if near is not None:
        priced = replace(priced, home=homes[near])
    if is_too_much is None or not is_too_much(priced.rank):
        pricing.asked[node] = AskedStep((grid, chosen, homes), priced)
    return priced


def _anywhere(
    group: Group,
    cuts: Cut,
    pricing: Pricing,
    grid: Grid | None,
    chosen: str | None,
    is_too_much: Callable[[Rank], bool] | None,
    beside: Beside,
) -> PricedGroup:
    """A group at the `chosen` place, where the user has asked, or else where it is best."""
    named = [m.place for m in pricing.machine.places if m.place in group.node.operator.workers]
    if named:
        return _cut(group, cuts, pricing.at(named[0]), grid, None, beside)
    found = _cut(group, cuts, pricing.at(chosen or ""), grid, is_too_much, beside)
    if chosen is not None or not found.rank.excess:
        return found
    places = [pricing.at(m.place) for m in pricing.machine.places]
    others = [_cut(group, cuts, there, grid, None, beside) for there in places]
    return min((found, *others), key=lambda priced: priced.rank)


def _cut(
    group: Group,
    cuts: Cut,
    pricing: Pricing,
    grid: Grid | None,
    is_too_much: Callable[[Rank], bool] | None,
    beside: Beside,
) -> PricedGroup:
    """A group cut by `grid`, if it may be, or in the best way, on the device that computes it."""
    pricing = pricing.on(group.device)
    if grid is None or not pricing.allows(group, grid, cuts):
        return pricing.best(group, cuts, is_too_much, beside)
    return pricing.under(group, grid, cuts, beside)


def is_given(node: Node) -> bool:
    """Whether a node's blocks are made outside the plan, and cut there."""
    return is_external(node) and node.operator.layout is not None
