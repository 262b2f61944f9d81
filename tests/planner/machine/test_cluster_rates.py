import asyncio
import gc
from types import SimpleNamespace

import pytest
from distributed import Client

import dask_tapestry as dt
from dask_tapestry.planner.machine import calibrate as kept
from dask_tapestry.planner.machine import cluster_rates as module
from dask_tapestry.planner.machine.cluster_rates import (
    cluster_rates,
    keep_cluster_rates,
    least_network,
    network_rates,
    probe_peer,
    shared_core_bandwidth,
    shared_core_rates,
    two_workers,
)
from dask_tapestry.planner.machine.machine import Machine
from dask_tapestry.planner.machine.rates import rates_of, shipped_rates
from dask_tapestry.planner.machine.resources import current

HERE, THERE, ELSEWHERE = "tcp://10.0.0.1:1", "tcp://10.0.0.1:2", "tcp://10.0.0.2:1"


class FakeClient:
    """A client whose workers answer `found`, or fail with it."""

    asynchronous = False

    def __init__(self, found, workers=(HERE, ELSEWHERE)):
        self.found, self.workers, self.runs = found, workers, 0

    def scheduler_info(self, n_workers):
        return {"workers": {a: {"nthreads": 2, "memory_limit": 2**30} for a in self.workers}}

    def run(self, function, peer, workers, callback_timeout):
        self.runs += 1
        if isinstance(self.found, Exception):
            raise self.found
        return dict.fromkeys(workers, self.found)


@pytest.fixture
def measured(tmp_path, monkeypatch):
    """What is measured counts; nothing was measured on this machine."""
    monkeypatch.setenv("DASK_TAPESTRY_CACHE", str(tmp_path))
    monkeypatch.setattr(kept, "_measured", {})
    with dt.config(rates="measured"):
        yield


def test_a_cluster_is_measured_once(measured):
    client = FakeClient({"network": 123_456.0, "latency": 0.01234})
    rates = cluster_rates(client)
    assert (rates.network, rates.latency) == (120_000, 0.012)
    assert rates.memory == shipped_rates().memory
    assert cluster_rates(client) is rates
    assert client.runs == 1


def test_tasks_take_longer_where_all_share_cores(monkeypatch):
    monkeypatch.setattr(module, "CPU_COUNT", 4)
    here = {f"tcp://127.0.0.1:{n}": {"nthreads": 3} for n in range(2)}
    base = shipped_rates()
    assert shared_core_rates(here, base)["worker_task"] == pytest.approx(base.worker_task * 2)
    assert (
        shared_core_rates({"tcp://127.0.0.1:1": {"nthreads": 1}}, base)["worker_task"]
        == base.worker_task
    )
    assert not shared_core_rates({**here, ELSEWHERE: {"nthreads": 1}}, base)
    assert not shared_core_rates({}, base)


def test_a_busy_machine_does_not_slow_what_its_workers_send_each_other(measured, monkeypatch):
    monkeypatch.setattr(module, "CPU_COUNT", 2)
    here = ["tcp://127.0.0.1:1", "tcp://127.0.0.1:2"]
    base = shipped_rates()
    busy, idle = ({"network": base.network * times, "latency": 0.001} for times in (0.006, 2))
    assert cluster_rates(FakeClient(busy, here)).network == pytest.approx(base.network / 3, 0.1)
    assert cluster_rates(FakeClient(idle, here)).network == 2 * base.network
    assert cluster_rates(FakeClient(busy)).network == busy["network"], "a network may be slow"
    assert least_network({}, base) == 0.0


def test_shipped_rates_are_not_measured():
    client = FakeClient({"network": 1.0, "latency": 1.0})
    assert cluster_rates(client) is None
    assert not client.runs


@pytest.mark.parametrize("error", [OSError(), TimeoutError(), KeyError(HERE), ValueError()])
def test_a_cluster_that_does_not_answer_is_as_shipped(measured, error):
    assert cluster_rates(FakeClient(error)).network == shipped_rates().network


def test_nothing_is_measured_where_waiting_would_block(measured):
    client = FakeClient({"network": 1.0, "latency": 1.0})
    client.asynchronous = True
    assert cluster_rates(client).network == shipped_rates().network
    assert not client.runs


def test_one_worker_sends_nothing():
    assert network_rates(FakeClient({}, [HERE])) == {}


def test_workers_on_two_hosts_go_first():
    info = dict.fromkeys([HERE, THERE, ELSEWHERE])
    assert two_workers(info) == (HERE, ELSEWHERE)
    assert two_workers(dict.fromkeys([HERE, THERE])) == (HERE, THERE)
    assert two_workers({HERE: None}) is None


@pytest.mark.parametrize(
    ("pause", "sizes"), [(0.0, module.MESSAGE_BYTES), (0.03, module.MESSAGE_BYTES[:1])]
)
def test_a_slow_network_is_sent_little(pause, sizes):
    sent = []

    async def send(function, args):
        sent.append(args)
        await asyncio.sleep(pause)

    async def echo(data):
        return data

    peer = SimpleNamespace(echo=echo, run=send)
    found = asyncio.run(probe_peer(THERE, SimpleNamespace(rpc=lambda address: peer)))
    assert len(set(sent)) == len(sizes)
    assert found["network"] > 0
    assert found["latency"] > 0


def test_what_is_kept_is_in_force_as_long_as_the_client(measured):
    client = FakeClient({})
    mine = rates_of({"network": 5.0})
    keep_cluster_rates(client, mine)
    assert cluster_rates(client) is mine
    before = len(module._known)
    del client
    gc.collect()
    assert len(module._known) == before - 1


@pytest.mark.cluster
def test_a_live_cluster_has_the_rates_of_its_network(measured):
    options = {"processes": False, "n_workers": 2, "threads_per_worker": 1}
    with Client(**options, dashboard_address=":0") as client:
        rates = cluster_rates(client)
        assert rates.latency != shipped_rates().latency
        assert current().rates is rates
        assert current().bandwidth == int(rates.network)
        assert Machine.of(current()).latency == rates.latency
        assert (dt.ones(10) + 1).sum().compute() == 20


def test_workers_that_share_cores_share_what_these_carry(monkeypatch):
    here = dict.fromkeys(["tcp://127.0.0.1:1", "tcp://127.0.0.1:2"])
    monkeypatch.setattr(module, "CPU_COUNT", 8)
    assert shared_core_bandwidth(here, 1e9) == 4 * 10**9
    monkeypatch.setattr(module, "CPU_COUNT", 1)
    assert shared_core_bandwidth(here, 1e9) == 10**9, "the two ends of one take turns"
    assert shared_core_bandwidth(dict.fromkeys([HERE, THERE]), 1e9) is None
    assert shared_core_bandwidth({}, 1e9) is None
