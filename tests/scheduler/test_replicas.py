"""Blocks that several workers hold: made, kept, not more, made again when a worker is lost."""

import time

import dask
import numpy as np
import pytest
from distributed import Client, LocalCluster, futures_of, wait

import dask_tapestry as dt
from dask_tapestry.scheduler.replicas import ReplicaKeeper

CELLS = np.arange(48.0).reshape(6, 8)
OPTIONS = {"n_workers": 3, "threads_per_worker": 1, "dashboard_address": ":0", "processes": False}
EAGER = {"distributed.scheduler.active-memory-manager.interval": "100 ms"}


@pytest.fixture(scope="module")
def cluster():
    with dask.config.set(EAGER), LocalCluster(**OPTIONS) as cluster:
        yield cluster


@pytest.fixture
def client(cluster):
    with Client(cluster) as client:
        yield client


@pytest.fixture
def x():
    return (dt.asarray(CELLS) + 1).rechunk((3, 4))


def test_two_workers_hold_each_block_and_go_on_holding_it(client, x):
    held = x.persist(replicas=2)
    _expect(client, held, 2)
    time.sleep(0.5)  # five rounds of the memory manager
    assert _copies(client, held) == {2}
    np.testing.assert_array_equal(held.compute(), CELLS + 1)


def test_a_block_of_which_nothing_is_said_has_one(client, x):
    held = (x + 1).persist()
    other = (x + 2).persist(replicas=2)
    wait(held)
    client.replicate(futures_of(held), n=3)
    _expect(client, other, 2)
    _expect(client, held, 1)


def test_persisted_ones_get_more(client, x):
    held = (x + 3).persist()
    wait(held)
    again = held.persist(replicas=3)
    _expect(client, again, 3)
    assert _keys(held) == _keys(again)


def test_several_at_once(client, x):
    held, more = dt.persist(x + 4, x.sum(axis=0), replicas=2)
    _expect(client, held, 2)
    _expect(client, more, 2)


def test_a_lost_worker_takes_nothing_with_it():
    options = OPTIONS | {"protocol": "tcp", "processes": True}
    with dask.config.set(EAGER), LocalCluster(**options) as cluster, Client(cluster) as client:
        cells = np.random.default_rng(0).normal(size=(40, 40))
        held = (dt.asarray(cells) * 2).rechunk((10, 10)).persist(replicas=2)
        _expect(client, held, 2)
        began = client.run_on_scheduler(_computed)
        client.run_on_scheduler(_close_one)
        np.testing.assert_array_equal(held.compute(), cells * 2)
        _expect(client, held, 2)
        assert client.run_on_scheduler(_computed) - began <= 3  # the results': no block again


def test_forgotten_keys_are_forgotten_here():
    keeper = ReplicaKeeper()
    keeper.keep(["x", "y"], 2)
    keeper.keep(["x"], 3)
    keeper.keep(["x"], 1)
    keeper.transition("x", "memory", "released")
    assert keeper.wanted == {"x": 3, "y": 2}
    keeper.transition("x", "released", "forgotten")
    keeper.transition("z", "released", "forgotten")
    assert keeper.wanted == {"y": 2}


def test_without_an_active_memory_manager(x):
    off = {"distributed.scheduler.active-memory-manager.start": False}
    with (
        dask.config.set(EAGER | off),
        LocalCluster(**OPTIONS) as cluster,
        Client(cluster) as client,
    ):
        held = x.persist(replicas=2)
        _expect(client, held, 2)


def test_memory_is_bounded(client):
    """Workers of 700 MB that may be filled hold one copy of 1.2 GB and not two."""
    with dt.config(resources=dt.Resources(workers=3, threads=1, memory="1 GB")):
        x = dt.zeros((150, 10**6)) + 1
        with pytest.raises(dt.MemoryLimitError, match="2 copies of the results need"):
            x.persist(replicas=2)


def test_wrong_uses(client, x):
    with pytest.raises(dt.PlanError, match="4 replicas need that many workers; there are 3"):
        x.persist(replicas=4)
    for wrong in (0, -1, 1.5, "2"):
        with pytest.raises((TypeError, ValueError), match="replicas"):
            x.persist(replicas=wrong)


def test_without_a_cluster(x):
    with pytest.raises(dt.PlanError, match="they need a Dask client"):
        x.persist(replicas=2)


def _copies(client, x):
    return {len(workers) for workers in client.who_has(futures_of(x)).values()}


def _keys(x):
    return [future.key for future in futures_of(x)]


def _expect(client, x, copies):
    for _ in range(100):
        if _copies(client, x) == {copies}:
            return
        time.sleep(0.1)
    assert _copies(client, x) == {copies}


def _wanted(dask_scheduler):
    return set(map(str, dask_scheduler.plugins[ReplicaKeeper.name].wanted))


def _computed(dask_scheduler):
    return dask_scheduler.transition_counter and sum(
        1 for entry in dask_scheduler.transition_log if entry.finish == "processing"
    )


async def _close_one(dask_scheduler):
    address, *_ = dask_scheduler.workers
    await dask_scheduler.remove_worker(address, stimulus_id="lost", close=True)
