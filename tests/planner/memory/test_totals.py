import pytest

import dask_tapestry as dt
from tests.planner.graphs import FOUR, ROOMY, stored

NAMES = {
    "seconds",
    "compute_seconds",
    "bytes_read",
    "bytes_written",
    "bytes_moved",
    "bytes_within_hosts",
    "memory_bytes",
    "peak_worker_bytes",
    "peak_worker_compute",
    "memory_waste",
    "compute_waste",
    "result_bytes",
    "result_seconds",
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


@pytest.mark.few(3)  # as unlike as so many can be
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


def test_only_what_lies_elsewhere_is_moved():
    assert cost(((stored() + 1) * 2).T)["bytes_moved"] == 0
    assert cost(stored().rechunk((5000, -1)) + 1)["bytes_moved"] == 0
    rows = stored().rechunk((5000, -1))
    moved = cost(rows, rows.rechunk((-1, 50)))["bytes_moved"]
    assert stored().nbytes / 2 < moved <= stored().nbytes


def test_tasks_are_blocks_and_slices_of_them():
    assert cost(dt.ones(100).rechunk(10))["tasks"] == 10
    rows = stored((10_000, 5000)).rechunk((500, -1))
    turned = dt.plan(rows, rows.rechunk((-1, 250)), resources=FOUR)
    gathered = 2  # one task for each result
    tasks = sum(map(len, turned.graph().layers.values()))
    assert turned.cost["tasks"] == tasks - gathered


def test_twice_the_work_takes_longer():
    few, many = cost(stored((50_000, 1000)) + 1), cost(stored((100_000, 1000)) + 1)
    for name in ("seconds", "compute_seconds", "bytes_read"):
        assert many[name] > few[name]


@pytest.mark.parametrize("job", ["map", "sum", "product"])
def test_twice_the_workers_are_no_slower(job):
    eight = dt.Resources(workers=8, threads=2, memory="8 GiB")
    assert cost(JOBS[job], resources=eight)["seconds"] <= cost(JOBS[job])["seconds"]


def test_more_bandwidth_is_no_slower():
    machines = [
        dt.Resources(workers=4, threads=2, memory="8 GiB", bandwidth=each)
        for each in ("300 MB/s", "3 GB/s", "10 GB/s")
    ]
    slow, fast, faster = (cost(stored() + 1, resources=each)["seconds"] for each in machines)
    assert slow > fast >= faster  # threads decode no faster then


def test_one_block_an_operator_keeps_slots_idle():
    assert cost(stored() + 1, resources=ROOMY, method="none")["compute_waste"] > 0.7
    assert cost(stored() + 1)["compute_waste"] < 0.2


def test_bytes_within_hosts_are_counted_and_priced_apart():
    x = stored()
    four = {"workers": 4, "threads": 2, "memory": "64 GiB", "bandwidth": "100 MB/s"}
    turned = [x, x.rechunk((-1, 50))]
    apart, paired, near, one = (
        dt.plan(*turned, resources=dt.Resources(**four, **told))
        for told in (
            {},
            {"workers_per_host": 2},
            {"workers_per_host": 2, "host_bandwidth": "10 GB/s"},
            {"workers_per_host": 4, "host_bandwidth": "10 GB/s"},
        )
    )
    assert (apart.cost["bytes_within_hosts"], "within hosts" in apart.explain()) == (0, False)
    assert paired.cost["bytes_within_hosts"] == pytest.approx(paired.cost["bytes_moved"] / 3, abs=1)
    assert paired.cost["seconds"] == pytest.approx(apart.cost["seconds"])
    assert "within hosts" in paired.explain()
    assert one.cost["bytes_within_hosts"] == one.cost["bytes_moved"] > 0
    assert one.cost["seconds"] < near.cost["seconds"] < paired.cost["seconds"]
    assert one.simulate().seconds < near.simulate().seconds < paired.simulate().seconds
