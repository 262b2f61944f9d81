"""What is sent ahead of a graph; `test_cluster` kills a worker that was sent some."""

import asyncio
import gc
import time
from types import SimpleNamespace
from weakref import ref

import numpy as np
import pytest
from distributed import Client, wait
from distributed.worker_state_machine import FreeKeysEvent

import dask_tapestry as dt
from dask_tapestry.lower import client_arrays, input_prefetch
from dask_tapestry.lower.client_arrays import Lease
from dask_tapestry.lower.input_prefetch import blocks_by_worker, reaches, send_ahead
from dask_tapestry.lower.tuning import FULL_MEMORY

ROW = 2**18  # cells of 2 MiB: too many to travel in tasks


@pytest.fixture(scope="module")
def cluster():
    options = {"processes": False, "dashboard_address": ":0", "n_workers": 2}
    with Client(**options, threads_per_worker=1) as client:
        yield client


@pytest.fixture
def asked(monkeypatch):
    """The blocks that tasks ask for."""
    found, usual = [], client_arrays.InputRegistry._asked

    def noted(self, client, wish):
        found.append(wish["block"])
        usual(self, client, wish)

    monkeypatch.setattr(client_arrays.InputRegistry, "_asked", noted)
    return found


def held(client):
    """Names of what workers hold."""
    tasks = client.cluster.scheduler.tasks.items()
    return {key[0] for key, task in tasks if isinstance(key, tuple) and task.state == "memory"}


def until(condition):
    end = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def worker(**other):
    return {"status": "running", "nthreads": 1, "memory_limit": 0} | other


def test_a_worker_is_sent_what_it_has_room_for():
    blocks = [(("x", i), np.zeros(100, "u1")) for i in range(8)]
    half = round(350 / FULL_MEMORY)
    workers = {"a": worker(memory_limit=half), "b": worker(memory_limit=0)}
    found = blocks_by_worker([blocks], workers)
    assert [key[1] for key, _ in found["a"]] == [0, 1, 2]
    assert [key[1] for key, _ in found["b"]] == [4, 5, 6, 7]
    workers["a"]["metrics"] = {"memory": 160}
    assert len(blocks_by_worker([blocks], workers)["a"]) == 1
    assert len(blocks_by_worker([blocks, blocks], workers)["b"]) == 8


def test_without_workers_nothing_is_sent():
    blocks = [(("x", 0), np.ones(3))]
    assert blocks_by_worker([blocks], {}) == {}
    assert blocks_by_worker([blocks], {"a": worker(status="paused")}) == {}


def test_nothing_is_asked_for_and_nothing_stays(cluster, asked):
    data = np.arange(24 * ROW, dtype="f8").reshape(24, -1)
    x = dt.asarray(data)
    assert x.sum().compute() == data.sum()
    np.testing.assert_array_equal((x[::-1] * 2).compute(), data[::-1] * 2)
    assert not asked
    kept = (x + 1).persist()
    wait(kept)
    until(lambda: not any("memory" in name for name in held(cluster)))
    assert kept[3, 5].compute() == data[3, 5] + 1


def test_what_has_no_room_is_asked_for(cluster, asked, monkeypatch):
    whole = input_prefetch.blocks_by_worker
    monkeypatch.setattr(
        input_prefetch,
        "blocks_by_worker",
        lambda *told: {a: b[:1] for a, b in whole(*told).items()},
    )
    data = np.arange(24 * ROW, dtype="f8").reshape(24, -1)
    rows = dt.asarray(data).rechunk((8, -1)).sum(axis=1)
    np.testing.assert_array_equal(rows.compute(), data.sum(axis=1))
    assert len({tuple(block) for block in asked if block is not None}) == 1


def test_a_worker_that_has_died_since_is_known_as_dead(cluster, asked, monkeypatch):
    """The scheduler is told that it has what was sent, and forgets what it was told."""
    tell = input_prefetch.tell_scheduler

    async def too_late(client, who_has, sizes):
        key = next(iter(who_has))
        for one in client.cluster.workers.values():
            one.handle_stimulus(FreeKeysEvent(keys=[key], stimulus_id="died"))
        return await tell(client, who_has | {key: ["tcp://127.0.0.1:1"]}, sizes)

    monkeypatch.setattr(input_prefetch, "tell_scheduler", too_late)
    data = np.ones((12, ROW))
    assert dt.asarray(data).sum().compute() == data.size
    assert asked


def test_workers_out_of_reach_are_not_waited_for_twice(cluster):
    connects = []

    async def fails(address):
        connects.append(address)
        raise OSError

    far = SimpleNamespace(id="far", rpc=SimpleNamespace(connect=fails))
    assert not asyncio.run(reaches(far, "tcp://a"))
    assert not asyncio.run(reaches(far, "tcp://a"))
    assert connects == ["tcp://a"]
    address = next(iter(cluster.scheduler_info()["workers"]))
    assert cluster.sync(reaches, cluster, address)


def test_what_is_never_read_goes_with_its_lease(cluster):
    lease = Lease()
    send_ahead(cluster, [[(("never-read", 0), np.ones(9))]], ("no result", 0), lease)
    assert "never-read" in held(cluster)
    gone = ref(lease)
    del lease
    gc.collect()
    assert gone() is None
    until(lambda: "never-read" not in held(cluster))


def test_a_client_that_cannot_wait_sends_nothing():
    send_ahead(SimpleNamespace(asynchronous=True), [], ("x", 0), Lease())
