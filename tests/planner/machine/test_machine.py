import pickle
from dataclasses import replace
from math import inf

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.planner.machine import machine
from dask_tapestry.planner.machine.machine import USUAL_CODECS, Codecs, Machine
from dask_tapestry.planner.machine.rates import rates_of, shipped_rates
from dask_tapestry.planner.machine.resources import Resources, this_machine
from dask_tapestry.planner.tuning import HUGE_PAGE
from tests.planner.graphs import FOUR, stored

SLOW = rates_of({"operations": {"": 10.0, "sort": 5.0, "sort float32": 20.0}})


def test_rates_are_positive():
    rates = [v for name, v in vars(machine).items() if name.isupper() and "CODEC" not in name]
    assert rates
    assert all(rate > 0 for rate in rates)


def test_no_plan_is_faster_than_its_tasks_and_its_bandwidth():
    plan = dt.plan(stored() + 1, resources=FOUR)
    carried = plan.cost["bytes_read"] / (FOUR.workers * FOUR.bandwidth)
    handled = plan.cost["tasks"] * Machine.of(FOUR).task
    assert plan.cost["seconds"] >= max(carried, handled)


def test_a_machine_is_a_value():
    made = Machine.of(FOUR)
    assert made == Machine.of(FOUR)
    assert hash(made) == hash(pickle.loads(pickle.dumps(made)))
    assert made != Machine.of(FOUR, SLOW)
    assert (made.workers, made.slots, made.network) == (4, FOUR.slots, FOUR.bandwidth)


def test_it_has_the_memory_that_a_plan_may_fill():
    with dt.config(memory_limit="1 GB"):
        made = Machine.of(Resources(workers=2, memory="8 GB"))
    assert (made.memory_limit, made.usable) == (10**9, 6 * 10**8)


def test_values_move_within_a_process_for_nothing():
    made = Machine.of(this_machine())
    assert (made.local, made.network, made.latency) == (True, inf, 0)
    assert made.task == shipped_rates().local_task
    assert Machine.of(FOUR).task == shipped_rates().scheduler_task


def test_threads_share_the_memory_of_their_machine():
    rates = rates_of({"memory": 10.0, "memory_shared": 4.0})
    assert Machine.of(Resources(threads=1), rates).memory == 10
    assert Machine.of(Resources(threads=8), rates).memory == 4


@pytest.mark.parametrize(
    ("kernel", "dtype", "seconds"),
    [("sort", "float32", 5), ("sort", "int8", 20), ("other", "float32", 10)],
)
def test_a_kernel_has_the_most_special_rate_there_is(kernel, dtype, seconds):
    made = Machine.of(FOUR, SLOW)
    assert made.seconds(kernel, np.dtype(dtype), flops=100, bytes=8) == seconds


def test_the_slower_of_computing_and_memory_counts():
    made = Machine.of(FOUR, SLOW)
    assert made.seconds("sort", np.dtype("i4"), 0, made.memory * 3) == 3


def test_what_is_declared_goes_before_rates():
    made = Machine.of(Resources(workers=2, bandwidth=50, latency=3, store_bandwidth=70))
    assert (made.network, made.latency, made.store, made.store_all) == (50, 3, 50, 70)
    assert Machine.of(FOUR).store_all == inf
    assert Machine.of(Resources(limits={"b": 1, "a": 2})).limits == (("a", 2), ("b", 1))


def test_a_worker_has_its_own_way_to_the_store():
    far = Machine.of(Resources(workers=2, bandwidth=50, worker_bandwidth=7, store_latency=3))
    assert (far.network, far.store) == (50, 7)
    assert (far.store_latency, far.requests) == (3, 10)
    here = Machine.of(Resources(threads=4, local=True, worker_bandwidth=7, store_latency=3))
    assert (here.store, here.store_latency, here.requests) == (7, 3, 10)
    files = Machine.of(Resources(threads=4, local=True), SLOW)
    assert (files.store, files.store_latency, files.requests) == (inf, 4 * SLOW.store_latency, 1)


def test_a_thread_has_its_part_of_the_rates_of_stores():
    told = {"store_read": 8.0, "store_write": 4.0, "store_plain": 40.0, "store_plain_write": 20.0}
    rates = rates_of({"threads": 4} | told)
    for resources in (Resources(workers=9, threads=2), Resources(threads=3, local=True)):
        made = Machine.of(resources, rates)
        assert made.codec_seconds(10.0, 10.0, USUAL_CODECS) == 10 / 2 + 10 / 1
        assert made.codec_seconds(10.0, 10.0, Codecs("plain", "plain")) == 3
        twice = replace(made, speed=2.0)
        assert twice.codec_seconds(10.0, 0.0, USUAL_CODECS) == 2.5


def test_resources_may_have_rates_of_their_own():
    slow = Resources(rates={"latency": 9.0})
    assert Machine.of(slow).latency == 9
    assert Machine.of(slow, SLOW).latency == shipped_rates().latency


def test_a_place_has_its_own_workers_memory_and_speed():
    groups = [(4, 8, "64 GiB", "big", 2.0), (60, 2, "4 GiB", "small")]
    machine = Machine.of(Resources(groups=groups))
    big, anywhere = machine.at("big"), machine.at("")
    assert anywhere is machine
    assert [m.place for m in machine.places] == ["big", "small"]
    assert (big.hosts, big.slots, big.workers) == (4, 32, 64)
    assert (machine.hosts, machine.slots) == (64, 152)
    assert big.task_bytes > 3 * machine.task_bytes
    cells = np.dtype("f8")
    assert big.seconds("", cells, 1e9, 0) == machine.seconds("", cells, 1e9, 0) / 2
    assert Machine.of(Resources(4, 2, "1 GiB")).places == ()


def test_large_arrays_have_huge_pages_but_for_their_ends():
    machine = Machine.of(Resources(workers=2, threads=1))
    page = HUGE_PAGE / machine.fresh_pages
    assert machine.fresh_seconds(HUGE_PAGE) == pytest.approx(page)
    assert machine.fresh_seconds(5 * HUGE_PAGE) == pytest.approx(
        page + 4 * HUGE_PAGE / machine.fresh
    )


def test_a_device_is_a_place_inside_each_worker():
    told = {"gpus": 1, "gpu_memory": "10 GiB", "link_bandwidth": "5 GB/s", "gpu_workers": 3}
    machine = Machine.of(Resources(workers=4, threads=8, memory="64 GiB", **told))
    device = machine.on("cuda")
    assert machine.on("") is machine
    assert machine.on("cuda") is device is device.on("cuda")
    assert (device.slots, device.threads, device.hosts, device.workers) == (3, 1, 3, 4)
    assert device.usable == int(0.9 * 10 * 2**30) == device.memory_limit
    assert (device.link, device.network) == (5e9, machine.network)
    assert device.host is machine
    assert device.memory > 10 * machine.memory


def test_devices_do_not_change_what_the_host_is():
    plain = Machine.of(Resources(workers=4, threads=8, memory="64 GiB"))
    others = Machine.of(Resources(workers=4, threads=8, memory="64 GiB", gpus=2))
    assert plain == replace(others, devices=1)
    assert (others.on("cuda").slots, others.on("cuda").threads) == (8, 2)


def test_bytes_within_hosts_have_a_rate_of_their_own():
    told = {"workers": 6, "threads": 2, "memory": "1 GiB", "bandwidth": "1 GB/s"}
    machine = Machine.of(Resources(**told, workers_per_host=4, host_bandwidth="10 GB/s"))
    assert machine.within_hosts == (4 * 3 + 2 * 1) / (6 * 5)
    assert machine.network_seconds(30e9) == pytest.approx(14e9 / 10e9 + 16e9 / 1e9)
    alike = Machine.of(Resources(**told, workers_per_host=4))
    assert alike.network_seconds(30e9) == pytest.approx(30)
    here = Machine.of(Resources(workers=1, threads=2, local=True, workers_per_host=4))
    assert here.network_seconds(30e9) == 0


def test_one_of_several_devices_is_used_alone():
    machine = Machine.of(Resources(workers=4, threads=8, memory="64 GiB", gpus=2))
    both, second = machine.on("cuda"), machine.on("cuda:1")
    assert (both.devices, both.slots, both.in_flight) == (2, 8, 2)
    assert (second.devices, second.slots, second.device) == (1, 4, "cuda:1")
    assert machine.on("cuda:1") is second


def test_a_worker_of_one_thread_has_one_block_under_way():
    alone = Machine.of(Resources(workers=4, threads=1, memory="64 GiB", gpus=2)).on("cuda")
    assert (alone.slots, alone.in_flight, alone.devices) == (4, 1, 2)
    assert alone.one_by_one.in_flight == 1


@pytest.mark.parametrize("memory", ["200 MB", "300 MB", "500 MiB", "64 GiB"])
def test_pieces_and_what_they_read_have_room_in_a_task(memory):
    machine = Machine.of(Resources(2, 2, memory))
    assert (machine.piece_bytes is None) == (memory == "64 GiB")
    if machine.piece_bytes is not None:
        assert 2**20 <= machine.piece_bytes <= max(2**20, machine.task_bytes / 4)
