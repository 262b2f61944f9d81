import dask
import numpy as np
import pytest

import dask_tapestry as dt

CELLS = np.arange(24.0).reshape(4, 6)
FOUR = dt.Resources(workers=4, threads=2, memory="8 GiB")


def test_one_result_or_several():
    x = dt.asarray(CELLS)
    np.testing.assert_array_equal(dt.plan(x + 1).compute(), CELLS + 1)
    total, largest = dt.plan(x.sum(), x.max()).compute()
    assert (total, largest) == (CELLS.sum(), 23)


def test_the_method_of_an_array():
    x = dt.asarray(CELLS) + 1
    assert x.plan(resources=FOUR).explain() == dt.plan(x, resources=FOUR).explain()
    assert dt.plan.__doc__ == x.plan.__doc__


def test_writes_are_planned_too(tmp_path):
    sink = dt.to_zarr(dt.asarray(CELLS), tmp_path / "x", compute=False)
    plan = dt.plan(sink, dt.asarray(CELLS).sum())
    assert plan.cost["bytes_written"] == CELLS.nbytes
    assert plan.compute() == (None, CELLS.sum())
    np.testing.assert_array_equal(dt.from_zarr(tmp_path / "x").compute(), CELLS)


def test_what_is_planned_may_be_anything_like_an_array():
    assert dt.plan(CELLS).compute().shape == (4, 6)
    with pytest.raises(TypeError, match="at least one"):
        dt.plan()
    with pytest.raises(dt.DTypeError):
        dt.plan(object())


@pytest.mark.parametrize("scheduler", ["sync", "threads"])
def test_options_go_to_dask(scheduler):
    assert dt.plan(dt.asarray(CELLS).max()).compute(scheduler=scheduler) == 23
    assert dt.compute(dt.asarray(CELLS).max(), scheduler=scheduler) == (23,)


def test_compute_and_persist_take_containers():
    x = dt.asarray(CELLS)
    assert dt.compute([x.min(), {"a": x.max()}], 5) == ([0.0, {"a": 23.0}], 5)
    (held,), number = dt.persist([x + 1], 5)
    assert number == 5
    np.testing.assert_array_equal(held.compute(), CELLS + 1)


def test_a_plan_and_an_unplanned_array_together():
    x = dt.asarray(CELLS)
    planned = dt.plan(x.sum(), resources=FOUR)._planned()
    assert dask.compute(*planned, x.max()) == (CELLS.sum(), 23)


def test_what_is_verified_is_a_plan():
    with pytest.raises(dt.ArgumentTypeError, match=r"sharded must be a plan.*not dt\.Array"):
        dt.verify(dt.ones(3), dt.ones(3))


def test_a_plan_for_an_upper_bound_that_fits_nowhere_says_so():
    x = dt.asarray(np.arange(1000))
    counts, local = dt.bincount(x), dt.Resources(1, 2, "1 GiB", local=True)
    with pytest.raises(dt.MemoryLimitError, match=r"depends on data: ask for `\.shape` first"):
        counts.plan(resources=local)
    assert counts.shape == (1000,)
    counts.plan(resources=local).verify()
    with pytest.raises(dt.MemoryLimitError) as caught:
        dt.ones((10**6, 10**6)).plan(resources=local)
    assert "depends on data" not in str(caught.value)
