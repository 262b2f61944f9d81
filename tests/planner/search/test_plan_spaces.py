import dask_tapestry as dt
from dask_tapestry.planner.cost.rank import Rank
from dask_tapestry.planner.search.plan_spaces import smaller_may_gain


def of(seconds):
    return Rank(0, 0.0, 0, 0, seconds)


def test_smaller_tasks_are_tried_as_long_as_something_better_may_fit():
    assert not smaller_may_gain([(of(10), None)], 0)
    assert not smaller_may_gain([(of(10), of(9.95))], 0)
    assert smaller_may_gain([(of(10), of(5))], 0)
    assert smaller_may_gain([(of(10), of(5)), (of(9), of(5))], 0)  # these were better
    assert smaller_may_gain([(of(10), of(5)), (of(10), of(4))], 0)  # more may fit
    assert not smaller_may_gain([(of(10), of(5)), (of(10), of(5))], 0)
    assert not smaller_may_gain([(of(10), of(5)), (of(12), of(6))], 0)
    assert smaller_may_gain([(of(10), of(5)), (of(12), of(6))], 2**20)  # the largest did not fit
    assert smaller_may_gain([(of(90), of(5)), (of(90), of(5))], 0)  # it takes far less


def test_a_factor_of_many_panels_is_planned():
    machines = dt.Resources(workers=16, threads=4, memory="1.5 GiB")
    x = dt.placeholder((20_000, 20_000), "f8", stored_chunks=(1000, 1000))
    dt.plan(dt.linalg.cholesky(x).sum(), resources=machines).verify()
