"""Seconds of resources, from amounts."""

import pytest

import dask_tapestry as dt
from dask_tapestry.planner.cost.makespan import GridBlocks
from dask_tapestry.planner.cost.resource_seconds import (
    StepTraffic,
    Tasks,
    Working,
    step_seconds,
    transfer_seconds,
)
from dask_tapestry.planner.machine.machine import USUAL_CODECS, Codecs, Machine
from dask_tapestry.planner.machine.rates import rates_of, shipped_rates
from dask_tapestry.zspace import Cuts

READ = 64 * 10**9
CODEC = shipped_rates()
NO_CODEC = rates_of({f"store_{name}": 1e15 for name in ("read", "write", "plain", "plain_write")})


def store(
    blocks=3200,
    read=READ,
    requests=0.0,
    written=0,
    codecs=USUAL_CODECS,
    chunk_threads=1,
    rates=None,
    **resources,
):
    """Seconds of the stores of a step of blocks that are alike, whose codec takes no time."""
    told = {"workers": 4, "threads": 8} | resources
    machine = Machine.of(dt.Resources(**told), rates or NO_CODEC)
    tasks = Tasks(GridBlocks.of([Cuts.regular(blocks, 1)]), 1, 1, 1, codecs, chunk_threads)
    traffic = StepTraffic(read, requests, 0, 0, 0, 0)
    return step_seconds(Working(0.0, 0.0), traffic, written, tasks, machine).store


@pytest.mark.parametrize(
    ("codecs", "read", "written"),
    [
        (USUAL_CODECS, CODEC.store_read, CODEC.store_write),
        (Codecs("plain", "plain"), CODEC.store_plain, CODEC.store_plain_write),
    ],
)
def test_threads_of_a_cluster_decode_and_encode(codecs, read, written):
    """Two threads in four workers have rates for four times as many."""
    told = {"threads": 2, "bandwidth": "100 GB/s", "rates": CODEC, "codecs": codecs}
    assert store(**told) == pytest.approx(READ / read / 4, rel=0.01)
    assert store(read=0, written=READ, **told) == pytest.approx(READ / written / 4, rel=0.01)
    alone = {"blocks": 1, "workers": 1, "threads": 1}
    assert store(**told | alone) == pytest.approx(2 * READ / read)
    assert store(**told | {"bandwidth": "1 MB/s"}) > 100 * READ / read


@pytest.mark.parametrize(
    ("blocks", "chunks", "share"),
    [
        (1, 400, 1 / 4),  # all threads decode chunks of the only block
        (1, 2, 1 / 2),  # of two chunks
        (1, 1, 1),
        (3, 300, 3 / 4),
        (5, 500, 5 / 8),  # of the fifth block, which alone was left
        (8, 800, 1),
        (8, 8, 1),
    ],
)
def test_idle_threads_share_the_chunks_of_others(blocks, chunks, share):
    told = {"blocks": blocks, "workers": 1, "threads": 4, "rates": CODEC, "requests": chunks}
    told |= {"bandwidth": "100 GB/s", "store_latency": 1e-9}
    alone, helped = (store(**told, chunk_threads=n) for n in (1, 4))
    assert helped / alone == pytest.approx(share, rel=0.15)  # uneven alone


def test_a_thread_that_decodes_does_not_compute():
    machine = Machine.of(dt.Resources(4, 8, bandwidth="100 GB/s"), CODEC)
    for one, together in ((machine, 2.0), (machine.on("cuda"), 1.1)):
        each = one.reading * one.decode[False]
        tasks = Tasks(GridBlocks.of([Cuts.regular(10**5, 1)]), 1, 1, 1, USUAL_CODECS)
        traffic = StepTraffic(100 * each, 0, 0, 0, 0, 0)
        found = step_seconds(Working(100.0, 0.0), traffic, 0, tasks, one)
        assert found.seconds - found.overhead == pytest.approx(100 * together, rel=0.01)


@pytest.mark.parametrize(("threads", "blocks"), [(1, 2), (2, 4), (4, 4), (4, 8), (8, 4)])
def test_threads_that_help_do_no_more_than_they_can(threads, blocks):
    """However kernels and codecs overlap, all that they take is done by the worker's threads."""
    machine = Machine.of(dt.Resources(4, threads, bandwidth="100 GB/s"), CODEC)
    grid = GridBlocks.of([Cuts.regular(blocks, 1)])
    for chunk_threads in (1, threads):
        tasks = Tasks(grid, 1, 1, 1, USUAL_CODECS, chunk_threads)
        traffic = StepTraffic(blocks * machine.decode[False], 1000 * blocks, 0, 0, 0, 0)
        found = step_seconds(Working(1.0, 0.0), traffic, 0, tasks, machine)
        on_each = -(-blocks // 4) * 2 / threads  # a second of kernels and one of decoding a block
        assert found.seconds >= max(1, on_each)


def test_the_least_of_three_rates_counts():
    assert store(bandwidth="2 GB/s") == pytest.approx(8, rel=0.01)
    assert store(bandwidth="2 GB/s", worker_bandwidth="1 GB/s") == pytest.approx(16, rel=0.01)
    assert store(bandwidth="2 GB/s", worker_bandwidth="8 GB/s") == pytest.approx(2, rel=0.01)
    few = store(bandwidth="2 GB/s", worker_bandwidth="8 GB/s", store_bandwidth="1 GB/s")
    assert few == pytest.approx(64, rel=0.01)


def test_requests_wait_side_by_side():
    one_by_one = 32_000 * 0.1
    found = store(read=0, requests=32_000, store_latency=0.1)
    assert found == pytest.approx(one_by_one / (4 * 8 * 10), rel=0.01), "ten of each thread"


def test_a_block_waits_for_a_request_at_least():
    assert store(blocks=32, read=0, requests=32, store_latency=0.1) == pytest.approx(0.11)


def test_threads_of_this_process_wait_for_declared_requests_too():
    local = {"workers": 1, "threads": 2, "local": True}
    found = store(read=0, requests=32_000, store_latency=0.1, **local)
    assert found == pytest.approx(32_000 * 0.1 / 20, rel=0.01)


@pytest.mark.parametrize("latency", ["1 ms", "200 ms"])
def test_a_plan_takes_as_long_as_its_requests_wait(latency):
    x = dt.placeholder((40_000, 40_000), "f4", (400, 400))
    far = dt.Resources(4, 4, "8 GiB", store_latency=latency, worker_bandwidth="1 GB/s")
    plan = dt.plan(x.mean(0), resources=far)
    waits = 10_000 * float(latency.split()[0]) / 1000 / (10 * 16)
    assert plan.cost["seconds"] > waits


def of_a_device(compute, link, read=0.0, blocks=1000, **resources):
    """Seconds of a step of a device in each of four workers, whose store gives 1 GB/s."""
    told = {"workers": 4, "threads": 8, "worker_bandwidth": "1 GB/s"}
    machine = Machine.of(dt.Resources(**told | resources), NO_CODEC).on("cuda")
    tasks = Tasks(GridBlocks.of([Cuts.regular(blocks, 1)]), 1, 1, 1, USUAL_CODECS)
    traffic = StepTraffic(4 * read * 1e9, 0, 0, 0, 0, 0)
    found = step_seconds(Working(compute, link), traffic, 0, tasks, machine)
    return found.seconds - found.overhead


@pytest.mark.parametrize("longest", ["compute", "link", "read"])
def test_a_device_waits_for_the_slowest_of_store_link_and_kernels(longest):
    taken = {"compute": 2.0, "link": 2.0, "read": 2.0} | {longest: 10.0}
    assert of_a_device(**taken) == pytest.approx(10 + 0.1 * 4, rel=0.01)


def test_few_blocks_at_a_time_share_all_that_a_block_does():
    assert of_a_device(8, 8, 8) == pytest.approx(24 / 2, rel=0.01)
    assert of_a_device(8, 8, 8, threads=1) == pytest.approx(24, rel=0.01)
    assert of_a_device(8, 8, 8, gpus=2, threads=3) == pytest.approx(24 / 1.5, rel=0.01)


def test_the_first_block_of_a_device_waits_for_its_cells():
    assert of_a_device(4, 4, blocks=4) == pytest.approx(8)
    assert of_a_device(4, 4, blocks=8) == pytest.approx(4 + 4 / 2)


def test_the_blocks_of_a_device_are_decoded_by_a_thread_each():
    local = {"workers": 1, "threads": 8, "local": True}
    by_all = store(blocks=3200, rates=CODEC, **local)
    tasks = Tasks(GridBlocks.of([Cuts.regular(3200, 1)]), 1, 1, 1, USUAL_CODECS)
    device = Machine.of(dt.Resources(**local)).on("cuda")
    traffic = StepTraffic(READ, 0, 0, 0, 0, 0)
    by_two = step_seconds(Working(0.0, 0.0), traffic, 0, tasks, device).store
    assert by_two == pytest.approx(by_all * 8 / 2, rel=0.01)


def test_what_workers_take_from_each_other_goes_through_what_they_share():
    told = {"workers": 8, "threads": 1, "bandwidth": "1 GB/s"}
    own = Machine.of(dt.Resources(**told))
    shared = Machine.of(dt.Resources(**told, total_bandwidth="2 GB/s"))
    assert transfer_seconds(16e9, 8, own) == transfer_seconds(2e9, 1, shared) == 2
    assert transfer_seconds(16e9, 8, shared) == 8


def test_a_plan_and_its_simulation_take_as_long_as_the_shared_way():
    x = dt.placeholder((40_000, 40_000), "f4", stored_chunks=(1000, 40_000))
    told = {"workers": 8, "threads": 2, "memory": "32 GiB"}
    slow = dt.Resources(**told, total_bandwidth="500 MB/s", temporary_store=False)
    plan = dt.plan(dt.sort(dt.sort(x, axis=1), axis=0), resources=slow)
    least = plan.cost["bytes_moved"] / 500e6
    assert least > 5
    assert plan.cost["seconds"] >= least
    assert plan.simulate().seconds >= least
