"""Local search: choices are changed one at a time, as long as that makes the plan cheaper.

The moves are tried in the order of the steps, the costliest first; the search is deterministic.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import NamedTuple

from dask_tapestry.planner.rewriting.exchanged_values import is_exchange
from dask_tapestry.planner.search.alike import one_of_each
from dask_tapestry.planner.search.budget import SearchBudget
from dask_tapestry.planner.search.choices import Choices, State
from dask_tapestry.planner.search.exact_grids import best_grids, near_grids
from dask_tapestry.planner.search.exchanges import (
    exchanges,
    in_other_chunks,
    in_other_sizes_exchanged,
)
from dask_tapestry.planner.search.finer_parts import in_finer_parts
from dask_tapestry.planner.search.moves import (
    fuse_sets,
    hold,
    merge_producers,
    move_to_group,
    optional,
    pull,
    reform,
    split,
)
from dask_tapestry.planner.search.phased_values import in_rounds
from dask_tapestry.planner.search.plan_evaluator import PlanEvaluator
from dask_tapestry.planner.search.pricing import PricedGroup
from dask_tapestry.planner.search.races import Race
from dask_tapestry.planner.search.repeated_work import repeated_seconds
from dask_tapestry.planner.search.shared_values import (
    held_as_read,
    held_instead,
    hold_shared,
    shared_values,
)
from dask_tapestry.planner.search.smaller_blocks import finer_choices, split_until_fits
from dask_tapestry.planner.search.tuning import (
    CHANGE_COSTS,
    CHANGED_ALIKE,
    CLOSE_CHANGE,
    COSTS_A_CHANGE,
    DEARER_FITTED,
    GAIN_OF_EXCHANGE,
    GAIN_OF_NEXT_EXCHANGE,
    GAIN_OF_ROUNDS,
    LEAST_GAIN,
    LEAST_ONCE_FOUND,
    LIGHTER_SHARE,
    SECOND_CHANCES,
)
from dask_tapestry.planner.tuning import HELD_SHARE
from dask_tapestry.teg import Node


def improve(
    space: PlanEvaluator,
    state: State,
    costs: int,
    effort: SearchBudget | None = None,
    of_exchange: float = GAIN_OF_EXCHANGE,
    beside: State | None = None,
) -> State:
    """The best plan that single changes lead to, and that a worker's memory fits.

    Parameters
    ----------
    costs
        Costs of steps that may be computed for it.
    effort
        Where it is given, no more is spent from one plan to the next than it has patience for: of
        hundreds of steps, as the panels of a matrix, thousands of changes may gain nothing.
    of_exchange
        Part of the seconds before that are left at most where a value goes through a store.
    beside
        Another plan: no further change is tried once they gain too little to come up with it.
    """
    end = space.pricing.evaluated + costs - COSTS_A_CHANGE
    patience = costs if effort is None else effort.patience
    last = min(end, space.pricing.evaluated + patience)  # from then on no change is begun
    tried: set[object] = set()
    improved, state = True, split_until_fits(space, state)
    race = Race.begun_by(space, state, beside, costs)
    while improved and space.pricing.evaluated <= last and not race.is_lost(state):
        improved, missed = False, list[Missed]()
        for choices, gain in _changes(space, state, of_exchange):
            if choices.key in tried:
                continue
            tried.add(choices.key)
            gain = gain if state.rank.is_allowed and space.fits(state) else LEAST_GAIN
            most = state.rank.with_seconds(CLOSE_CHANGE if gain == LEAST_GAIN else gain)
            candidate = space.state_within(choices, most, last + LEAST_ONCE_FOUND)
            if candidate is not None and candidate.rank < most:
                missed.append(Missed(candidate, gain))
            better = None if candidate is None else _if_better(space, candidate, state, gain)
            if better is not None:
                state, improved = better, True
                break
            if space.pricing.evaluated > last or race.is_lost(state):
                break
        if not improved and space.fits(state) and not race.is_lost(state):
            other = second_chance(space, state, missed, last + CHANGE_COSTS)
            state, improved = other, other is not state
        last = min(end, space.pricing.evaluated + patience) if improved else last
    return state


def _if_better(space: PlanEvaluator, other: State, state: State, gain: float) -> State | None:
    """Another plan, in few rounds if it fits only then; None if it is no better or does not fit."""
    is_better = other.rank < state.rank.with_seconds(gain)
    if is_better and space.fits(state) and not space.fits(other):
        other = in_few_rounds(space, other)
        is_better = other.rank < state.rank.with_seconds(GAIN_OF_ROUNDS)
    return other if is_better and (space.fits(other) or not space.fits(state)) else None


class Missed(NamedTuple):
    """A plan that a change leads to and that was not taken, and the part that is enough of a gain.

    Of a value that goes through a store, it is clearly better, and workers cannot hold it as it is.
    """

    state: State
    gain: float


def second_chance(space: PlanEvaluator, state: State, missed: list[Missed], last: int) -> State:
    """The first plan near those of changes that were missed which is better after all.

    Each step was cut as is best for itself: together other grids may be better, and what workers
    cannot hold may fit in smaller blocks.
    """
    for candidate, gain in sorted(missed, key=lambda one: one.state.rank)[:SECOND_CHANCES]:
        enough, left = state.rank.with_seconds(gain), last - space.pricing.evaluated
        if left < len(candidate.placed):
            break
        if candidate.rank < enough:
            found: State | None = split_until_fits(space, candidate)
        else:
            found = best_grids(space, candidate, near_grids(space, candidate), left)
        if found is not None and found.rank < enough and space.fits(found):
            return found
    return state


def _changes(
    space: PlanEvaluator, state: State, of_exchange: float
) -> Iterator[tuple[Choices, float]]:
    """Choices that differ in one, with the part of the seconds that is enough of a gain."""
    yield from ((choices, LEAST_GAIN) for choices in moves(space, state))
    yield from ((choices, LEAST_GAIN) for choices in in_other_chunks(space, state))
    has_some = any(is_exchange(node) for node in state.placed)
    gain = max(of_exchange, GAIN_OF_NEXT_EXCHANGE) if has_some else of_exchange
    yield from ((choices, gain) for choices in exchanges(space, state))


def in_few_rounds(space: PlanEvaluator, state: State) -> State:
    """The plan with values held in as few rounds as fit, if it fits only then."""
    others = map(space.state, in_rounds(state))
    return next((other for other in others if space.fits(other)), state)


def fit_to_memory(space: PlanEvaluator, state: State, costs: int) -> State | None:
    """The best plan that workers can hold, near one that they cannot; None for one that they can.

    The cheapest plan may hold what is stored, or much that is computed, and then no smaller blocks
    make it fit: it is cut more finely, or else changed one choice at a time, each time so that a
    worker holds least, until it fits and none that lacks little is much faster; then as long as
    that makes it cheaper. Of one that needs twice what there is, values go through a store, one
    after the other, before anything else is looked at.
    """
    last = space.pricing.evaluated + costs - COSTS_A_CHANGE
    slow: State | None = None  # a plan that fits, while much faster ones may yet
    while not state.shortfall and not space.fits(state) and space.pricing.evaluated <= last:
        others = chain(_large_ones_fused(space, state), finer_choices(state))
        candidates = _whole(space, state, others, last)
        enough = LIGHTER_SHARE * space.lacking(state)
        if not any(space.lacking(other) < enough for other in candidates):
            stored = chain(in_other_chunks(space, state), exchanges(space, state))
            candidates += _whole(space, state, stored, last)
            found = any(space.lacking(other) < enough for other in candidates)
            if not found or space.lacking(state) < space.resources.usable_bytes:
                forms = chain(_reformed(space, state), in_other_sizes_exchanged(space, state))
                others = chain(moves(space, state), forms)
                candidates += _whole(space, state, others, last)
        fitting = [other for other in (*candidates, *filter(None, [slow])) if space.fits(other)]
        slow = min(fitting, key=lambda other: other.rank, default=None)
        if slow is not None:
            faster = slow.rank.with_seconds(1 / DEARER_FITTED)
            candidates = [c for c in candidates if c.rank < faster and not space.fits(c)]
        lighter = min(candidates, key=space.lacking, default=state)
        if space.lacking(lighter) >= space.lacking(state):
            break
        state = lighter
    return None if slow is None else improve(space, slow, last - space.pricing.evaluated)


def made_to_fit(space: PlanEvaluator, states: Sequence[State], costs: int) -> list[State]:
    """Plans that fit, near those that do not and are faster than all that do."""
    found, made = [state for state in states if space.fits(state)], list[State]()
    for state in sorted(states, key=lambda one: one.rank):
        if all(state.rank < one.rank for one in (*found, *made)):
            fitting = fit_to_memory(space, state, costs)
            made += [] if fitting is None else [fitting]
    return made


def _large_ones_fused(space: PlanEvaluator, state: State) -> Iterator[Choices]:
    """Choices in which none is held of the values that take most of all memory by themselves.

    One alone may be handed on as it is made; several, as parts of an array that many steps read,
    are not, and no single change makes them fit.
    """
    most = HELD_SHARE * space.pricing.memory
    large = frozenset(node for node in optional(state) if node.type.nbytes > most)
    if large:
        yield state.choices.fusing(large)


def _reformed(space: PlanEvaluator, state: State) -> Iterator[Choices]:
    """Choices in which a node takes another form: each alone may fit, and not all together."""
    for node in space.graph.nodes:
        if node.operator.forms(node.input_types):
            yield from reform(space, state, node)


def _whole(space: PlanEvaluator, state: State, others: Iterable[Choices], last: int) -> list[State]:
    """The plans of other choices that lack no more than `state` does, while costs are left."""
    plans = []
    for choices in others:
        other = space.state(choices)
        plans += [other] if other.shortfall <= state.shortfall else []
        if space.pricing.evaluated > last:
            break
    return plans


def with_alike_held(space: PlanEvaluator, state: State) -> State:
    """The best plan in which values are held that are alike, as those of all steps of a loop.

    What a step computes of all steps before it takes longer and longer, the more steps there are.
    """
    improved = True
    while improved:
        improved, enough = False, state.rank.with_seconds(LEAST_GAIN)
        held, _ = _by_promise(space, state, _held_together(state, _more_held(state)))
        for choices in held:
            other = space.state_within(choices, enough)
            if other is not None and other.rank < enough and space.fits(other):
                state, improved = other, True
                break
    return state


def moves(space: PlanEvaluator, state: State) -> Iterator[Choices]:
    """Choices that differ in one.

    Of many steps that are alike the first two are changed: what does not pay for these does not for
    others, and what pays is tried again.
    """
    by_cost = _some_of_each(state)
    held = _more_held(state)
    worth, hardly = _by_promise(space, state, [*_held_together(state, held), *held])
    yield from worth
    for priced in by_cost:
        yield from split(state, priced)
    yield from fuse_sets(state)
    yield from in_finer_parts(space, state)
    for priced in by_cost:
        yield from pull(state, priced)
    for node in shared_values(state):
        yield from held_as_read(space, state, node)
    for priced in by_cost:
        yield from merge_producers(state, priced)
    for priced in by_cost:
        yield from move_to_group(state, priced)
    yield from hardly


def _held_together(state: State, held: Iterable[list[Choices]]) -> Iterator[list[Choices]]:
    """Choices in which values are held together that are alike and may be held one by one.

    Those of the steps of a loop save a part each, which may be too little to be kept.
    """
    alike: dict[object, set[Node]] = {}
    for choices in chain.from_iterable(held):
        added = choices.held - state.choices.held
        if len(added) == 1:
            (node,) = added
            alike.setdefault((node.operator, node.input_types), set()).add(node)
    for nodes in alike.values():
        if len(nodes) > 1:
            more, fused = state.choices.held | nodes, state.choices.fused - nodes
            yield [replace(state.choices, held=more, fused=fused)]


def _some_of_each(state: State) -> list[PricedGroup]:
    """The steps, the costliest first; the first ones of those that are alike."""
    every = sorted(state.placed.values(), key=lambda p: -p.cost.seconds)
    alike = one_of_each(((p, p.group.program, p.held) for p in every), CHANGED_ALIKE)
    return [priced for priced, _ in alike]


def _more_held(state: State) -> list[list[Choices]]:
    """Choices in which more is held, for each step and each shared value those that are best first.

    Parts that are read of a source come before the source, of which they may be a fifth.
    """
    of_steps = [list(hold(state, priced)) for priced in _some_of_each(state)]
    of_values = [
        [hold_shared(state, node), *held_instead(state, node)] for node in shared_values(state)
    ]
    return [some for some in (*of_steps, *of_values) if some]


def _by_promise(
    space: PlanEvaluator, state: State, held: Iterable[list[Choices]]
) -> tuple[list[Choices], list[Choices]]:
    """Choices in which more is held, first those that may save most; then those that hardly save.

    Of blocks that are too large, each makes some smaller.
    """
    if state.shortfall:
        return list(chain.from_iterable(held)), []
    again = repeated_seconds(state, space.pricing.machine)

    def saved(some: list[Choices]) -> float:
        added = [choices.held - state.choices.held for choices in some]
        return max([sum([again.get(node, 0.0) for node in nodes]) for nodes in added])

    ordered = sorted(held, key=saved, reverse=True)
    least = (1 - LEAST_GAIN) * state.seconds
    count = sum([saved(some) >= least for some in ordered])
    worth, hardly = ordered[:count], ordered[count:]
    return list(chain.from_iterable(worth)), list(chain.from_iterable(hardly))
