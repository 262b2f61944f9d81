import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.planner.memory.user_resource_peaks import limits_are_kept, plan_amounts


def licensed(**costs):
    return dt.block_operator(
        index={"i": "parallel"}, inputs={"x": "i"}, outputs={"z": "i"}, costs=costs
    )(np.negative)


def plan(*arrays, **limits):
    machines = dt.Resources(workers=4, threads=4, memory="64 GiB", limits=limits)
    return dt.plan(*arrays, resources=machines)


LARGE = dt.placeholder((10**8,), "f8")
one_licence = licensed(licence={"": 1})


def test_no_more_blocks_run_at_a_time_than_a_limit_allows():
    free, bound = plan(one_licence(LARGE)), plan(one_licence(LARGE), licence=4)
    assert free.cost["licence"] == free.cost["tasks"] > 4
    assert bound.cost["licence"] == bound.cost["tasks"] <= 4
    bound.verify()


def test_a_limit_on_what_grows_with_blocks_makes_them_small():
    scratch = licensed(scratch={"i": 8})
    found = plan(scratch(LARGE), scratch=10**7)
    assert found.cost["scratch"] <= 10**7
    found.verify()
    assert plan(scratch(LARGE)).cost["scratch"] == 8 * 10**8


def test_a_limit_that_cannot_be_kept_is_refused_by_name():
    two = licensed(licence={"": 2})
    with pytest.raises(dt.PlanError, match=r"limits_are_kept: .* 2 of 'licence' .* there is 1"):
        plan(two(LARGE), licence=1).verify()


def test_steps_that_may_run_together_add_up_and_those_in_turn_do_not():
    together = plan(one_licence(LARGE), one_licence(LARGE * 2), licence=100).core
    assert plan_amounts(together)["licence"] == sum(
        step.cost.own.get("licence", 0) for step in together.steps.values()
    )
    turned = plan(dt.sort(one_licence(LARGE)), licence=4).core
    assert list(limits_are_kept(turned)) == []
