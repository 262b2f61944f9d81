import dask_tapestry as dt
from dask_tapestry.planner.build import build_plan
from dask_tapestry.planner.cost.store_requests import block_requests
from dask_tapestry.planner.machine.rates import rates_of
from dask_tapestry.planner.machine.resources import Resources
from dask_tapestry.zspace import ZRange

ONE = Resources(workers=1, threads=1, memory="8 GiB")


def step_of(node, resources=ONE):
    (step,) = build_plan([node], resources, "none").steps.values()
    return step


def test_chunks_that_a_block_meets_are_opened():
    x = dt.placeholder((1000, 1000), "f8", stored_chunks=(100, 500))
    program = step_of((x + 1).node).program
    assert block_requests(program, ZRange((0, 0), (1000, 1000))) == (20, 0)
    assert block_requests(program, ZRange((50, 0), (150, 10))) == (2, 0)


def test_chunks_that_are_written_count_too(tmp_path):
    x = dt.placeholder((1000, 1000), "f8", stored_chunks=(1000, 1000))
    sink = dt.to_zarr(x, tmp_path / "x", chunks=(250, 250), compute=False)
    assert block_requests(step_of(sink.node).program, ZRange.of_shape(x.shape)) == (1, 16)


def test_what_is_in_memory_is_not_opened():
    program = step_of((dt.ones((10, 10)) + 1).node).program
    assert block_requests(program, ZRange((0, 0), (10, 10))) == (0, 0)


def test_small_chunks_take_longer():
    slow = Resources(workers=1, threads=1, memory="8 GiB", rates=rates_of({"store_latency": 1.0}))
    seconds = [
        step_of((dt.placeholder((1000,), "f8", stored_chunks=(side,)) + 1).node, slow).cost.store
        for side in (1000, 10)
    ]
    assert 0.9 < seconds[0] < 2
    assert 9 < seconds[1] < 20, "ten at a time"
