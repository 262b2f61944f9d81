import dataclasses

import numpy as np
import pytest
import zarr

import dask_tapestry as dt
from dask_tapestry.operators.sorting.exchange_sort import exchange_sort
from dask_tapestry.planner.memory.memory import (
    Slices,
    WorkerMemory,
    _peak,
    _Running,
    _threads_full,
    fullest_workers,
    peak_worker_bytes,
)
from dask_tapestry.planner.memory.resident_values import resident_bytes
from dask_tapestry.planner.memory.results import ResultMemory
from tests.planner.graphs import FOUR, stored


def cost(*arrays, resources=FOUR, **options):
    return dt.plan(*arrays, resources=resources, **options).cost


def test_results_stay_in_memory_and_written_values_do_not(tmp_path):
    x = stored() + 1
    sink = dt.to_zarr(x, tmp_path / "x", compute=False)
    assert cost(x)["memory_bytes"] == x.nbytes
    assert cost(sink)["memory_bytes"] == 0
    assert cost(sink)["peak_worker_bytes"] < cost(x)["peak_worker_bytes"]


def test_the_peak_counts_results_and_working_sets():
    plan = dt.plan(stored() + 1, resources=FOUR).core
    (step,) = plan.steps.values()
    assert resident_bytes(plan)[step.node] == stored().nbytes
    peak = peak_worker_bytes(plan)
    block = step.node.type.nbytes // step.count
    assert peak >= stored().nbytes // 4 + 2 * (step.needs.work - block)
    assert peak == plan.cost["peak_worker_bytes"]


def test_values_take_as_much_at_least_however_finely_they_are_cut():
    coarse, fine = (
        WorkerMemory(dt.plan(stored().rechunk((rows, -1)) + 1, resources=FOUR).core)
        for rows in (500, 50)
    )
    assert coarse.least_held == fine.least_held >= stored().nbytes / 4
    assert coarse.least_held <= coarse.fullest().bytes


def test_blocks_that_cannot_run_together_are_not_counted_together():
    x = stored((4000, 1000), "f8", (1000, 1000))
    whole = x.rechunk((-1, -1))
    rows = whole.rechunk((500, -1)) + 1
    plan = dt.plan(rows, resources=dt.Resources(1, 8, "64 GiB")).core
    assert peak_worker_bytes(plan) < 8 * max(s.needs.work for s in plan.steps.values())


def test_an_array_that_is_there_is_copied_for_who_asks_for_it():
    x = dt.asarray(np.ones((1000, 1000)))
    assert cost(x, resources=None)["peak_worker_bytes"] == x.nbytes


def test_what_a_reader_needs_whole_stays(tmp_path):
    whole = dt.to_zarr(
        stored().rechunk((1000, -1)).T.rechunk((10, -1)), tmp_path / "x", compute=False
    )
    assert cost(whole)["memory_bytes"] >= stored().nbytes


def test_a_working_set_above_the_memory_is_seen_before_it_runs():
    plan = dt.plan(stored() + 1, resources=dt.Resources(workers=1, threads=1, memory="500 MB"))
    assert plan.cost["peak_worker_bytes"] > plan.resources.memory_bytes
    with pytest.raises(dt.MemoryLimitError):
        plan.core.verify(ResultMemory.KEPT)


def test_values_that_are_never_there_together_are_counted_once():
    """Of rounds that each need all of the one before, two are held at a time."""
    x = stored((10_000, 1000), "f8", (1000, 1000))
    for _ in range(4):
        x = (x.rechunk((1000, -1)) + 1).rechunk((-1, 100)) * 2
    single = dt.Resources(workers=4, threads=1, memory="8 GiB")
    plan = dt.plan(x.sum(), resources=single).core
    held = list(resident_bytes(plan).values())
    apart = peak_worker_bytes(plan) * single.workers
    assert sum(held) > 6 * x.nbytes
    assert apart < sum(held)


def test_kept_memory_counts_where_other_arrays_take_its_place():
    read = stored((10_000, 1000), "f8", (1000, 1000))
    alone = dt.Resources(workers=1, threads=1, memory="8 GiB")
    job = dt.exp(read[::2]) + read[1::2]
    with dt.config(kept_memory=0):
        without = cost(job, resources=alone)["peak_worker_bytes"]
    assert without <= cost(job, resources=alone)["peak_worker_bytes"] <= without + 2**30


def test_what_one_block_is_lies_on_one_worker():
    x = stored((4000, 1000), "f8", (1000, 1000)) + 1
    cut, whole = x.rechunk((1000, -1)), x.rechunk((-1, -1))
    assert cost(cut)["peak_worker_bytes"] < x.nbytes < cost(whole)["peak_worker_bytes"]


def test_arrays_that_are_sent_stay_on_the_workers():
    x = dt.asarray(np.ones((8000, 1000)))
    sent, made = (cost(y.sum())["peak_worker_bytes"] for y in (x, dt.ones((8000, 1000))))
    assert sent > made + x.nbytes / FOUR.workers


def test_slices_wait_for_the_blocks_that_read_them():
    x = stored((4000, 4000), "f8", (1000, 4000)).rechunk((1000, -1))
    turned = dt.plan(x.rechunk((-1, 1000)), resources=FOUR).core
    step = turned.steps[turned.graph.roots[0]]
    assert step.cost.slices
    blocks = -(-step.count // FOUR.workers)
    assert blocks < FOUR.threads
    assert peak_worker_bytes(turned) >= FOUR.threads * step.needs.work + blocks * step.needs.read


def test_few_blocks_that_wait_for_nothing_are_spread_over_workers():
    x = stored((8000, 4000), "f8", (1000, 4000))
    y = x.rechunk((1000, 4000))
    plan = dt.plan(y, resources=dt.Resources(workers=8, threads=8, memory="8 GiB")).core
    (step,) = plan.steps.values()
    assert step.count == 8
    share = y.nbytes / 8 * 1.25
    assert peak_worker_bytes(plan) <= share + 2 * step.needs.work


def test_those_that_wait_for_another_step_are_there_once_whatever_the_threads():
    x = stored((40_000, 4000), "f8", (1000, 4000)).rechunk((1000, -1))
    y = x.rechunk((-1, 100)) + stored((4000, 1000)).sum()
    few, many = (dt.Resources(workers=2, threads=n, memory="64 GiB") for n in (1, 8))
    one, more = (dt.plan(y, resources=r).core for r in (few, many))
    assert peak_worker_bytes(more) < peak_worker_bytes(one) + 8 * x.nbytes / 2


def test_each_group_of_workers_has_its_own_peak():
    whole = dt.block_operator(
        index={"i": "atomic"}, inputs={"x": "i"}, outputs={"z": "i"}, dtype="f8"
    )(np.sort)
    x = dt.placeholder((10**8,), "f8", (10**6,))
    groups = dt.Resources(groups=[(2, 1, "64 GiB", "big"), (30, 2, "1 GiB", "small")])
    plan = dt.plan(whole(x).sum(), (x + 1).sum(), resources=groups).core
    assert "big" in {step.place for step in plan.steps.values()}
    fullest = fullest_workers(plan)
    assert fullest.fits
    peaks = {g.place: _peak(WorkerMemory(plan), g, g.place, Slices.COUNTED) for g in groups.kinds}
    assert peaks["small"] < 0.7 * 2**30 < peaks["big"] < 0.7 * 64 * 2**30
    assert peak_worker_bytes(plan) == fullest.bytes == peaks[fullest.place]


def test_what_waits_for_something_made_of_all_is_held_whole():
    x = dt.random.default_rng(0).random(10**8)
    plan = dt.plan(dt.Array(exchange_sort(x.node, 64)), resources=FOUR, budget=0).core
    held = {node.operator.name: size for node, size in resident_bytes(plan).items()}
    assert held["sortedruns"] >= x.nbytes  # it is read block by block, but split only in the end


def test_what_is_surely_enough_is_no_less():
    x = dt.placeholder((20_000, 20_000), "f8", (2000, 2000))
    machines = dt.Resources(workers=4, threads=2, memory="8 GiB")
    for y in (x + x.T, (x - x.mean(0)).sum(1), x @ x.T):
        plan = dt.plan(y, resources=machines).core
        most = fullest_workers(plan, Slices.ALL).bytes
        assert fullest_workers(plan, Slices.ALL_APART).bytes >= most >= fullest_workers(plan).bytes
        assert fullest_workers(plan, Slices.NONE).bytes <= fullest_workers(plan).bytes


def test_workers_hold_a_plan_whose_slices_wait_while_other_blocks_run(tmp_path):
    path = str(tmp_path / "traces.zarr")
    zarr.create_array(path, shape=(250_000, 400), chunks=(8621, 400), dtype="f4")
    columns = [np.minimum(np.hypot(np.arange(400), 40 * k).astype(int), 399) for k in (1, 4, 9)]
    g = dt.stack([dt.take(dt.from_zarr(path), at, axis=1) for at in columns])
    two = dt.Resources(workers=2, threads=2, memory="1 GB")
    plan = dt.plan(g.mean(axis=1), g.mean(axis=0)[:, ::40].std(axis=0), resources=two).core
    most = fullest_workers(plan, Slices.ALL).bytes
    assert fullest_workers(plan, Slices.ALL_APART).bytes >= most
    assert fullest_workers(plan).fits


@pytest.mark.few(3)  # as unlike as so many can be
@pytest.mark.parametrize("memory", ["300 MB", "600 MB", "1200 MB", "2 GB", "8 GiB"])
def test_slices_are_counted_only_where_it_depends_on_them_whether_a_plan_fits(memory):
    x = dt.placeholder((20_000, 20_000), "f8", (500, 20_000))
    plan = dt.plan((x.T @ x).sum(0), x.rechunk((20_000, 400)), resources=FOUR).core
    plan = dataclasses.replace(plan, resources=dt.Resources(4, 2, memory))
    workers = WorkerMemory(plan)
    exact = workers.fullest()
    assert workers.fits == exact.fits
    lacking = workers.lacking_uncounted()
    assert lacking is None or (lacking == 0) == exact.fits
    assert lacking is None or lacking <= exact.lacking()
    reserve = 10**10
    assert workers.lacking_uncounted(reserve) > 0


def test_of_blocks_that_are_computed_one_by_one_a_worker_has_one(tmp_path):
    """Two steps have such blocks; those of a third may run beside."""
    for name in "xy":
        zarr.create_array(tmp_path / name, shape=(8000, 10_000), chunks=(2000, 10_000), dtype="f8")
    x, y = (dt.from_zarr(tmp_path / name)[:, :10].rechunk((4000, 10)) for name in "xy")
    machines = dt.Resources(workers=4, threads=3, memory="700 MB")
    y = x + y.max(axis=0)
    plan = dt.plan(y, resources=machines).core
    alone = [step for step in plan.steps.values() if step.machine.alone]
    others = [step.needs.work for step in plan.steps.values() if not step.machine.alone]
    assert len(alone) > 1
    largest = max(step.needs.work for step in alone)
    assert largest <= peak_worker_bytes(plan) < largest + 3 * max(others) + 2 * y.nbytes
    plan.verify()


def test_memories_of_host_and_device_are_counted_apart():
    x = dt.ones((2000, 1000), device="cuda")
    there = x.plan(resources=dt.Resources(workers=1, threads=1, memory="1 GiB", gpu_memory="1 GiB"))
    fullest = fullest_workers(there.core)
    assert (fullest.device, fullest.usable) == ("cuda", int(0.9 * 2**30))
    assert x.nbytes <= fullest.bytes <= 3 * x.nbytes
    small = dt.Resources(workers=1, threads=1, memory="20 MB", gpu_memory="1 GiB")
    x.plan(resources=small).verify()  # nothing of it lies on the host
    on_host = dt.ones((2000, 1000)).plan(resources=small)
    with pytest.raises(dt.MemoryLimitError):
        on_host.core.verify(ResultMemory.KEPT)


def test_what_passes_through_the_host_counts_there():
    x = dt.placeholder((2000, 1000), "f8", stored_chunks=(2000, 1000)).to_device("cuda")
    small = dt.Resources(workers=1, threads=1, memory="20 MB", gpu_memory="1 GiB")
    plan = x.plan(resources=small)
    (step,) = plan.core.steps.values()
    fullest = fullest_workers(plan.core)
    assert (fullest.device, fullest.bytes) == ("", x.nbytes // step.count)


def test_one_of_several_devices_holds_what_was_brought_to_it():
    two = dt.Resources(workers=1, threads=4, memory="8 GiB", gpus=2, gpu_memory="1 GiB", local=True)
    anywhere = dt.ones((100_000, 1000), device="cuda")
    fullest = fullest_workers(dt.plan(anywhere, resources=two).core)
    assert (fullest.device, fullest.usable) == ("cuda", int(0.9 * 2**30))
    assert anywhere.nbytes / 2 < fullest.bytes < fullest.usable
    beside = dt.ones((60_000, 1000), device="cuda:1")
    fullest = fullest_workers(dt.plan(beside, resources=two).core)
    assert (fullest.device, beside.nbytes <= fullest.bytes) == ("cuda:1", True)
    small = dt.ones((1000, 1000), device="cuda")
    assert fullest_workers(dt.plan(small, beside, resources=two).core).bytes > fullest.bytes
    larger = dt.ones((150_000, 1000), device="cuda:1")
    with pytest.raises(dt.MemoryLimitError, match="on one cuda:1 device of a worker"):
        dt.plan(larger, resources=two)
    dt.plan(dt.ones(larger.shape, device="cuda"), resources=two).verify()


def test_the_device_that_a_process_uses_by_itself_is_its_first():
    one = dt.Resources(workers=1, threads=4, memory="8 GiB", gpu_memory="1 GiB", local=True)
    own, first, second = (dt.ones((80_000, 1000), device=f"cuda{n}") for n in ("", ":0", ":1"))
    dt.plan(own, second, resources=one).verify()
    with pytest.raises(dt.MemoryLimitError, match=r"needs 1\.19 GiB on one cuda(:0)? device"):
        dt.plan(own, first, resources=one)


def full_one_by_one(blocks, threads, apart=False):
    """What `_threads_full` says of one row: of blocks that may run, largest first."""
    total, one_runs = 0.0, False
    for block in blocks:
        running = 0 if block.alone and one_runs else min(threads, block.together)
        one_runs = one_runs or block.alone
        total += running * block.beside + block.waiting
        threads -= running
        if not threads and not apart:
            break
    return total


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_threads_take_the_largest_blocks_that_may_run(threads):
    random = np.random.default_rng(threads)
    node = dt.ones(3).node
    blocks = [
        _Running(node, together, 1000 - number, waiting, alone)
        for number, (together, waiting, alone) in enumerate(
            zip(
                random.integers(1, 4, 40).tolist(),
                random.integers(0, 50, 40).tolist(),
                (random.random(40) < 0.3).tolist(),
                strict=True,
            )
        )
    ]
    may_run = random.random((200, 40)) < random.random((200, 1))
    for apart in (False, True):
        said = _threads_full(may_run, blocks, threads, apart)
        for row, found in zip(may_run.tolist(), said.tolist(), strict=True):
            those = [block for block, runs in zip(blocks, row, strict=True) if runs]
            assert found == full_one_by_one(those, threads, apart)


def test_no_blocks_fill_no_thread():
    assert _threads_full(np.ones((1, 0), bool), [], 4).tolist() == [0.0]
