"""Lean plans: of plans that take about as long, the one in which workers hold less.

A value that is held between steps takes its memory until its last reader is done, and the search,
which goes by time, ends with values held that hardly save any; or it has not come to try without
them all. So held values are computed where they are read, as long as that takes hardly longer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from dask_tapestry.planner.search.choices import Choices, State
from dask_tapestry.planner.search.moves import fuse, fuse_sets, optional
from dask_tapestry.planner.search.plan_evaluator import PlanEvaluator
from dask_tapestry.planner.search.tuning import (
    COSTS_A_CHANGE,
    FREED_TIMES,
    LEAST_ONCE_FOUND,
    LIGHTER_SHARE,
    STEPS_A_COST,
    WORTH_SPARING_BYTES,
)
from dask_tapestry.teg import Node


def with_less_held(space: PlanEvaluator, state: State, costs: int) -> State:
    """The plan, or one about as fast in which workers hold much less at a time.

    It is busy for no longer, reads and moves no more, and fits as this one does.

    Parameters
    ----------
    costs
        Costs of steps that may be computed for it.
    """
    if state.shortfall or not space.fits_at_worst(state):
        return state
    first, last = state, space.pricing.evaluated + costs - COSTS_A_CHANGE
    while space.peak_at_worst(state) > WORTH_SPARING_BYTES:
        found = list(_leaner(space, first, state, last))
        if not found:
            break
        first = min(first, *found, key=lambda other: other.rank)
        state = min(
            (other for other in found if other.is_as_good_as(first)),
            key=lambda other: space.peak_at_worst(other),
            default=state,
        )
        if state not in found:
            break
    return state


def _leaner(space: PlanEvaluator, first: State, state: State, last: int) -> Iterator[State]:
    """Plans with other values held, about as good as the `first` one, that take less memory."""
    now = space.peak_at_worst(state)
    most = LIGHTER_SHARE * now
    for choices in _less_held(state):
        if FREED_TIMES * _freed_bytes(space, state, choices) < now - most:
            continue
        space.pricing.evaluated += len(state.placed) // STEPS_A_COST  # of looking at its memory
        if space.pricing.evaluated > last:
            return
        other = space.state_within(choices, first.as_good, last + LEAST_ONCE_FOUND)
        if other is None:
            continue
        is_as_good = other.is_as_good_as(first) and space.fits_at_worst(other)
        if is_as_good and space.peak_at_worst(other) <= most:
            yield other


def _freed_bytes(space: PlanEvaluator, state: State, choices: Choices) -> int:
    """Bytes of the values of a plan that are not held with other choices."""
    graph, _ = space.became(choices.forms)
    held = space.pricing.held(graph, choices.held, choices.fused)
    return sum([node.type.nbytes for node in state.placed if node not in held])


def _less_held(state: State) -> Iterator[Choices]:
    """Choices in which values are computed where they are read, or something smaller is held.

    First of which little is to be priced anew; then all that are computed, which leaves those that
    are stored as they are read best.
    """
    computed = [node for node in optional(state) if node.inputs]
    for smaller, value in _made_smaller(state, computed):
        choices = fuse(state, frozenset([value]))
        yield replace(choices, held=choices.held | {smaller}, fused=choices.fused - {smaller})
    if computed:
        yield fuse(state, frozenset(computed))
    yield from fuse_sets(state)


def _made_smaller(state: State, values: Iterable[Node]) -> list[tuple[Node, Node]]:
    """What alone reads a held value, each cell once, and is smaller; what saves most comes first.

    As whether there are enough cells is of the count of them.
    """
    made = list[tuple[int, int, Node, Node]]()
    for at, value in enumerate(values):
        smallest, node = value, value
        while (reader := _only_reader(state, node)) is not None:
            node = reader
            smallest = min(smallest, node, key=lambda one: one.type.nbytes)
        if smallest is not value:
            made.append((smallest.type.nbytes - value.type.nbytes, at, smallest, value))
    return [(smallest, value) for *_, smallest, value in sorted(made)]


def _only_reader(state: State, node: Node) -> Node | None:
    """What alone reads a value, each of its cells once, in another step."""
    readers = state.graph.consumers[node]
    if len(readers) != 1 or readers[0] in state.placed or not readers[0].operator.transparent:
        return None
    (reader,) = readers
    reads = reader.operator.reads_once(reader.input_types)
    return reader if all(reads[at] for at, x in enumerate(reader.inputs) if x is node) else None
