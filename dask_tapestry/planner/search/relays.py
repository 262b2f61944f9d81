"""Relays: where a step's blocks need a slice of each of many, the value is held between them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import isqrt

from dask_tapestry.planner.rewriting.relayed_values import RELAYED, relayed_form
from dask_tapestry.planner.search.choices import Choices, FormChoice, State
from dask_tapestry.planner.search.exact_grids import recut
from dask_tapestry.planner.search.grid import Grid
from dask_tapestry.planner.search.local_search import improve
from dask_tapestry.planner.search.moves import pulled_grid
from dask_tapestry.planner.search.plan_evaluator import PlanEvaluator
from dask_tapestry.planner.search.pricing import PricedGroup
from dask_tapestry.planner.search.tuning import GAIN_OF_RELAY, MANY_SLICES
from dask_tapestry.zspace import Cuts


def with_relays(space: PlanEvaluator, state: State, costs: int) -> State:
    """The plan with relays, if these save enough, and what is best around them then.

    Producers were cut so that readers need slices of few blocks, maybe through stored chunks.

    Parameters
    ----------
    costs
        Costs of steps that may be computed for it.
    """
    for choices in relays(space, state):
        relayed = space.state(choices)
        if relayed.shortfall or not space.fits(relayed):
            continue
        better = improve(space, relayed, costs)
        better = recut(space, better, costs)
        if better.rank < state.rank.with_seconds(GAIN_OF_RELAY) and space.fits_at_worst(better):
            return with_relays(space, better, costs // 2)
    return state


def relays(space: PlanEvaluator, state: State) -> Iterator[Choices]:
    """Values of which steps cut many slices are held in blocks between, too, one at a time.

    Of values that are alike and read alike, as those of many files, the first one: what does not
    pay for it does not for others, and what pays is tried again.
    """
    tried = set[object]()
    originals = {now: node for node, now in space.became(state.choices.forms)[1].items()}
    for reader in sorted(state.placed.values(), key=lambda priced: -priced.cost.slices):
        if reader.cost.slices < MANY_SLICES:
            return
        for node in reader.group.inputs:
            original = originals.get(node)
            if original is None or node not in state.placed or node is reader.group.node:
                continue
            taken = state.choices.forms.get(original, ())
            if relayed_form(node) is None or any(form.name == RELAYED for form in taken):
                continue
            producer = state.placed[node]
            kind = reader.group.node, producer.group.program, producer.held, producer.grid
            if kind in tried:
                continue
            tried.add(kind)
            forms = {**state.choices.forms, original: (*taken, FormChoice(RELAYED, 1))}
            relayed = space.in_forms(state.choices, forms)
            relay = space.became(forms)[1][original]
            for made in _made(space, producer):
                cut = {node: made, relay: between(made, pulled_grid(node, reader))}
                yield replace(
                    relayed,
                    held=relayed.held | {node, relay},
                    fused=relayed.fused - {node, relay},
                    grids={**relayed.grids, **cut},
                )


def _made(space: PlanEvaluator, producer: PricedGroup) -> list[Grid]:
    """The grid of a value that is read through a relay: its own, and the one that is best for it.

    Its blocks may be as large as they are to spare the scheduler, which the relay spares.
    """
    pricing = space.pricing.at(producer.place).on(producer.group.device)
    best = pricing.best(producer.group, producer.held, beside=producer.beside).grid
    return list(dict.fromkeys((producer.grid, best)))


def between(made: Grid, read: Grid) -> Grid:
    """Blocks between those that make a value and those that read it.

    Along each dimension they are whole ones of the smaller, and so many that the larger ones are
    cut as often as these are joined.

    Examples
    --------
    >>> rows = Cuts.regular(10_000, 100), Cuts.regular(400, 400)
    >>> columns = Cuts.regular(10_000, 10_000), Cuts.regular(400, 4)
    >>> print(*between(rows, columns))
    10x1000 10x40
    """
    return tuple(map(_between, made, read))


def _between(one: Cuts, other: Cuts) -> Cuts:
    finer = max(one, other, key=lambda cuts: cuts.count)
    joined = max(1, finer.count // max(1, isqrt(one.count * other.count)))
    if joined == 1:
        return finer
    lengths = list(finer.lengths())
    return Cuts.of_lengths(
        [sum(lengths[at : at + joined]) for at in range(0, len(lengths), joined)]
    )
