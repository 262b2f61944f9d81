"""Arrays in the client's memory; in `test_cluster` workers die that had been sent some."""

import gc
import pickle
import time
from types import SimpleNamespace

import dask
import numpy as np
import pytest
from distributed import Client

import dask_tapestry as dt
from dask_tapestry.errors import StoreError
from dask_tapestry.lower.client_arrays import (
    SHELF,
    ClientArrays,
    InputRegistry,
    Lease,
    ServedArrayLayer,
)
from dask_tapestry.planner.tuning import EMBEDDED_BYTES
from dask_tapestry.zspace import Cuts

LARGE = EMBEDDED_BYTES // 8 * 3


class FakeClient:
    """A client that knows of some futures."""

    status = "running"

    def __init__(self, *keys):
        self.futures, self.topics = dict.fromkeys(keys), []
        self.loop = SimpleNamespace(add_callback=lambda function: None)

    def subscribe_topic(self, topic, handler):
        self.topics.append(topic)


@pytest.fixture
def clients(monkeypatch):
    found = [FakeClient("wanted")]
    monkeypatch.setattr("dask_tapestry.lower.client_arrays.live_clients", lambda: found)
    monkeypatch.setattr("dask_tapestry.lower.leases.live_clients", lambda: found)
    return found


def offered(shelf, results):
    """The name of an array on a shelf, whose lease has ended already."""
    arrays = ClientArrays(shelf)
    layer = arrays.offer(dt.asarray(np.ones(9)).node)
    arrays.needed_for(results)
    return layer.name


def test_blocks_of_an_offer_make_up_the_array(clients):
    data = np.arange(3 * 2**21, dtype="f8").reshape(3, -1)
    layer = ClientArrays(InputRegistry()).offer(dt.asarray(data).node)
    assert len(layer) > 1
    blocks = [layer[key]({}) for key in layer]
    np.testing.assert_array_equal(np.vstack(blocks), data)
    assert all(np.shares_memory(block, data) for block in blocks), "blocks are views"


def test_an_array_that_is_read_whole_is_one_block(clients):
    data = np.arange(3 * 2**21, dtype="f8").reshape(3, -1)
    whole = tuple(Cuts.regular(n, n) for n in data.shape)
    assert len(ClientArrays(InputRegistry()).offer(dt.asarray(data).node, whole)) == 1


def test_an_array_is_offered_once_and_every_client_listens(clients):
    shelf = InputRegistry()
    arrays, node = ClientArrays(shelf), dt.asarray(np.ones(9)).node
    first = arrays.offer(node)
    clients.append(FakeClient())
    assert arrays.offer(node).name == first.name
    assert len(shelf) == 1
    arrays.offer(dt.asarray(np.ones(8)).node)
    assert [c.topics for c in clients] == [[shelf.topic]] * 2


def test_cells_do_not_travel_with_the_graph():
    data = np.ones(LARGE)
    layer = ServedArrayLayer("s", (Cuts.regular(LARGE, 1000),), "topic", data, Lease())
    text = pickle.dumps(layer)
    assert len(text) < 1000
    far = pickle.loads(text)
    assert list(far) == list(layer)
    assert far.data is None
    assert far["s", 0].data_producer


@pytest.mark.parametrize(
    ("results", "kept"), [({"wanted"}, True), ({"other"}, False), (None, True), ((), False)]
)
def test_an_array_is_kept_for_results_that_are_awaited(results, kept, clients):
    shelf = InputRegistry()
    offered(shelf, results)
    gc.collect()
    assert shelf.sweep() is kept
    assert len(shelf) == kept
    clients[0].futures.clear()
    assert not shelf.sweep()
    assert not len(shelf)


def test_an_array_is_kept_while_its_lease_is_held(clients):
    shelf = InputRegistry()
    arrays = ClientArrays(shelf)
    layer = arrays.offer(dt.asarray(np.ones(9)).node)
    arrays.needed_for(())
    del arrays
    shelf.sweep()
    assert len(shelf) == 1, "the layer holds it"
    del layer
    gc.collect()
    shelf.sweep()
    assert not len(shelf)


def test_without_clients_nothing_is_kept(clients):
    shelf = InputRegistry()
    clients.clear()
    offered(shelf, None)
    gc.collect()
    assert not len(shelf)


@pytest.fixture
def nothing_ahead(monkeypatch):
    """All blocks are asked for."""
    monkeypatch.setattr("dask_tapestry.lower.client_arrays.send_ahead", lambda *_: None)


@pytest.fixture(scope="module")
def cluster():
    options = {"processes": False, "dashboard_address": ":0", "n_workers": 2}
    with Client(**options, threads_per_worker=1) as client:
        yield client


def until(condition):
    end = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_arrays_are_computed_with_on_a_cluster_and_let_go(cluster, nothing_ahead):
    data = np.arange(LARGE, dtype="f8")
    x = dt.asarray(data)
    np.testing.assert_array_equal((x * 2 + x[::-1]).compute(), data * 2 + data[::-1])
    kept = (x + 1).persist()
    assert len(SHELF) >= 1
    np.testing.assert_array_equal(kept.compute(), data + 1)
    del kept, x
    gc.collect()
    until(lambda: not len(SHELF))


def test_futures_alone_keep_an_array(cluster, nothing_ahead):
    data = np.ones(LARGE)
    x = dt.asarray(data)
    future = cluster.compute((x + 1).sum())
    late = cluster.compute(dask.delayed(np.sum)(dt.asarray(data * 2).to_delayed().ravel()[0]))
    del x
    gc.collect()
    assert future.result() == 2 * LARGE
    assert late.result() > 0


def test_an_array_that_was_let_go_is_named(cluster):
    x = dt.asarray(np.ones(LARGE))
    graph = dict((x + 1).__dask_graph__())
    layer = pickle.loads(pickle.dumps(ClientArrays().offer(x.node)))
    assert graph
    SHELF._lent.clear()
    with pytest.raises(StoreError, match="let go"):
        cluster.get({layer.name: layer[(layer.name, 0)]}, layer.name)


def test_without_clients_what_is_leased_is_kept(clients):
    """A client that comes later may be asked to compute it."""
    shelf = InputRegistry()
    arrays = ClientArrays(shelf)
    layer = arrays.offer(dt.asarray(np.ones(9)).node)
    arrays.needed_for(())
    del arrays
    clients.clear()
    offered(shelf, None)
    gc.collect()
    assert len(shelf) == 1
    assert layer.lease is not None


def test_a_graph_that_was_written_under_another_client_is_computed(cluster):
    """The later client is asked for the array, after the first one has gone."""
    data = np.arange(LARGE, dtype="f8")
    options = {"processes": False, "dashboard_address": ":0", "n_workers": 1}
    with Client(**options, set_as_default=False) as first, first.as_current():
        doubled = (dt.asarray(data) * 2).to_dask_array()
    assert cluster.compute(doubled.sum()).result(timeout=60) == 2 * data.sum()
    with Client(**options, set_as_default=False) as later, later.as_current():
        assert later.compute(doubled.max()).result(timeout=60) == 2 * (LARGE - 1)


def test_a_block_that_could_not_be_sent_is_asked_for_again(cluster, nothing_ahead, monkeypatch):
    """Nothing can be sent to a worker that is paused just then."""
    monkeypatch.setattr("dask_tapestry.lower.client_arrays.ASK_AGAIN_SECONDS", 0.3)
    scatter, asked = cluster._scatter, []

    async def fails_at_first(data, **options):
        asked.append(data)
        if len(asked) < 3:
            raise TimeoutError("No valid workers found")
        return await scatter(data, **options)

    monkeypatch.setattr(cluster, "_scatter", fails_at_first)
    data = np.arange(LARGE, dtype="f8")
    assert (dt.asarray(data) + 1).sum().compute() == data.sum() + LARGE
    assert len(asked) >= 3


def test_a_worker_that_closes_leaves_the_block_to_another(cluster, nothing_ahead, monkeypatch):
    """It would wait for the task, and nothing is sent to it."""
    asked = []

    async def nothing_is_sent(data, **options):
        asked.append(options)
        raise TimeoutError("No valid workers found")

    monkeypatch.setattr(cluster, "_scatter", nothing_is_sent)
    future = cluster.compute(
        dt.asarray(np.ones(LARGE)) + 1, workers=["0"], allow_other_workers=True
    )
    until(lambda: asked)
    (address,) = {w for one in asked for w in one["workers"]}
    monkeypatch.undo()
    cluster.retire_workers([address], close_workers=True)
    np.testing.assert_array_equal(future.result(timeout=5), np.full(LARGE, 2.0))
