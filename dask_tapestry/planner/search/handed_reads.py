"""Handed reads: a source that several steps read is read once, in blocks that workers can hold.

Forms are chosen for large blocks. Of a source that is held for its readers several of these wait
for each slot, which workers may have no room for; and of smaller blocks each part of a fold would
need so many that the source is held whole. No single choice leads from there to parts that are as
small as the blocks, so each step reads for itself. Here the source is cut first, so that there is
room for what waits, and then forms are chosen for its readers.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from dask_tapestry.planner.cost.rank import preferred
from dask_tapestry.planner.memory.resident_values import takes_few_blocks
from dask_tapestry.planner.rewriting.joint_reads import paces_of
from dask_tapestry.planner.rewriting.rule_choices import form_of_part
from dask_tapestry.planner.search.choices import Choices, FormChoice, State
from dask_tapestry.planner.search.exchanges import owners_of
from dask_tapestry.planner.search.form_choice import choose_forms
from dask_tapestry.planner.search.grid import Grid
from dask_tapestry.planner.search.joint_windows import read_jointly, taken_apart
from dask_tapestry.planner.search.local_search import improve
from dask_tapestry.planner.search.moves import stored_grid
from dask_tapestry.planner.search.plan_evaluator import PlanEvaluator
from dask_tapestry.planner.search.pricing import Pricing
from dask_tapestry.planner.search.repeated_work import repeated_seconds
from dask_tapestry.planner.search.shared_values import shared_values
from dask_tapestry.planner.search.smaller_blocks import split_until_fits
from dask_tapestry.planner.search.tuning import COSTS_A_CHANGE, HALVINGS, SLOWER_TO_FIT
from dask_tapestry.planner.tuning import (
    ALIKE_SECONDS,
    HELD_SHARE,
    ROOMY_BLOCKS,
    STREAMED_BLOCKS_A_SLOT,
)
from dask_tapestry.teg import Node, Source
from dask_tapestry.zspace import largest_box


def with_reads_handed_on(space: PlanEvaluator, state: State, costs: int) -> State:
    """The plan, or a faster one in which sources that several steps read are read once.

    One that workers can hold may be slower, where they cannot hold what this one holds.

    Parameters
    ----------
    costs
        Costs of steps that may be computed for it.
    """
    if state.shortfall:
        return state
    sources = worth_reading_once(space, state)
    times = 1 / ALIKE_SECONDS
    if not sources and not space.fits_at_worst(state):
        sources, times = _held_for_several(state), SLOWER_TO_FIT
    if not sources:
        return state
    last = space.pricing.evaluated + costs - COSTS_A_CHANGE
    enough = state.rank.with_seconds(times)
    for grids in _grids(space, sources):
        if space.pricing.evaluated > last:
            break
        found = [
            other
            for choices in _read_once(space, grids, costs)
            if (first := space.state_within(choices, enough)) is not None
            and space.fits(other := split_until_fits(space, first))
        ]
        best = preferred(found, lambda other: other.rank) if found else None
        if best is not None:
            best = improve(space, best, last - space.pricing.evaluated)
            if best.rank < enough and space.fits_at_worst(best):
                return best
    return state


def _held_for_several(state: State) -> list[Node]:
    """Stored sources that are held for several steps."""
    held = [node for node in state.placed if isinstance(node.operator, Source)]
    return [node for node in held if len(state.readers[node]) > 1 and stored_grid(node) is not None]


def _read_once(space: PlanEvaluator, grids: Mapping[Node, Grid], costs: int) -> Iterator[Choices]:
    """Choices in which sources are held for their readers, or each is read in one step of these."""
    handed = _handed_on(space, grids, costs)
    yield handed
    held = space.state(handed)
    for source, grid in grids.items():
        tile = source.type.dtype.itemsize * largest_box(grid).size
        joint = read_jointly(space, held, source, tile)
        if joint is not None:
            yield joint
            apart = taken_apart(space.state(joint), source)
            if apart != joint:
                yield apart


def _handed_on(space: PlanEvaluator, grids: Mapping[Node, Grid], costs: int) -> Choices:
    """Choices in which sources are held, and their readers take few blocks of them at a time.

    In these choices all steps are cut as is best where their blocks take little more.
    """
    most = max(node.type.dtype.itemsize * largest_box(grid).size for node, grid in grids.items())
    limits = replace(space.pricing.limits, task=ROOMY_BLOCKS * most, few=0)
    pricing = Pricing(space.pricing.machine, limits, space.pricing)
    small = PlanEvaluator(space.graph, pricing, space.resources, known=space.known)
    _, forms = choose_forms(space.graph, pricing, costs, held=grids)
    state = small.state(Choices(forms=forms, held=frozenset(grids), grids=grids))
    while (finer := _in_finer_forms(small, state, grids)) != state.choices.forms:
        state = small.state(replace(state.choices, forms=finer))
    whole = _in_whole_blocks(small, state, grids)
    if whole != state.choices.forms:
        state = small.state(replace(state.choices, forms=whole))
    space.pricing.evaluated += pricing.evaluated
    cut = {node: priced.grid for node, priced in state.placed.items()}
    return replace(state.choices, grids=cut)


def _in_finer_forms(
    space: PlanEvaluator, state: State, held: Iterable[Node]
) -> Mapping[Node, tuple[FormChoice, ...]]:
    """Forms, of which those are finer whose first steps take many blocks of what is held."""
    steps, owners = space.sketch(state).steps, owners_of(space, state)
    forms = dict(state.choices.forms)
    many = [
        reader
        for x in held
        for reader in state.readers.get(x, ())
        if not takes_few_blocks(steps[reader], steps[x])
    ]
    for owner in dict.fromkeys(o for reader in many for o, _ in owners.get(reader, ())):
        if owner in forms:
            forms[owner] = _next_finer(owner, forms[owner])
    return forms


def _in_whole_blocks(
    space: PlanEvaluator, state: State, held: Mapping[Node, Grid]
) -> Mapping[Node, tuple[FormChoice, ...]]:
    """Forms, of which those whose parts end within blocks of what is held end where these do.

    So blocks go to one part each, and parts of several values may be made in one step.
    """
    owners = owners_of(space, state)
    forms = dict(state.choices.forms)
    steps = frozenset(state.placed)
    for x, grid in held.items():
        for value in state.readers.get(x, ()):
            for axis, pace in paces_of(value, x, steps - {value, x}).items():
                side = grid[axis].step
                if not pace.cells % side or not side % pace.cells:
                    continue
                for owner in [one for one, _ in owners.get(value, ()) if one in forms]:
                    first = forms[owner][0]  # later ones may be of more parts
                    sizes = form_of_part(owner, first, owner.inputs).sizes
                    if first.size == pace.cells and min(sizes) <= side <= max(sizes):
                        forms[owner] = (first._replace(size=side),)
    return forms


def _next_finer(node: Node, taken: tuple[FormChoice, ...]) -> tuple[FormChoice, ...]:
    """The first form in its next finer size, if it has one: those after it are of its nodes."""
    first = taken[0]
    sizes = sorted(form_of_part(node, first, node.inputs).sizes)
    at = bisect_left(sizes, first.size)
    return (first._replace(size=sizes[at - 1]),) if at else taken


def worth_reading_once(space: PlanEvaluator, state: State) -> list[Node]:
    """Sources that steps read again for so long that it is worth to hold them."""
    shared = [node for node in shared_values(state) if isinstance(node.operator, Source)]
    if not shared:
        return []
    again = repeated_seconds(state, space.pricing.machine)
    least = (1 - 1 / ALIKE_SECONDS) * state.seconds
    return [node for node in shared if again.get(node, 0.0) >= least]


def _grids(space: PlanEvaluator, sources: list[Node]) -> Iterator[Mapping[Node, Grid]]:
    """Cuts of sources into fewer and fewer whole chunks, of which enough may wait for each slot."""
    machine = space.pricing.machine
    waiting = len(sources) * machine.slots * STREAMED_BLOCKS_A_SLOT
    room = int(HELD_SHARE * space.pricing.memory / waiting)
    seen = list[Mapping[Node, Grid]]()
    for halving in range(HALVINGS):
        found = {x: stored_grid(x, room >> halving) for x in sources}
        grids = {x: grid for x, grid in found.items() if grid is not None}
        if len(grids) == len(sources) and grids not in seen:
            seen.append(grids)
            yield grids
