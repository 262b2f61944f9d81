"""Improvement: choices changed one at a time, as long as that makes the plan cheaper.

Each move is a choice that one step would make differently for the sake of another: a value that
several blocks compute again is held, a held one computed where it is read, a producer cut as its
reader reads. The moves are tried in the order of the steps; no chance is in it.

Source: Tapestry whitepaper, "Stochastic Pareto Sharding Optimization": mutators.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from dask_tapestry.plan.choices import Choices, State
from dask_tapestry.plan.evaluate import evaluate
from dask_tapestry.plan.fuse import required
from dask_tapestry.plan.movement import movement
from dask_tapestry.plan.pricing import Priced, Pricing
from dask_tapestry.teg import Node, Source
from dask_tapestry.zspace import largest_box

AGAIN: Final = (
    1.5  # times a value's cells that blocks may compute together, before holding is tried
)
GAIN: Final = 0.99  # of the seconds before: a change must save a hundredth
COSTS_A_SECOND: Final = 100  # of predicted time; one takes some 3e-4 seconds: a thirtieth of it
MOST_COSTS: Final = 5_000


def improve(state: State, pricing: Pricing, fits: Callable[[State], bool]) -> State:
    """The best plan that single changes of choices lead to, and that a worker's memory `fits`."""
    last = pricing.evaluated + budget(state)
    tried: set[object] = set()
    improved = True
    while improved and pricing.evaluated < last:
        improved = False
        for choices in moves(state):
            key = _key(choices)
            if key in tried:
                continue
            tried.add(key)
            other = evaluate(state.graph, choices, pricing)
            better = other.rank < state.rank.with_seconds(GAIN)
            if better and (fits(other) or not fits(state)):
                state, improved = other, True
                break
            if pricing.evaluated >= last:
                break
    return state


def budget(state: State) -> int:
    """Costs of steps that a plan is worth to compute: none for the work of milliseconds."""
    return int(MOST_COSTS if state.shortfall else min(COSTS_A_SECOND * state.seconds, MOST_COSTS))


def _key(choices: Choices) -> object:
    return choices.held, choices.fused, tuple(choices.grids.items())


def moves(state: State) -> Iterator[Choices]:
    """Choices that differ in one, the costliest steps' first."""
    by_cost = sorted(state.placed.values(), key=lambda p: -p.cost.seconds)
    for priced in by_cost:
        yield from _hold(state, priced)
    yield from _fuse(state)
    for priced in by_cost:
        yield from _align(state, priced)


def _hold(state: State, priced: Priced) -> Iterator[Choices]:
    """Values that the blocks of a step compute several times over are held instead.

    All that are read from outside first, then each.
    """
    nodes = [n for n in again(priced) if n not in state.placed]
    read = [n for n in nodes if isinstance(n.operator, Source)]
    for some in {frozenset(some): None for some in (read, *([n] for n in nodes)) if some}:
        yield replace(
            state.choices, held=state.choices.held | some, fused=state.choices.fused - some
        )


def again(priced: Priced) -> list[Node]:
    """Members of a step that its blocks together compute or read more often than once."""
    program, grid = priced.group.program, priced.grid
    if priced.cost.blocks == 1 or not program.type.size:
        return []
    first = len(program.inputs)
    box = largest_box(grid)
    blocks = program.type.size / box.size
    schedule = program.schedule(box)
    found = []
    for value, instruction in enumerate(program.instructions, start=first):
        operator, type_ = instruction.operator, instruction.type
        if not (operator.is_formula or isinstance(operator, Source) or not operator.transparent):
            continue
        cells = sum(b.size for b in schedule.boxes[value])
        stored = sum(operator.stored_bytes(b) for b in schedule.boxes[value])
        cells = max(cells, stored // max(1, type_.dtype.itemsize))
        if blocks * cells > AGAIN * type_.size:
            found.append(priced.group.members[value - first])
    return found[::-1]


def _fuse(state: State) -> Iterator[Choices]:
    """Values that are held by choice are computed in the steps that read them.

    First all of them, then those of one program together, like a network's layers, then each.
    """
    must = required(state.graph)
    optional = [n for n in state.placed if n not in must and state.readers[n]]
    alike: dict[int, list[Node]] = {}
    for node in optional:
        alike.setdefault(id(state.placed[node].group.program), []).append(node)
    sets = [optional, *alike.values(), *([n] for n in optional)]
    for nodes in {frozenset(nodes): None for nodes in sets if nodes}:
        yield replace(
            state.choices,
            held=state.choices.held - nodes,
            fused=state.choices.fused | nodes,
            grids={n: g for n, g in state.choices.grids.items() if n not in nodes},
        )


def _align(state: State, priced: Priced) -> Iterator[Choices]:
    """A producer is cut as a reader reads it, or the reader as its producer is cut."""
    for at, x in enumerate(priced.group.inputs):
        producer = state.placed.get(x)
        if producer is None or x is priced.group.node or x.operator.layout is not None:
            continue
        move = movement(priced.group.program)[at]
        pulled = move.pulled(x.type.shape, priced.grid)
        if pulled != producer.grid:
            yield replace(state.choices, grids={**state.choices.grids, x: pulled})
