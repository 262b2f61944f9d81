"""Plans to choose from."""

import pytest

import dask_tapestry as dt

MACHINES = dt.Resources(workers=16, threads=4, memory="16 GiB")


@pytest.fixture(scope="module")
def plan():
    x = dt.placeholder((200_000, 20_000), "float64", stored_chunks=(2000, 2000))
    return dt.plan(x.T @ x, resources=MACHINES)


def test_each_has_its_cost_and_can_be_verified(plan):
    assert len(plan.frontier) > 1
    for cost, found in plan.frontier:
        assert cost == found.cost
        found.verify()
    seconds = [cost["seconds"] for cost, _ in plan.frontier]
    assert seconds == sorted(seconds)


def test_the_least_of_one_resource_within_limits_on_others(plan):
    cost, least = plan.frontier.best("bytes_moved")
    assert cost["bytes_moved"] == min(c["bytes_moved"] for c, _ in plan.frontier)
    assert least.cost == cost
    fast, _ = plan.frontier.best("seconds", peak_worker_bytes="8 GiB", tasks=10_000)
    assert fast["peak_worker_bytes"] <= 8 * 2**30
    assert fast["tasks"] <= 10_000


def test_what_nothing_can_do_is_told(plan):
    with pytest.raises(dt.PlanError, match=r"no plan found is within tasks 1; the least.*tasks "):
        plan.frontier.best("seconds", tasks=1)
    with pytest.raises(dt.PlanError, match=r"no cost 'euros'; they have.*bytes_read"):
        plan.frontier.best("euros")


def test_it_is_printed_as_a_table(plan):
    head, *rows = repr(plan.frontier).splitlines()[1:]
    assert head.split() == ["seconds", "bytes_read", "bytes_moved", "peak_worker_bytes", "tasks"]
    assert len(rows) == len(plan.frontier)


def test_a_plan_that_was_not_searched_stands_alone():
    p = dt.ones(3).plan()
    assert len(p.frontier) == 1
    assert p.frontier[0] == (p.cost, p)
    assert repr(p.frontier).startswith("1 plan\n")


def test_plans_of_a_frontier_compute_the_same():
    x = dt.arange(600.0).reshape(20, 30)
    p = dt.plan((x @ x.T).sum(axis=0), budget=0.2, resources=dt.Resources(2, 2, "1 GiB"))
    values = {found.compute(scheduler="sync").tobytes() for _, found in p.frontier}
    assert len(values) == 1


def test_budgets_and_methods_are_checked():
    with pytest.raises(ValueError, match="budget must be"):
        dt.ones(3).plan(budget=-1)
    with pytest.raises(ValueError, match=r"method must be .* not 'best'"):
        dt.ones(3).plan(method="best")
