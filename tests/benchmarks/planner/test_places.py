"""Each run starts from the same blocks on the same workers, and computes all of its own."""

import distributed
import pytest

import dask_tapestry as dt
from benchmarks.planner import places


@pytest.fixture
def client():
    with (
        places.dask.config.set(places.KEEP_COPIES),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def test_copies_are_dropped_where_blocks_were_not_at_first(client):
    workers = places.Workers(client)
    (home, other) = client.scheduler_info()["workers"]
    block = client.submit(list, range(9), workers=[home])
    distributed.wait(block)
    workers.restore()
    assert client.submit(len, block, workers=[other], pure=False).result() == 9
    assert len(client.who_has(block)[block.key]) == 2
    workers.restore()
    assert client.who_has(block)[block.key] == [home]


class Plan:
    """One that computes a value under one key."""

    def __init__(self, client):
        self.client = client

    def persist(self):
        return self.client.submit(list, range(9), key="value")


def test_each_run_computes_its_results_again(client):
    workers, plan = places.Workers(client), Plan(client)
    for _ in range(2):
        workers.restore()
        assert not client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks))
        workers.run(plan)


def test_results_that_somebody_holds_are_no_work(client, monkeypatch):
    monkeypatch.setattr(places, "PATIENCE", 0.0)
    workers, plan = places.Workers(client), Plan(client)
    held = plan.persist()
    workers.run(plan)
    with pytest.raises(RuntimeError, match="somebody holds"):
        workers.restore()
    assert held.result() == list(range(9))


@pytest.mark.parametrize("name", ["threads", "one"])
def test_a_plan_is_timed_in_this_process(name):
    with places.PLACES[name]() as place:
        assert place.resources.local
        assert 0 < places.timed(place, dt.arange(9.0).plan()) < 60
