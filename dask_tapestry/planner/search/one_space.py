"""One space: from a graph whose tasks may take so much memory to the best plan that was found.

A seed is built producers first: forms, then what is held and grids, each the best for its own step.
Then single choices are changed as long as that pays; grids are compared in all combinations of a
few; and what is left of the budget goes to chance, near the plans that are best in some resource.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Final, NamedTuple

from dask_tapestry.planner.cost.rank import Rank, preferred
from dask_tapestry.planner.machine.limits import Limits
from dask_tapestry.planner.search.budget import NO_EFFORT, SearchBudget
from dask_tapestry.planner.search.choices import Choices, State
from dask_tapestry.planner.search.evolve import Evolution
from dask_tapestry.planner.search.exact_grids import recut
from dask_tapestry.planner.search.exchanged_reads import with_reads_exchanged
from dask_tapestry.planner.search.exhaustive import all_forms, exhaustive
from dask_tapestry.planner.search.frontier import Point
from dask_tapestry.planner.search.frugal_reads import with_frugal_reads
from dask_tapestry.planner.search.fused_seed import with_all_fused
from dask_tapestry.planner.search.handed_reads import with_reads_handed_on
from dask_tapestry.planner.search.held_seed import with_shared_held
from dask_tapestry.planner.search.islands import evolve_on_islands
from dask_tapestry.planner.search.lean_plans import with_less_held
from dask_tapestry.planner.search.local_search import improve, made_to_fit
from dask_tapestry.planner.search.one_block import in_one_block, saves_less_than_planning
from dask_tapestry.planner.search.other_sizes import resized
from dask_tapestry.planner.search.plan_evaluator import PlanEvaluator
from dask_tapestry.planner.search.polish import polished
from dask_tapestry.planner.search.races import may_win
from dask_tapestry.planner.search.relays import with_relays
from dask_tapestry.planner.search.roomy_blocks import with_room
from dask_tapestry.planner.search.tuning import (
    CHANCE_PART,
    GAIN_OF_LAST_EXCHANGE,
    LONG_SEARCH_COSTS,
    MOST_IMPROVED,
    SEARCH_AGAIN_PART,
)
from dask_tapestry.planner.search.whole_rows import with_whole_rows
from dask_tapestry.planner.search.worst_blocks import with_worst_cut

__all__ = ["SEARCHES", "SearchResult"]


class SearchResult(NamedTuple):
    """What a search finds while tasks may take a share of the memory.

    Attributes
    ----------
    state, points
        The plan to take, and the frontier that it was chosen from, as usual blocks have it: of
        some, the blocks that take most may not fit.
    again
        The effort for a search with a smaller share.
    hope
        Of the best plan that did not fit, if it is better: then one of smaller tasks may.
    limits
        Of the plan's tasks.
    seed_seconds
        Of the plan that the search began with.
    given_up
        Whether that was so slow that nothing was changed of it, or nothing fits that may be better
        than the plan of another graph.
    """

    state: State
    points: tuple[Point, ...] = ()
    again: SearchBudget = NO_EFFORT
    hope: Rank | None = None
    limits: Limits | None = None
    seed_seconds: float = 0.0
    given_up: bool = False

    @property
    def rank(self) -> Rank:
        """The rank of the chosen plan."""
        return self.state.rank

    @property
    def gain(self) -> float:
        """By how many times the search shortened its seed, whether that fits or not."""
        best = min(self.state.seconds, self.hope.seconds if self.hope else inf)
        return max(1.0, self.seed_seconds / best) if best else 1.0


def _uncut(space: PlanEvaluator, _effort: SearchBudget, _seed: int) -> SearchResult:
    """The choices in which every operator is one block."""
    return SearchResult(space.state(Choices()))


def _auto(space: PlanEvaluator, effort: SearchBudget, seed: int) -> SearchResult:
    """From two seeds, with the forms that are best one by one and without any, to the best plan."""
    uncut = in_one_block(space)
    if uncut is not None and saves_less_than_planning(uncut, space, effort):
        return SearchResult(uncut)
    first = space.seed(effort.forms)
    forms = first.choices.forms
    given, effort = effort, effort.for_plan(first)
    seeds = [first] if uncut is None else [first, uncut]
    given_up = first.seconds > space.most_seconds
    if not effort.costs or given_up:
        return SearchResult(preferred(seeds, lambda state: state.rank), given_up=given_up)
    before = space.pricing.evaluated
    each = min(effort.costs, MOST_IMPROVED)
    start = with_all_fused(space, with_shared_held(space, space.state(Choices(forms=forms))))
    states = [improve(space, start, each, given)]
    if forms and may_win(other := space.state(Choices()), states[0]):
        states.append(improve(space, other, each, given, beside=states[0]))
    worth = given.once_found(preferred(states, lambda state: state.rank))
    whole, effort = effort.no_more_than(worth), effort.less(space.pricing.evaluated - before)
    effort = effort.no_more_than(worth)
    before, each = space.pricing.evaluated, min(whole.costs or 0, MOST_IMPROVED)
    evolution = Evolution(space, seed)
    also = made_to_fit(space, states, each)
    evolution.begin([*[recut(space, state, each) for state in states], *also])
    rest = effort.less(space.pricing.evaluated - before)
    if (rest.costs or 0) >= LONG_SEARCH_COSTS:
        evolve_on_islands(evolution, rest, seed)
    else:
        evolution.run(rest.no_more_than((rest.costs or 0) // CHANCE_PART))
        evolution.begin([_polished(space, evolution.best, each // SEARCH_AGAIN_PART)])
    left = effort.less(space.pricing.evaluated - before)
    others = max(left.costs or 0, (whole.costs or 0) // SEARCH_AGAIN_PART)
    again = effort._replace(costs=others, forms=others)
    points, fastest = tuple(evolution.frontier), evolution.best
    found = [fastest, *[point.state for point in points], *([] if uncut is None else [uncut])]
    best = preferred(found, lambda state: state.rank, space.fits_at_worst)
    best = with_whole_rows(space, best, each)
    best = with_reads_exchanged(space, with_reads_handed_on(space, best, each), each)
    best = with_relays(space, best, each // SEARCH_AGAIN_PART)
    best = with_frugal_reads(space, best, each // SEARCH_AGAIN_PART)
    best = with_room(space, with_less_held(space, best, each), each)
    best = with_worst_cut(space, polished(space, best, each // SEARCH_AGAIN_PART))
    return SearchResult(best, points, again, space.hope(fastest), seed_seconds=first.seconds)


def _polished(space: PlanEvaluator, state: State, costs: int) -> State:
    """The best plan near what chance has found, which may be one change away from a better one."""
    better = improve(space, state, costs, None, GAIN_OF_LAST_EXCHANGE)
    better = resized(space, better, costs)
    return state if better is state else recut(space, better, costs)


def _exhaustive(space: PlanEvaluator, effort: SearchBudget, seed: int) -> SearchResult:
    """The best of all plans."""
    all_forms(space)  # refuses what is too large before anything is searched
    found = _auto(space, effort, seed)
    return found._replace(state=exhaustive(space, found.state))


SEARCHES: Final[dict[str, Callable[[PlanEvaluator, SearchBudget, int], SearchResult]]] = {
    "auto": _auto,
    "exhaustive": _exhaustive,
    "none": _uncut,
}
