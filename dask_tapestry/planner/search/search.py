"""Search: from a rewritten graph to the best plan that was found, and those it was chosen from.

A seed is built producers first: forms, then what is held and grids, each the best for its own step.
Then single choices are changed as long as that pays; grids are compared in all combinations of a
few; and what is left of the budget goes to chance, near the plans that are best in some resource.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import inf
from typing import Final, NamedTuple

from dask_tapestry.planner.cost.rank import Rank, preferred
from dask_tapestry.planner.machine.limits import Limits
from dask_tapestry.planner.machine.machine import Machine
from dask_tapestry.planner.machine.resources import Resources
from dask_tapestry.planner.search.budget import (
    NO_EFFORT,
    TO_FIT,
    WORTH,
    SearchBudget,
    costs_worth,
)
from dask_tapestry.planner.search.choices import Choices, State
from dask_tapestry.planner.search.components import components_of, joined
from dask_tapestry.planner.search.evolve import Evolution
from dask_tapestry.planner.search.exact_grids import recut
from dask_tapestry.planner.search.exhaustive import all_forms, exhaustive
from dask_tapestry.planner.search.frontier import Point
from dask_tapestry.planner.search.frugal_reads import with_frugal_reads
from dask_tapestry.planner.search.fused_seed import with_all_fused
from dask_tapestry.planner.search.handed_reads import with_reads_handed_on
from dask_tapestry.planner.search.islands import evolve_on_islands
from dask_tapestry.planner.search.lean_plans import with_less_held
from dask_tapestry.planner.search.local_search import (
    fit_to_memory,
    improve,
    made_to_fit,
    with_alike_held,
)
from dask_tapestry.planner.search.lone_blocks import with_lone_blocks
from dask_tapestry.planner.search.one_block import (
    in_one_block,
    saves_less_than_planning,
    taken_at_once,
)
from dask_tapestry.planner.search.other_sizes import resized
from dask_tapestry.planner.search.plan_evaluator import PlanEvaluator, steps_of
from dask_tapestry.planner.search.plan_spaces import (
    fetch_rounds,
    fits_there,
    may_hold_results,
    one_by_one,
    plan_spaces,
    smaller_may_gain,
    ways_to_fit,
)
from dask_tapestry.planner.search.polish import polished
from dask_tapestry.planner.search.pricing import Pricing
from dask_tapestry.planner.search.races import may_win
from dask_tapestry.planner.search.refusal import Misfit, fit_only_slowly, lightest_of, refusal
from dask_tapestry.planner.search.relays import with_relays
from dask_tapestry.planner.search.repetition import ShortGraph, shortened
from dask_tapestry.planner.search.roomy_blocks import with_room
from dask_tapestry.planner.search.worst_blocks import with_worst_cut
from dask_tapestry.planner.tuning import (
    CHANCE_PART,
    DEARER_FITTED,
    GAIN_OF_LAST_EXCHANGE,
    LONG_SEARCH_COSTS,
    MOST_IMPROVED,
    SEARCH_AGAIN_PART,
)
from dask_tapestry.teg import Graph

__all__ = ["METHODS", "SearchResult", "search", "steps_of"]

METHODS: Final = ("auto", "exhaustive", "none")


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
        Whether that was so slow that nothing was changed of it.
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


def search(
    graph: Graph,
    resources: Resources,
    method: str = "auto",
    budget: float | None = None,
    seed: int = 0,
    spaces: list[PlanEvaluator] | None = None,
) -> SearchResult:
    """The best plan found for `graph`.

    Parameters
    ----------
    method
        One of `METHODS`.
    budget
        Seconds of the search; by default what the plan may be worth.
    seed
        Of what chance decides.
    spaces
        Its plans, where some of them are known.

    Raises
    ------
    MemoryLimitError
        If no plan is found that workers can hold.
    PlanError
        If a graph is too large to compare all plans.
    """
    effort = SearchBudget.of(budget)
    if method == "auto" and budget is None and spaces is None:
        by_parts = _found_by_components(graph, resources, seed)
        by_parts = by_parts or _found_by_parts(graph, resources, seed)
        if by_parts is not None:
            return by_parts
    found, misfits = _found(graph, resources, method, effort, seed, spaces)
    if found is not None:
        return found

    def fits(given: SearchBudget, other: Resources) -> bool:
        spaces, rounds = plan_spaces(graph, other, method), fetch_rounds(graph, other)
        alone = [one_by_one(spaces[0]).in_rounds(most) for most in rounds[-1:]]
        return any(_within_shares(some, method, given, seed, []) for some in (alone, spaces))

    raise refusal(misfits, resources, partial(fits, NO_EFFORT), partial(fits, TO_FIT))


def _found_by_components(graph: Graph, resources: Resources, seed: int) -> SearchResult | None:
    """The plan of a graph whose components are planned each by itself.

    None for a graph that has one, and where they do not fit together.
    """
    parts = components_of(graph)
    if parts is None:
        return None
    found = list[SearchResult]()
    for part, times in parts.kinds:
        result = _found_by_parts(part, resources, seed, times)
        if result is None:
            result, _ = _found(part, resources, "auto", WORTH._replace(times=times), seed)
        if result is None:
            return None
        found.append(result)
    limits = max((one.limits for one in found if one.limits), key=lambda one: (one.alone, one.task))
    pricing = Pricing(Machine.of(resources), limits)
    state = PlanEvaluator(parts.short.graph, pricing, resources).state(
        joined(one.state for one in found)
    )
    return _lengthened(parts.short, state, pricing, resources)


def _found_by_parts(
    graph: Graph, resources: Resources, seed: int, times: float = 1.0
) -> SearchResult | None:
    """The plan of a graph in which a part repeats often, as a shorter one is planned.

    None for other graphs, and where it does not fit.
    """
    short = shortened(graph)
    if short is None:
        return None
    space, *_ = plan_spaces(graph, resources, "auto")
    at_once = taken_at_once(space, WORTH._replace(times=times))
    if at_once is not None:
        return SearchResult(at_once, limits=space.pricing.limits)
    effort = WORTH._replace(times=times * short.times)
    short_result, _ = _found(short.graph, resources, "auto", effort, seed)
    if short_result is None or short_result.limits is None:
        return None
    pricing = Pricing(Machine.of(resources), short_result.limits)
    return _lengthened(short, short_result.state, pricing, resources)


def _lengthened(
    short: ShortGraph, state: State, pricing: Pricing, resources: Resources
) -> SearchResult | None:
    """The plan of a whole graph, by that of a shorter one, changed until it fits; None if not."""
    spaces = [PlanEvaluator(one, pricing, resources) for one in (short.graph, short.whole)]
    whole = short.lengthened(state, *spaces)
    if whole is not None and not whole.shortfall and spaces[1].fits(whole):
        whole = with_alike_held(spaces[1], whole)
    elif whole is not None and not whole.shortfall:
        most = DEARER_FITTED * whole.seconds
        whole = fit_to_memory(spaces[1], whole, MOST_IMPROVED)
        whole = whole if whole is not None and whole.seconds <= most else None
    if whole is None or whole.shortfall or not spaces[1].fits_at_worst(whole):
        return None
    return SearchResult(whole, limits=pricing.limits)


def _found(
    graph: Graph,
    resources: Resources,
    method: str,
    effort: SearchBudget,
    seed: int,
    spaces: list[PlanEvaluator] | None = None,
) -> tuple[SearchResult | None, list[Misfit]]:
    """The best plan that fits, if there is one, and those that were found and do not."""
    misfits = list[Misfit]()
    spaces = spaces or plan_spaces(graph, resources, method)
    fitting = _within_shares(spaces, method, effort, seed, misfits)
    if not fitting or fit_only_slowly([one.state for one in fitting], misfits):
        is_enough = any(one.tasks_may_fit for one in misfits)
        side_by_side = spaces if is_enough and effort.costs is None else []
        alone = [one_by_one(space) for space in (spaces[0], spaces[-1])]
        ways = ways_to_fit((side_by_side, alone), fetch_rounds(graph, resources))
        fitting += _first_that_fit(list(ways), method, seed, misfits)
    if not fitting:
        return None, misfits
    best = preferred(fitting, lambda result: result.rank)
    return (_with_lone_blocks(spaces[0], best) if method == "auto" else best), misfits


def _with_lone_blocks(space: PlanEvaluator, found: SearchResult) -> SearchResult:
    """What was found, or a faster plan of which some blocks are alone on their workers."""
    costs = min(costs_worth(found.state), MOST_IMPROVED) // SEARCH_AGAIN_PART
    lone, state = with_lone_blocks(space, found.state, costs)
    return found if lone is space else found._replace(state=state, limits=lone.pricing.limits)


def _first_that_fit(
    ways: Sequence[list[PlanEvaluator]], method: str, seed: int, misfits: list[Misfit]
) -> list[SearchResult]:
    """Plans that fit, of the first of several ways that has some.

    The last way allows most. If none of the plans known fits there, it is searched first: where it
    has none that fits, no other has that was searched as long before. Its plans are found then, and
    may be the faster ones: blocks that are alone may read once what smaller ones read again. No
    other way is searched if one of these fits there as well.
    """
    is_long = all(costs_worth(one.state) >= (TO_FIT.costs or 0) for one in misfits)

    def searched(spaces: Sequence[PlanEvaluator]) -> list[SearchResult]:
        return _within_shares(spaces, method, TO_FIT, seed, misfits)

    *others, last = ways or [[]]
    last_fitting = None if any(fits_there(one, *last) for one in misfits) else searched(last)
    if last_fitting == [] and is_long:
        return []
    if any(fits_there(one, *way) for one in last_fitting or () for way in others):
        return last_fitting or []
    fitting = next(filter(None, map(searched, others)), None)
    if last_fitting is None:
        return fitting or searched(last)
    return [*(fitting or []), *last_fitting]


def _within_shares(
    spaces: Sequence[PlanEvaluator],
    method: str,
    effort: SearchBudget,
    seed: int,
    misfits: list[Misfit],
) -> list[SearchResult]:
    """Plans that fit, of spaces whose tasks may take less and less memory; `misfits` get others.

    A space is not searched whose seed is so slow that the search would have to shorten it by more
    than those before have shortened theirs, to find a better plan; nor are those after it.
    """
    fitting, gain = list[SearchResult](), 1.0
    if spaces and not may_hold_results(spaces[0]):  # then nothing is searched
        if not misfits:
            least = _METHODS[method](spaces[-1], NO_EFFORT, seed).state
            misfits += lightest_of(spaces[-1], least)
        return []
    for space in spaces:
        if fitting:
            space.most_seconds = gain * min(earlier.state.seconds for earlier in fitting)
        result = _METHODS[method](space, effort, seed)._replace(limits=space.pricing.limits)
        effort, gain = result.again, max(gain, result.gain)
        if result.given_up:
            break
        if (
            not result.state.shortfall
            and not space.fits_at_worst(result.state)
            and space.fits(result.state)
        ):
            space = space.with_reserve(result.state)
            if space.reserve < space.resources.usable_bytes:
                reserved = _METHODS[method](space, effort, seed)
                result = reserved._replace(limits=space.pricing.limits)
        if not result.state.shortfall and space.fits_at_worst(result.state):
            fitting.append(result)
            if not smaller_may_gain([(one.rank, one.hope) for one in fitting], space.reserve):
                break
        else:
            misfits.append(Misfit(space, result.state))
    return fitting


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
    start = with_all_fused(space, space.state(Choices(forms=forms)))
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
    best = with_relays(space, with_reads_handed_on(space, best, each), each // SEARCH_AGAIN_PART)
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


_METHODS: Final[dict[str, Callable[[PlanEvaluator, SearchBudget, int], SearchResult]]] = {
    "auto": _auto,
    "exhaustive": _exhaustive,
    "none": _uncut,
}
