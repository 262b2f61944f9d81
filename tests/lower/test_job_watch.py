"""Jobs on a cluster: counted, bounded, told by the scheduler."""

import os
import time

import numpy as np
import pytest
from distributed import Client, LocalCluster, wait

import dask_tapestry as dt
from dask_tapestry.lower.cluster_jobs import jobs_of
from dask_tapestry.lower.job_watch import NAME
from dask_tapestry.lower.tuning import JOBS_REMEMBERED

pytestmark = pytest.mark.cluster
CELLS = np.random.default_rng(0).normal(size=(200, 200))


@pytest.fixture(scope="module")
def client():
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    with LocalCluster(**options) as cluster, Client(cluster) as client:
        yield client


def blocks(function=None):
    x = dt.asarray(CELLS).rechunk((20, 200))
    return x * 2 if function is None else x.map_blocks(function, dtype="f8")


def last(client, state=None):
    until = time.monotonic() + 20
    while True:
        job = jobs_of(client)["jobs"][0]
        if state is None or job["state"] == state or time.monotonic() > until:
            return job
        time.sleep(0.05)


def test_tasks_seconds_and_bytes_of_each_step(client):
    held = blocks().persist()
    wait(held)
    job = last(client, "done")
    assert job["state"] == "done"
    step = job["steps"][-1]
    assert step["words"] == "multiply"
    assert step["line"].startswith("test_job_watch.py:")
    told = step["measured"]
    assert told["tasks"] == told["done"] == told["memory"] == step["blocks"]
    assert told["bytes"] >= CELLS.nbytes
    assert told["compute"] > 0
    assert set(job["by_worker"]) <= set(client.scheduler_info(n_workers=-1)["workers"])


def test_futures_and_computes(client):
    assert client.compute(blocks().sum()).result() == pytest.approx(2 * CELLS.sum())
    assert last(client, "done")["steps"][-1]["words"] == "sum"
    np.testing.assert_array_equal(blocks().compute(), CELLS * 2)
    assert last(client, "done")["state"] == "done"


def test_a_job_that_fails_says_in_which_step(client):
    def wrong(block):
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        blocks(wrong).compute()
    job = last(client, "failed")
    assert job["state"] == "failed"
    assert [s["words"] for s in job["steps"] if s["measured"]["erred"]] == ["wrong"]


def test_a_job_that_is_cancelled(client):
    def slow(block):
        time.sleep(0.3)
        return block

    held = blocks(slow).persist()
    while not any(step["measured"]["running"] for step in last(client)["steps"][-1:]):
        time.sleep(0.02)  # the first steps are told a moment after the job
    client.cancel(held)
    assert last(client, "cancelled")["state"] == "cancelled"


def test_several_jobs_at_once(client):
    def slow(block):
        time.sleep(0.05)
        return block + 1

    one, two = blocks(slow).persist(), (blocks() - 1).persist()
    wait([one, two])
    words = [job["steps"][-1]["words"] for job in jobs_of(client)["jobs"][:2]]
    assert sorted(words) == ["slow", "subtract"]


def test_a_killed_worker_leaves_the_count_right():
    def slow(block, pid=None):
        time.sleep(0.1)
        return block

    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    with LocalCluster(**options) as cluster, Client(cluster) as client:
        held = blocks(slow).persist()
        while last_or_none(client) is None or not last(client)["steps"][-1]["measured"]["done"]:
            time.sleep(0.02)
        pids = client.run(os.getpid)
        os.kill(sorted(pids.values())[0], 9)
        wait(held)
        job = last(client, "done")
        told = job["steps"][-1]["measured"]
        assert (job["state"], told["done"]) == ("done", told["tasks"])
        assert told["runs"] >= told["tasks"]


def last_or_none(client):
    jobs = jobs_of(client)["jobs"]
    return jobs[0] if jobs else None


def test_only_the_last_jobs_are_remembered(client):
    for number in range(JOBS_REMEMBERED + 5):
        (dt.asarray(np.ones(3)) + number).compute()
    assert len(jobs_of(client)["jobs"]) == JOBS_REMEMBERED
    found = client.run_on_scheduler(left)
    assert found["steps"] == 0
    assert found["plugins"] == 1


def left(dask_scheduler):
    watched = dask_scheduler.plugins[NAME]
    watched.look()
    return {
        "steps": len(watched._steps),
        "plugins": sum(type(p).__name__ == "JobWatch" for p in dask_scheduler.plugins.values()),
    }
