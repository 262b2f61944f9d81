"""How long is searched."""

import dask_tapestry as dt
from dask_tapestry.planner.search import budget
from dask_tapestry.planner.search.budget import (
    NO_EFFORT,
    WORTH,
    SearchBudget,
    costs_worth,
    repays_planning,
)
from dask_tapestry.planner.search.choices import Choices
from dask_tapestry.planner.search.tuning import (
    LEAST_ONCE_FOUND,
    LONG_SEARCHED_SECONDS,
    MOST_ALONE,
    MOST_IN_VAIN,
    SECONDS_A_COST,
    SHARE,
    USES_OF_A_PLAN,
)
from tests.planner.graphs import stored
from tests.planner.spaces import space_of


def seconds(y):
    state = space_of(y).state(Choices())
    return state.seconds, costs_worth(state) * SECONDS_A_COST


def test_short_work_is_not_searched_for_and_long_work_not_for_long():
    job, search = seconds(stored((100, 100)) + 1)
    assert (job < 0.01, search) == (True, 0)
    job, search = seconds(dt.exp(stored((3_000_000, 10_000))))
    assert 1 < job < LONG_SEARCHED_SECONDS
    assert 0.9 * SHARE * job < search <= SHARE * job
    job, search = seconds(stored((500_000_000, 1000), "f8", (100_000, 1000)) + 1)
    assert job > LONG_SEARCHED_SECONDS
    assert SHARE * LONG_SEARCHED_SECONDS < search < SHARE * job


def test_a_plan_that_does_not_fit_is_searched_for():
    tight = dt.Resources(workers=1, threads=1, memory="1 MB")
    space = space_of(stored((100, 200_000), "f8", (1, 200_000)).rechunk((1, -1)), resources=tight)
    state = space.state(Choices())
    assert state.shortfall > 0
    assert costs_worth(state) == int(SHARE * LONG_SEARCHED_SECONDS / SECONDS_A_COST)


def test_seconds_are_converted():
    assert SearchBudget.of(0) == SearchBudget(0, True)
    assert SearchBudget.of(3.0).costs == int(3 / SECONDS_A_COST)


def test_what_is_not_given_is_decided_by_the_plan():
    state = space_of(dt.exp(stored((3_000_000, 10_000)))).state(Choices())
    assert SearchBudget.of(None).for_plan(state) == SearchBudget(costs_worth(state))
    assert SearchBudget.of(1).for_plan(state) == SearchBudget.of(1)


def test_effort_is_spent():
    assert SearchBudget(10, True).less(4) == SearchBudget(6, True)
    assert SearchBudget(10).less(40) == NO_EFFORT


def test_from_a_plan_on_as_much_is_spent_as_that_is_worth():
    long, short = (
        space_of(dt.exp(stored((3_000_000, n)))).state(Choices()) for n in (100_000, 100)
    )
    assert WORTH.once_found(long) == costs_worth(long) > LEAST_ONCE_FOUND
    assert costs_worth(short) < WORTH.once_found(short) == LEAST_ONCE_FOUND
    assert SearchBudget(10_000, True).once_found(short) == 10_000
    assert SearchBudget(10_000, True).no_more_than(600) == SearchBudget(600, True)
    assert SearchBudget(60).no_more_than(600) == SearchBudget(60)


def test_there_is_patience_for_all_that_a_user_gives():
    assert WORTH.patience == MOST_IN_VAIN
    assert SearchBudget.of(3.0).patience == SearchBudget.of(3.0).costs > MOST_IN_VAIN


def test_a_part_of_a_job_is_worth_as_much_as_all_of_it():
    state = space_of(dt.exp(stored((3_000_000, 10_000)))).state(Choices())
    part = SearchBudget(None, times=4.0).for_plan(state)
    assert part.costs == costs_worth(state, 4.0) > 3 * costs_worth(state)


def test_minutes_are_spent_where_workers_take_part(monkeypatch):
    state = space_of(dt.exp(stored((3_000_000_000, 10_000)))).state(Choices())
    assert SearchBudget.of(None).for_plan(state).costs == MOST_ALONE
    monkeypatch.setattr(budget, "live_client", lambda: "one")
    assert SearchBudget.of(None).for_plan(state).costs == costs_worth(state) > MOST_ALONE


def test_planning_is_repaid_in_some_uses_of_a_plan():
    assert repays_planning(0.0, -1.0)
    assert repays_planning(1.0, 1.0 / USES_OF_A_PLAN)
    assert not repays_planning(1.0, 0.9 / USES_OF_A_PLAN)
