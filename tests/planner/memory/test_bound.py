import pytest

import dask_tapestry as dt
from dask_tapestry.planner.memory.bound import lack_of_memory, peak_memory_is_bounded
from dask_tapestry.planner.memory.memory import fullest_workers
from dask_tapestry.planner.memory.results import ResultMemory

SMALL = dt.Resources(workers=2, threads=1, memory="800 MB")


def test_results_that_are_fetched_need_not_be_held_together():
    made = dt.plan(dt.ones((400, 10**6)).rechunk((1, 10**6)), resources=SMALL).core
    peak_memory_is_bounded(made)
    with pytest.raises(dt.MemoryLimitError, match="peak_memory_is_bounded"):
        peak_memory_is_bounded(made, ResultMemory.KEPT)


def test_the_step_its_bytes_and_the_way_out_are_named():
    made = dt.plan(dt.ones((400, 10**6)).rechunk((1, 10**6)), resources=SMALL).core
    text = lack_of_memory(made, fullest_workers(made), "; more would do")
    assert text.startswith("peak_memory_is_bounded: the plan needs 1.86 GiB on one worker")
    assert "or write to a store; more would do; most is taken by" in text
    assert f"rechunk float64[400, 1000000] ({__file__}" in text


def test_results_that_are_kept_may_fill_small_workers():
    small = dt.Resources(workers=2, threads=1, memory="500 MB")
    x = dt.placeholder((50, 10**6), "f8", (1, 10**6)) + 1
    plan = dt.plan(x, resources=small).core
    assert not plan.resources.filled
    assert not fullest_workers(plan).fits
    peak_memory_is_bounded(plan, ResultMemory.KEPT)
