from types import SimpleNamespace

from dask_tapestry.plan.budget import A_CHANGE, SECONDS_A_COST, costs_within, costs_worth


def taking(seconds, shortfall=0):
    """A plan of given seconds."""
    return SimpleNamespace(seconds=seconds, shortfall=shortfall)


def test_longer_jobs_are_worth_more_search_but_not_in_proportion():
    worth = [costs_worth(taking(s)) for s in (1.0, 10.0, 100.0, 1000.0)]
    assert worth == sorted(worth)
    assert worth[1] >= 9 * worth[0]
    assert worth[3] < 5 * worth[2]


def test_a_job_of_milliseconds_is_worth_none():
    assert costs_worth(taking(0.05)) == 0
    assert costs_worth(taking(0.11)) >= A_CHANGE


def test_a_plan_that_does_not_fit_is_worth_a_search():
    assert costs_worth(taking(0.05, shortfall=1)) > 1000


def test_seconds_are_counted_in_costs():
    assert costs_within(7.5 * SECONDS_A_COST) == 7
