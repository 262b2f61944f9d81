from random import Random
from statistics import median

import pytest
import zarr

import dask_tapestry as dt
from tests.planner.event_simulation import Events
from tests.planner.graphs import FOUR, stored

PROGRAMS = 40
NEAR = 0.15  # of the seconds of the simulation task by task


def centred(x):
    return x - x.mean(axis=0)


STEPS = (
    lambda x: x + 1,
    centred,
    lambda x: x.rechunk((x.shape[0] // 8, -1)),
    lambda x: x.rechunk((-1, max(1, x.shape[1] // 16))),
    lambda x: x[1:] - x[:-1],
    lambda x: dt.cumsum(x, axis=0),
    lambda x: dt.sort(x, axis=1),
    lambda x: x @ stored((x.shape[1], 1000), "f8", (1000, 1000)),
)
ENDS = (lambda x: x, lambda x: x.sum(), lambda x: x.mean(axis=0), lambda x: x.std(axis=1))


def drawn(number):
    """A plan of a random program for random workers."""
    random = Random(number)
    x = stored(random.choice([(20_000, 8000), (100_000, 2000), (50_000, 500)]), "f8", (1000, 1000))
    for _ in range(random.randint(0, 2)):
        x = random.choice(STEPS)(x)
    workers, threads = random.choice([1, 2, 4, 16]), random.choice([1, 2, 4])
    bandwidth = random.choice(["200 MB/s", "1 GB/s", "5 GB/s"])
    machines = dt.Resources(workers, threads, "64 GiB", bandwidth)
    return dt.plan(random.choice(ENDS)(x), resources=machines)


def test_seconds_are_near_those_of_a_simulation_task_by_task():
    ratios = []
    for number in range(PROGRAMS):
        plan = drawn(number)
        ratios.append(plan.simulate().seconds / Events(plan.core).seconds())
    assert sum(abs(ratio - 1) <= NEAR for ratio in ratios) >= 0.75 * PROGRAMS, sorted(ratios)
    assert 0.95 < median(ratios) < 1.05


def test_more_workers_take_less_time():
    x = stored((1_000_000, 1000))
    few, many = (
        dt.plan(x.std(axis=0), resources=dt.Resources(n, 2, "16 GiB")).simulate() for n in (4, 32)
    )
    assert many.seconds < few.seconds / 4


def test_steps_that_need_no_other_run_together_and_others_after_what_they_read():
    found = dt.plan(stored().sum(), stored((50_000, 1000)).max(), resources=FOUR).simulate()
    begins = [step.begin for step in found.steps]
    assert min(begins) == 0
    total = dt.plan(stored().sum(), resources=FOUR).simulate()
    first, *_, last = total.steps
    assert first.begin == 0
    assert first.end <= last.begin
    assert last.end == total.seconds


def test_results_are_held_to_the_end_and_others_until_they_were_read():
    kept = dt.plan(stored() + 1, resources=FOUR).simulate()
    assert kept.moments[-1].held == pytest.approx(stored().nbytes / 4 * 1.25)
    x = stored((10_000, 1000), "f8", (1000, 1000)).rechunk((1000, -1)).rechunk((-1, 100))
    read = dt.plan(x.sum(), resources=FOUR).simulate()
    assert max(m.held for m in read.moments) >= x.nbytes / 4
    assert read.moments[-1].held < 1000


def test_writes_hold_nothing(tmp_path):
    write = dt.to_zarr(stored() + 1, tmp_path / "x", compute=False)
    assert max(m.held for m in dt.plan(write, resources=FOUR).simulate().moments) == 0


def test_no_more_blocks_run_than_there_are_slots():
    for number in range(10):
        plan = drawn(number)
        found = plan.simulate()
        assert all(0 <= m.running <= plan.resources.slots for m in found.moments)
        assert found.moments[-1].running == 0
        assert 0 < found.utilisation <= 1.001
        assert sum(s.blocks for s in found.steps) == sum(s.count for s in plan.core.steps.values())


def test_plans_of_many_blocks_take_no_longer():
    images = dt.placeholder((163_000_000, 256, 256, 3), "u1", stored_chunks=(64, 256, 256, 3))
    many = dt.Resources(4096, 8, "64 GiB", "25 GB/s")
    found = dt.plan(images.astype("f4").mean(axis=(1, 2)), resources=many).simulate()
    assert len(found.moments) < 20_000


def test_nothing_takes_no_time():
    assert dt.plan(dt.asarray([1.0, 2.0])).simulate().seconds < 0.1


def test_blocks_that_a_worker_computes_one_by_one_run_so(tmp_path):
    zarr.create_array(tmp_path / "x", shape=(32_000, 10_000), chunks=(2000, 10_000), dtype="f8")
    machines = dt.Resources(workers=4, threads=3, memory="600 MB")
    plan = dt.plan(dt.from_zarr(tmp_path / "x")[::2000, :10], resources=machines)
    (step,) = plan.core.steps.values()
    assert step.machine.alone
    assert step.count > 4
    assert max(moment.running for moment in plan.simulate().moments) == 4


SLOW, FAST = "250 MB/s", "20 GB/s"
NO_CODEC = {"store_read": 1e12, "store_write": 1e12, "store_plain": 1e12}


@pytest.mark.few(2)  # as unlike as so many can be
@pytest.mark.parametrize("slowest", ["store", "link", "kernels"])
def test_a_job_from_a_store_to_a_device_takes_what_the_slowest_of_three_takes(slowest):
    """8 GB by 4 workers, at 250 MB/s each where that is slow, or sorted."""
    store, link = (SLOW if slowest == kind else FAST for kind in ("store", "link"))
    told = {"workers": 4, "threads": 8, "memory": "64 GiB", "bandwidth": "10 GB/s"}
    devices = {"gpus": 1, "gpu_memory": "40 GiB", "link_bandwidth": link, "worker_bandwidth": store}
    x = dt.placeholder((2_000_000, 1000), "f4", stored_chunks=(5000, 1000)).to_device("cuda")
    made = x * 2 + 1
    if slowest == "kernels":
        made = dt.cumsum(dt.sort(dt.sort(made, axis=1)[:, ::-1], axis=1), axis=1)
    with dt.config(host_parts=False):
        plan = dt.plan(made.sum(axis=0), resources=dt.Resources(**told, **devices, rates=NO_CODEC))
    plan.verify()
    step = max(plan.core.steps.values(), key=lambda one: one.cost.seconds)
    assert step.estimate.bound == {"kernels": "compute"}.get(slowest, slowest)
    busy = getattr(step.cost, step.estimate.bound)
    if slowest != "kernels":
        assert busy == pytest.approx(8, rel=0.05)
    assert plan.cost["seconds"] == pytest.approx(busy, rel=0.4 if slowest == "kernels" else 0.1)
    assert plan.simulate().seconds == pytest.approx(plan.cost["seconds"], rel=0.25)


def test_a_device_has_few_blocks_at_a_time():
    """As long for store, link and kernels: two blocks on a device take turns at all three."""
    told = {"workers": 2, "threads": 8, "memory": "64 GiB", "gpu_memory": "40 GiB"}
    x = dt.placeholder((400_000, 1000), "f4", stored_chunks=(1000, 1000)).to_device("cuda")
    ways = {"worker_bandwidth": "1 GB/s", "link_bandwidth": "1 GB/s"}
    machines = dt.Resources(**told, **ways, rates=NO_CODEC)
    plan = dt.plan((x + 1).rechunk((10_000, 1000)), resources=machines)
    found = plan.simulate()
    assert max(moment.running for moment in found.moments) == 4
    assert found.seconds == pytest.approx(plan.cost["seconds"], rel=0.25)
    assert 0.8 < found.seconds / 0.8 < 1.5, "a GB/s, and not a thread's share of it"
