import pytest

import dask_tapestry as dt
from dask_tapestry.plan.cost import peak_worker_bytes, resident_bytes

from .graphs import FOUR, ROOMY, stored

NAMES = {
    "seconds",
    "compute_seconds",
    "bytes_read",
    "bytes_written",
    "bytes_moved",
    "memory_bytes",
    "peak_worker_bytes",
    "peak_worker_compute",
    "memory_waste",
    "compute_waste",
    "tasks",
}
JOBS = {
    "map": stored() + 1,
    "sum": stored().sum(),
    "product": stored() @ stored((1000, 500), chunks=(1000, 500)),
    "normalized": (stored() - stored().mean(axis=0)) / stored().std(axis=0),
    "empty": dt.zeros((0, 3)) + 1,
    "one cell": dt.full((), 3) + 1,
}


def cost(*arrays, resources=FOUR, **options):
    return dt.plan(*arrays, resources=resources, **options).cost


@pytest.mark.parametrize("job", JOBS)
def test_every_cost_is_there_and_makes_sense(job):
    found = cost(JOBS[job])
    assert found.keys() == NAMES
    assert all(value >= 0 for value in found.values())
    assert found["memory_waste"] <= 1
    assert found["compute_waste"] <= 1
    assert found["compute_seconds"] <= found["seconds"]


def test_bytes_read_are_those_of_whole_chunks():
    assert cost(stored() + 1)["bytes_read"] == 100_000 * 1000 * 8
    assert cost(stored()[:10] + 1)["bytes_read"] == 1000 * 1000 * 8
    assert cost(dt.ones((100, 100)))["bytes_read"] == 0


def test_bytes_written_are_those_of_sinks(tmp_path):
    x = stored().astype("f4")
    sink = dt.to_zarr(x, tmp_path / "x", compute=False)
    assert cost(sink)["bytes_written"] == x.nbytes
    assert cost(x)["bytes_written"] == 0


def test_what_one_step_computes_is_not_moved():
    assert cost(((stored() + 1) * 2).T)["bytes_moved"] == 0
    assert cost(stored().rechunk((5000, -1)) + 1)["bytes_moved"] >= stored().nbytes


def test_tasks_are_blocks():
    assert cost(dt.ones(100).rechunk(10))["tasks"] == 10
    plan = dt.plan(stored().sum(), resources=FOUR)
    assert plan.cost["tasks"] == sum(step.count for step in plan.core.steps.values())


def test_twice_the_work_takes_longer():
    few, many = cost(stored((50_000, 1000)) + 1), cost(stored((100_000, 1000)) + 1)
    for name in ("seconds", "compute_seconds", "bytes_read"):
        assert many[name] > few[name]


@pytest.mark.parametrize("job", ["map", "sum", "product"])
def test_twice_the_workers_are_no_slower(job):
    eight = dt.Resources(workers=8, threads=2, memory="8 GiB")
    assert cost(JOBS[job], resources=eight)["seconds"] <= cost(JOBS[job])["seconds"]


def test_more_bandwidth_is_no_slower():
    fast = dt.Resources(workers=4, threads=2, memory="8 GiB", bandwidth="10 GB/s")
    assert cost(stored() + 1, resources=fast)["seconds"] < cost(stored() + 1)["seconds"]


def test_one_block_an_operator_keeps_slots_idle():
    assert cost(stored() + 1, resources=ROOMY, method="none")["compute_waste"] > 0.8
    assert cost(stored() + 1)["compute_waste"] < 0.2


def test_results_stay_in_memory_and_written_values_do_not(tmp_path):
    x = stored() + 1
    sink = dt.to_zarr(x, tmp_path / "x", compute=False)
    assert cost(x)["memory_bytes"] == x.nbytes
    assert cost(sink)["memory_bytes"] == 0
    assert cost(sink)["peak_worker_bytes"] < cost(x)["peak_worker_bytes"]


def test_the_peak_counts_results_and_working_sets():
    plan = dt.plan(stored() + 1, resources=FOUR).core
    (step,) = plan.steps.values()
    assert resident_bytes(step, plan) == stored().nbytes
    peak = peak_worker_bytes(plan)
    assert peak >= stored().nbytes // 4 + 2 * step.needs.work
    assert peak == plan.cost["peak_worker_bytes"]


def test_what_a_reader_needs_whole_stays(tmp_path):
    whole = dt.to_zarr(
        stored().rechunk((1000, -1)).T.rechunk((10, -1)), tmp_path / "x", compute=False
    )
    assert cost(whole)["memory_bytes"] >= stored().nbytes


def test_a_working_set_above_the_memory_is_seen_before_it_runs():
    plan = dt.plan(stored() + 1, resources=dt.Resources(workers=1, threads=1, memory="500 MB"))
    assert plan.cost["peak_worker_bytes"] > plan.resources.memory_bytes
    with pytest.raises(dt.MemoryLimitError):
        plan.verify()


def test_values_that_are_never_there_together_are_counted_once():
    """Of rounds that each need all of the one before, two are held at a time."""
    x = stored((10_000, 1000), "f8", (1000, 1000))
    for _ in range(4):
        x = (x.rechunk((1000, -1)) + 1).rechunk((-1, 100)) * 2
    plan = dt.plan(x.sum(), resources=FOUR).core
    held = [resident_bytes(step, plan) for step in plan.steps.values()]
    apart = peak_worker_bytes(plan) * FOUR.workers
    assert sum(held) > 6 * x.nbytes
    assert apart < 5 * x.nbytes


def test_kept_memory_counts_where_other_arrays_take_its_place():
    read = stored((10_000, 1000), "f8", (1000, 1000))
    alone = dt.Resources(workers=1, threads=1, memory="8 GiB")
    job = dt.exp(read[::2]) + read[1::2]
    with dt.config(kept_memory=0):
        without = cost(job, resources=alone)["peak_worker_bytes"]
    assert without <= cost(job, resources=alone)["peak_worker_bytes"] <= without + 2**30
