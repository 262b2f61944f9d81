"""Search: from a rewritten graph to the best plan that was found, and those it was chosen from.

Parts of a graph that share nothing, or that repeat, are searched once. The plans of each are looked
for in spaces whose tasks may take less and less memory, until one fits and no other may gain; where
none fits, in those where blocks are computed one at a time and results fetched in rounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from dask_tapestry.planner.cost.rank import Rank, preferred
from dask_tapestry.planner.machine.machine import Machine
from dask_tapestry.planner.machine.resources import Resources
from dask_tapestry.planner.search.budget import (
    NO_EFFORT,
    TO_FIT,
    WORTH,
    SearchBudget,
    costs_in,
    costs_worth,
)
from dask_tapestry.planner.search.choices import State
from dask_tapestry.planner.search.components import components_of, joined
from dask_tapestry.planner.search.local_search import fit_to_memory, with_alike_held
from dask_tapestry.planner.search.lone_blocks import with_lone_blocks
from dask_tapestry.planner.search.one_block import taken_at_once
from dask_tapestry.planner.search.one_space import SEARCHES, SearchResult
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
from dask_tapestry.planner.search.pricing import Pricing
from dask_tapestry.planner.search.races import may_be_far_better
from dask_tapestry.planner.search.refusal import Misfit, fit_only_slowly, lightest_of, refusal
from dask_tapestry.planner.search.repetition import ShortGraph, shortened
from dask_tapestry.planner.search.tuning import (
    COSTS_A_CHANGE,
    DEARER_FITTED,
    MOST_IMPROVED,
    SEARCH_AGAIN_PART,
    WORTH_TO_FIT,
)
from dask_tapestry.teg import Graph

__all__ = ["METHODS", "SearchResult", "search", "steps_of"]

METHODS: Final = tuple(SEARCHES)


def search(
    graph: Graph,
    resources: Resources,
    method: str = "auto",
    budget: float | None = None,
    seed: int = 0,
    spaces: list[PlanEvaluator] | None = None,
    beside: Rank | None = None,
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
    beside
        The rank of the plan of a graph that yields the same: ways to make this one's fit are looked
        for where they may lead to one that is far better. What does not fit is given up else.

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
    found, misfits = _found(graph, resources, method, effort, seed, spaces, beside)
    if found is not None:
        return found
    if beside is not None:
        return _given_up(misfits)

    def fits(given: SearchBudget, other: Resources) -> bool:
        spaces, rounds = plan_spaces(graph, other, method), fetch_rounds(graph, other)
        alone = [one_by_one(spaces[0]).in_rounds(most) for most in rounds[-1:]]
        return any(_within_shares(some, method, given, seed, []) for some in (alone, spaces))

    raise refusal(misfits, resources, partial(fits, NO_EFFORT), partial(fits, TO_FIT))


def _given_up(misfits: Sequence[Misfit]) -> SearchResult:
    """The best of what was found and does not fit."""
    best = min(misfits, key=lambda one: one.state.rank)
    return SearchResult(best.state, limits=best.space.pricing.limits, given_up=True)


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
    beside: Rank | None = None,
) -> tuple[SearchResult | None, list[Misfit]]:
    """The best plan that fits, if there is one, and those that were found and do not."""
    misfits = list[Misfit]()
    spaces = spaces or plan_spaces(graph, resources, method)
    fitting = _within_shares(spaces, method, effort, seed, misfits)
    if not fitting and beside is not None and not may_be_far_better(misfits, beside):
        return None, misfits
    if not fitting or fit_only_slowly([one.state for one in fitting], misfits):
        is_enough = any(one.tasks_may_fit for one in misfits)
        side_by_side = spaces if is_enough and effort.costs is None else []
        alone = [one_by_one(space) for space in (spaces[0], spaces[-1])]
        ways = ways_to_fit((side_by_side, alone), fetch_rounds(graph, resources))
        fitting += _found_in(list(ways), method, seed, misfits)
    if not fitting:
        return None, misfits
    best = preferred(fitting, lambda result: result.rank)
    return (_with_lone_blocks(spaces[0], best) if method == "auto" else best), misfits


def _with_lone_blocks(space: PlanEvaluator, found: SearchResult) -> SearchResult:
    """What was found, or a faster plan of which some blocks are alone on their workers."""
    costs = min(costs_worth(found.state), MOST_IMPROVED) // SEARCH_AGAIN_PART
    lone, state = with_lone_blocks(space, found.state, costs)
    return found if lone is space else found._replace(state=state, limits=lone.pricing.limits)


def _found_in(
    ways: Sequence[list[PlanEvaluator]], method: str, seed: int, misfits: list[Misfit]
) -> list[SearchResult]:
    """Plans that fit in one of several ways: what these are worth is spent first, then all.

    Where workers have more memory, that is filled before more is spent.
    """
    least = min([one.state.seconds for one in misfits], default=0.0)
    worth = TO_FIT.no_more_than(max(COSTS_A_CHANGE, WORTH_TO_FIT * costs_in(least)))
    has_more = any(one.space.resources.has_more for one in misfits)
    efforts = [worth] if has_more else dict.fromkeys((worth, TO_FIT))
    found = (_first_that_fit(ways, method, seed, misfits, most) for most in efforts)
    return next(filter(None, found), [])


def _first_that_fit(
    ways: Sequence[list[PlanEvaluator]],
    method: str,
    seed: int,
    misfits: list[Misfit],
    most: SearchBudget = TO_FIT,
) -> list[SearchResult]:
    """Plans that fit, of the first of several ways that has some.

    The last way allows most. If none of the plans known fits there, it is searched first: where it
    has none that fits, no other has that was searched as long before. Its plans are found then, and
    may be the faster ones: blocks that are alone may read once what smaller ones read again. No
    other way is searched again if one of these fits there as well, or if none has a faster plan,
    however much memory that may take.
    """
    were_searched = all(one.is_searched for one in misfits)
    is_long = all(costs_worth(one.state) >= (TO_FIT.costs or 0) for one in misfits)

    def searched(
        spaces: Sequence[PlanEvaluator], effort: SearchBudget = most
    ) -> list[SearchResult]:
        return _within_shares(spaces, method, effort, seed, misfits)

    *others, last = ways or [[]]
    last_fitting = None if any(fits_there(one, *last) for one in misfits) else searched(last)
    if last_fitting == [] and is_long:
        return []
    if last_fitting and were_searched:
        fits_in_others = any(fits_there(one, *way) for one in last_fitting for way in others)
        if fits_in_others or _is_fastest(last_fitting, misfits):
            return last_fitting
    effort = most
    if last_fitting:  # it is worth no more than a plan that is there
        effort = most.no_more_than(min(costs_worth(one.state) for one in last_fitting))
    fitting = next(filter(None, (searched(way, effort) for way in others)), None)
    if last_fitting is None:
        return fitting or searched(last)
    return [*(fitting or []), *last_fitting]


def _is_fastest(found: Sequence[SearchResult], misfits: Sequence[Misfit]) -> bool:
    """Whether one of the plans found is faster than all that do not fit."""
    least = min(one.state.seconds for one in found)
    return all(least <= one.state.seconds for one in misfits)


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
            least = SEARCHES[method](spaces[-1], NO_EFFORT, seed).state
            misfits += lightest_of(spaces[-1], least)
        return []
    for space in spaces:
        if fitting:
            space.most_seconds = gain * min(earlier.state.seconds for earlier in fitting)
        result = SEARCHES[method](space, effort, seed)._replace(limits=space.pricing.limits)
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
                reserved = SEARCHES[method](space, effort, seed)
                result = reserved._replace(limits=space.pricing.limits)
        if not result.state.shortfall and space.fits_at_worst(result.state):
            fitting.append(result)
            if not smaller_may_gain([(one.rank, one.hope) for one in fitting], space.reserve):
                break
        else:
            misfits.append(Misfit(space, result.state))
        if result.state.shortfall:
            break  # what has no tasks small enough here has none where they may take less
    return fitting
