import dask_tapestry as dt
from dask_tapestry.plan import machine

from .graphs import FOUR, stored


def test_rates_are_positive():
    rates = [v for name, v in vars(machine).items() if name.isupper()]
    assert rates
    assert all(rate > 0 for rate in rates)


def test_no_plan_is_faster_than_its_tasks_and_its_bandwidth():
    plan = dt.plan(stored() + 1, resources=FOUR)
    carried = plan.cost["bytes_read"] / (FOUR.workers * FOUR.bandwidth)
    handled = plan.cost["tasks"] * machine.SECONDS_A_TASK
    assert plan.cost["seconds"] >= max(carried, handled)
