"""Smaller blocks: a plan that workers cannot hold is cut more finely where its blocks take most."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import prod

from dask_tapestry.planner.search.choices import Choices, State
from dask_tapestry.planner.search.grid import Grid
from dask_tapestry.planner.search.moves import halved, pulled_grid
from dask_tapestry.planner.search.plan_evaluator import PlanEvaluator
from dask_tapestry.planner.search.pricing import PricedGroup
from dask_tapestry.planner.search.tuning import (
    CLOSE_TO_FITTING,
    HALVINGS,
    HEAVY,
    LIGHTER_SHARE,
    MUCH_LIGHTER,
)
from dask_tapestry.planner.tuning import STREAMED_BLOCKS_A_SLOT
from dask_tapestry.teg import Node


def finer_choices(state: State) -> Iterator[Choices]:
    """Choices in which the blocks that take most are cut more finely, of steps alike together.

    Blocks take memory while they are computed, and then those that wait for who reads them. Cut
    alike, the blocks of a value that is changed step by step take each other's place.
    """
    awaited = _awaited_grids(state)
    if awaited:
        yield replace(state.choices, grids={**state.choices.grids, **awaited})
    alike: dict[object, list[PricedGroup]] = {}
    for priced in state.placed.values():
        alike.setdefault((priced.group.node.type, priced.grid), []).append(priced)
    heaviest = sorted(alike.values(), key=lambda some: -max(p.cost.work for p in some))[:HEAVY]
    fullest = sorted(alike.values(), key=lambda some: -max(map(_with_waiting, some)))[:HEAVY]
    for some in (*heaviest, *[one for one in fullest if one not in heaviest]):
        for choices in halved(state, some):
            yield choices
            as_read = _grids_of_readers(state, some)
            if not as_read.keys() <= choices.grids.keys():
                yield replace(choices, grids={**as_read, **choices.grids})


def _awaited_grids(state: State) -> dict[Node, Grid]:
    """Of steps whose readers read others too: more blocks, as these read them.

    A reader that waits for one block of a mean waits for all that this is made of, and what it
    reads beside is held until then.
    """
    grids = dict[Node, Grid]()
    for reader in state.placed.values():
        made = [x for x in reader.group.inputs if x in state.placed and x is not reader.group.node]
        for x in made if len(made) > 1 else ():
            grid = pulled_grid(x, reader)
            more = prod([cuts.count for cuts in grid]) > state.placed[x].cost.blocks
            if more and x.operator.layout is None and x not in grids:
                grids[x] = grid
    return grids


def _grids_of_readers(state: State, alike: Sequence[PricedGroup]) -> dict[Node, Grid]:
    """How those are cut that read what steps make: else larger blocks may read smaller ones."""
    readers = {reader for priced in alike for reader in state.readers[priced.group.node]}
    return {reader: state.placed[reader].grid for reader in readers}


def _with_waiting(priced: PricedGroup) -> float:
    """Bytes that a block takes, and such blocks of which some wait for each slot."""
    block = priced.group.node.type.nbytes / max(1, priced.cost.blocks)
    return priced.cost.work + STREAMED_BLOCKS_A_SLOT * block


def split_until_fits(space: PlanEvaluator, state: State) -> State:
    """The plan in smaller blocks, if workers can hold what it holds only then.

    It is given up where values alone take too much, and once what lacks hardly falls.
    """
    lighter = state
    for _ in range(HALVINGS):
        if lighter.shortfall or space.fits(lighter):
            return lighter
        if not space.may_fit_in_smaller_blocks(lighter):
            break
        finer = [space.state(choices) for choices in finer_choices(lighter)]
        best_first = sorted(finer, key=lambda other: other.rank)
        fitting = next((other for other in best_first if space.fits(other)), None)
        if fitting is not None:
            return fitting
        still = LIGHTER_SHARE * space.lacking(lighter)
        much = MUCH_LIGHTER * space.lacking(lighter)
        fastest = next((other for other in best_first if space.lacking(other) <= much), None)
        lighter = fastest or min(finer, key=space.lacking, default=lighter)
        if space.lacking(lighter) > max(still, CLOSE_TO_FITTING * space.resources.usable_bytes):
            break
    return state
