"""Exact grids: the cheapest of all combinations of some grids for each step.

Steps are settled producers first. For each way to cut the values that later steps still read, the
cheapest way to cut all others is kept: in a chain or a tree that is one value at a time, so the
work grows with the number of steps; in other graphs with the values that wait together. Where that
is more than a plan is worth, the cheapest combinations so far go on, as many as each step can pay
for: then the work is that of the effort, and the best of these is found.

Source: bucket elimination (Dechter 1999), as dynamic programming on trees; beam search.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from math import inf, prod

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.planner.cost.rank import NOTHING, Rank, rank
from dask_tapestry.planner.cost.step import Lying
from dask_tapestry.planner.fusion.external_inputs import given_cuts
from dask_tapestry.planner.fusion.group import is_external
from dask_tapestry.planner.search.choices import State
from dask_tapestry.planner.search.grid import Grid
from dask_tapestry.planner.search.plan_evaluator import PlanEvaluator
from dask_tapestry.planner.search.pricing import Cut, PricedGroup, Pricing, costs_of
from dask_tapestry.planner.search.tuning import (
    LEAST_ONCE_FOUND,
    LEAST_WAYS,
    MOST_PIECES_A_SLOT,
    MOST_TABLE_ROWS,
    ROWS_A_COST,
)
from dask_tapestry.steps.access_strides import movement
from dask_tapestry.steps.chunk_alignment import units
from dask_tapestry.teg import Node

Grids = Mapping[Node, Sequence[Grid]]
_Way = tuple["_Way", Node, Grid] | None  # how steps are cut: those before, and the last of them
_Row = tuple[Rank, _Way]


@dataclass
class _RankTable:
    """The cheapest rank for each combination of the grids of `open` values, and all grids of it.

    A combination is told by the numbers of the grids among those of each value.
    """

    open: dict[Node, Sequence[Grid]]
    rows: dict[tuple[int, ...], _Row]


def best_grids(
    space: PlanEvaluator, state: State, grids: Grids, costs: float = inf
) -> State | None:
    """The plan with the same choices but for grids, of which the best combination is taken.

    Parameters
    ----------
    grids
        Those to choose from, for each held value; its own for one that is not named.
    costs
        Costs of steps that it may compute, but for the few that comparing anything takes. Where
        all combinations take more, those that are cheapest so far go on.

    Returns
    -------
    State or None
        None if too many values wait together, or if even the fewest costs are far more than these:
        steps of hundreds of operators take as long to compare as to plan.
    """
    offered = [grids.get(node, (priced.grid,)) for node, priced in state.placed.items()]
    one_way = [
        costs_of(priced.group.program) * len(some)
        for priced, some in zip(state.placed.values(), offered, strict=True)
    ]
    if sum(one_way) > costs + LEAST_ONCE_FOUND:
        return None
    costs = max(costs, LEAST_WAYS * sum(one_way))
    table = _RankTable({}, {(): (NOTHING, None)})
    last = _last_readers(state)
    for number, (priced, some) in enumerate(zip(state.placed.values(), offered, strict=True)):
        table = _cheapest_rows(table, priced, len(some), costs / (len(offered) - number))
        before = space.pricing.evaluated
        found = _extended_table(space, priced, table, some)
        if found is None:
            return None
        costs -= space.pricing.evaluated - before + len(found.rows) / ROWS_A_COST
        table = _closed(found, {n for n in found.open if last[n] > number})
    _, way = min(table.rows.values(), key=lambda row: row[0])
    chosen = dict[Node, Grid]()
    while way is not None:
        way, node, grid = way
        chosen[node] = grid
    places = {node: priced.place for node, priced in state.placed.items() if state.places}
    return space.state(replace(state.choices, grids=chosen, places=places))


def _cheapest_rows(table: _RankTable, priced: PricedGroup, grids: int, costs: float) -> _RankTable:
    """The cheapest rows, as many as a step in so many `grids` can go on from for some costs.

    One row stays in any case.
    """
    if costs == inf or len(table.rows) == 1:
        return table
    read = [at for at, node in enumerate(table.open) if node in priced.group.inputs]
    one = costs_of(priced.group.program)
    rows: dict[tuple[int, ...], _Row] = {}
    inputs = set[tuple[int, ...]]()  # how inputs are held: each is priced in each grid
    for key, row in sorted(table.rows.items(), key=lambda item: item[1][0]):
        inputs.add(tuple([key[at] for at in read]))
        if rows and grids * (len(inputs) * one + (len(rows) + 1) / ROWS_A_COST) > costs:
            break
        rows[key] = row
    return _RankTable(table.open, rows)


def _last_readers(state: State) -> dict[Node, int]:
    """For each value, the number of the last step that reads it; -1 if none does."""
    number = {node: n for n, node in enumerate(state.placed)}
    return {
        node: max((number[reader] for reader in state.readers[node]), default=-1)
        for node in state.placed
    }


def _extended_table(
    space: PlanEvaluator, priced: PricedGroup, table: _RankTable, grids: Sequence[Grid]
) -> _RankTable | None:
    """The table with one more step, cut in each of some ways."""
    if len(table.rows) * len(grids) > MOST_TABLE_ROWS:
        return None
    pricing, group = space.pricing.at(priced.place).on(priced.group.device), priced.group
    places = {node: at for at, node in enumerate(table.open)}
    known_cuts = [given_cuts(x, pricing.machine) if is_external(x) else None for x in group.inputs]
    ranks: dict[tuple[int, ...], list[tuple[int, Rank]]] = {}  # by how inputs are held
    rows: dict[tuple[int, ...], _Row] = {}
    input_places = [places.get(x) for x in group.inputs]
    for key, (before, way) in table.rows.items():
        own = tuple([key[at] for at in input_places if at is not None])
        if own not in ranks:
            inputs = zip(group.inputs, input_places, known_cuts, strict=True)
            held = [c if at is None else table.open[x][key[at]] for x, at, c in inputs]
            ranks[own] = _ranked(pricing, priced, tuple(held), grids)
        for number, grid_rank in ranks[own]:
            rows[(*key, number)] = before.plus(grid_rank), (way, group.node, grids[number])
    return _RankTable({**table.open, group.node: grids}, rows) if rows else None


def _ranked(
    pricing: Pricing, priced: PricedGroup, input_cuts: Cut, grids: Sequence[Grid]
) -> list[tuple[int, Rank]]:
    """The ranks of a step in those of some grids that it may have, each with its number."""
    group, lies = priced.group, Lying(beside=priced.beside)
    return [
        (number, rank(pricing.cost(group.program, grid, input_cuts, lies), pricing.limits))
        for number, grid in enumerate(grids)
        if pricing.allows(group, grid, input_cuts)
    ]


def _closed(table: _RankTable, waits: Collection[Node]) -> _RankTable:
    """The table of the values that wait for readers: of each combination, the cheapest row."""
    at = [number for number, node in enumerate(table.open) if node in waits]
    rows: dict[tuple[int, ...], _Row] = {}
    for key, row in table.rows.items():
        kept = tuple([key[number] for number in at])
        if kept not in rows or row[0] < rows[kept][0]:
            rows[kept] = row
    return _RankTable({node: grids for node, grids in table.open.items() if node in waits}, rows)


def recut(space: PlanEvaluator, state: State, costs: int) -> State:
    """The plan with the best combination of grids near its own, if that is better and fits."""
    cut = best_grids(space, state, near_grids(space, state), costs)
    return cut if cut is not None and cut.rank < state.rank and space.fits(cut) else state


def near_grids(space: PlanEvaluator, state: State) -> dict[Node, list[Grid]]:
    """For each step its grid, the next best ones, and those that its neighbours suggest."""
    by_node: dict[Node, dict[Grid, None]] = {n: {p.grid: None} for n, p in state.placed.items()}
    for node, priced in state.placed.items():
        pricing = space.pricing.at(priced.place).on(priced.group.device)
        best = pricing.best(priced.group, priced.held, beside=priced.beside)
        by_node[node] |= {best.grid: None}
        by_node[node] |= {other: None for other in (best.second, best.coarser) if other}
        for at, (x, move) in enumerate(
            zip(priced.group.inputs, movement(priced.group.program), strict=False)
        ):
            if x in by_node and x is not node:
                by_node[x][move.pulled(x.type.shape, priced.grid)] = None
            own = priced.held[at]
            if own is not None:
                by_node[node][move.pushed(node.type.shape, own)] = None
    return {node: list(grids) for node, grids in by_node.items()}


def all_grids(space: PlanEvaluator, state: State) -> dict[Node, list[Grid]]:
    """For each step all grids with a power of two of pieces in each dimension, up to a few waves.

    What users fixed stays; what is computed together is not divided.
    """
    most = MOST_PIECES_A_SLOT * space.pricing.machine.slots
    by_node: dict[Node, list[Grid]] = {}
    for node, priced in state.placed.items():
        if node.operator.layout is not None:
            by_node[node] = [priced.grid]
            continue
        along = [
            dict.fromkeys(unit.cut(c.extent, n) for n in _powers(min(most, max(1, c.extent))))
            for unit, c in zip(units(priced.group.program, priced.held), priced.grid, strict=True)
        ]
        grids = [g for g in product(*along) if prod(c.count for c in g) <= most]
        by_node[node] = list(dict.fromkeys((priced.grid, *grids)))
    return by_node


def _powers(most: int) -> Iterator[int]:
    n = 1
    while n < most:
        yield n
        n *= 2
    yield most
