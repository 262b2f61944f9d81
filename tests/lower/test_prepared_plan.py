import dask
import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.lower.prepared_plan import Cells, Given, OfStep, prepared
from dask_tapestry.planner.build import build_plan
from dask_tapestry.planner.cache import plan_of
from tests.comparisons import same_bits


def cells():
    return np.linspace(0, 1, 100).reshape(4, 25)


def test_it_is_found_once_for_all_data():
    def formula(data):
        return (dt.asarray(data) * 3 + 0.25).node

    first, again = plan_of([formula(cells())]), plan_of([formula(-cells())])
    assert first is not again
    assert prepared(first) is prepared(again)
    assert prepared(first) is not prepared(plan_of([(dt.asarray(cells()) * 4 + 0.25).node]))


def test_of_a_plan_that_is_not_kept_it_is_found_each_time():
    plan = build_plan([(dt.asarray(cells()) * 3).node])
    assert prepared(plan) is not prepared(plan)


def test_blocks_are_read_where_they_are():
    data = cells()
    kept = (dt.asarray(data).rechunk((2, 25)) + 1).persist()
    x = (dt.asarray(data) + kept.sum(axis=0)).rechunk((4, 5))
    plan = plan_of([x.node])
    ready = prepared(plan)
    assert ready.blocks == sum(len(one.blocks) for one in ready.steps)
    reads = [read for one in ready.steps for _, each in one.blocks for read in each]
    assert {type(read) for read in reads} == {Cells, Given, OfStep}
    for read in reads:
        if isinstance(read, Cells):
            (block,) = read.blocks(plan, {})
            assert np.shares_memory(block, data)
        elif isinstance(read, Given):
            assert all(block.shape[1] == 25 for block in read.blocks(plan, {}))
    assert same_bits(x.compute(), x.compute(scheduler=dask.get))


def test_values_are_dropped_after_the_last_step_that_reads_them():
    x = dt.asarray(cells())
    centred = x - x.mean(axis=0)
    plan = plan_of([(centred / centred.std()).node])
    ready = prepared(plan)
    dropped = [x for one in ready.steps for x in one.last_read]
    assert len(dropped) == len(set(dropped))
    last = {x: n for n, one in enumerate(ready.steps) for x in one.step.inputs}
    for number, one in enumerate(ready.steps):
        assert all(last[x] == number for x in one.last_read)


@pytest.mark.parametrize("whole", [True, False])
def test_what_a_scheduler_does_is_left_to_it(whole):
    x = dt.asarray(cells())
    two = dt.Resources(workers=1 if whole else 2, threads=1, memory="1 GiB")
    assert prepared(build_plan([(x + 1).node], two)).needs_scheduler != whole


def test_data_that_is_read_in_a_step_is_not_another_plans(tmp_path):
    for number in (1, 2):
        dt.to_zarr(dt.full((4, 4), float(number)), tmp_path / str(number))
    for number in (1, 2):
        x = dt.from_zarr(tmp_path / str(number)) + 1
        assert plan_of([x.node]).found is None
        assert (x.compute() == number + 1).all()
