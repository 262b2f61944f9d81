"""Clusters whose workers come and go while they compute."""

import time
from threading import Thread

import dask
import numpy as np
import pytest
import zarr
from distributed import Client, LocalCluster

import dask_tapestry as dt
from dask_tapestry.planner.machine.resources import current

pytestmark = pytest.mark.cluster
CELLS = np.random.default_rng(0).random((600, 2000))
OPTIONS = {"threads_per_worker": 1, "memory_limit": "1 GB", "dashboard_address": ":0"}
LATEST = 60.0  # seconds in which each of these jobs has ended
SWIFTLY = {"interval": "50 ms", "target_duration": "200 ms", "wait_count": 1}


def slowly(block):
    """A block, after a while."""
    time.sleep(0.02)
    return block * 2


def jobs(folder):
    """Lazy values of stored data and of arrays in memory, beside what they are."""
    x, y = dt.from_zarr(folder / "x").map_blocks(slowly, dtype="f8"), dt.asarray(CELLS)
    wide = dt.asarray(CELLS[:, ::2].copy())
    doubled = CELLS * 2
    return {
        "fold": (x.sum(axis=0), doubled.sum(axis=0)),
        "deviation": ((x - x.mean(axis=0)).std(axis=0), (doubled - doubled.mean(axis=0)).std(0)),
        "memory": (x + y[::-1], doubled + CELLS[::-1]),
        "product": (wide.T @ wide, CELLS[:, ::2].T @ CELLS[:, ::2]),
    }


@pytest.fixture
def folder(tmp_path):
    zarr.create_array(tmp_path / "x", data=CELLS, chunks=(50, 500), compressors=None)
    return tmp_path


def test_a_cluster_that_adapts(folder):
    """It begins with one worker, grows to three while there is work, and shrinks again."""
    with LocalCluster(n_workers=1, **OPTIONS) as cluster, Client(cluster) as client:
        cluster.adapt(minimum=1, maximum=3, **SWIFTLY)
        assert (current().workers, current().threads) == (3, 1)
        seen = set()
        for name, (array, value) in jobs(folder).items():
            future, end = client.compute(array), time.monotonic() + LATEST
            while not future.done():
                assert time.monotonic() < end, name
                seen.add(len(client.scheduler_info(n_workers=-1)["workers"]))
                time.sleep(0.02)
            np.testing.assert_allclose(future.result(LATEST), value, err_msg=name)
        assert max(seen) > 1, "it has grown"
        dt.to_zarr(dt.from_zarr(folder / "x") + 1, folder / "y", chunks=(100, 300))
        np.testing.assert_array_equal(zarr.open_array(folder / "y")[...], CELLS + 1)


def test_what_is_kept_outlives_the_worker_it_lay_on(folder):
    with LocalCluster(n_workers=3, **OPTIONS) as cluster, Client(cluster) as client:
        (kept,) = dask.persist(dt.from_zarr(folder / "x").map_blocks(slowly, dtype="f8"))
        sent = (dt.asarray(CELLS) + 1).rechunk((100, 1000)).persist()
        np.testing.assert_allclose(kept.sum(axis=0).compute(), 2 * CELLS.sum(axis=0))
        cluster.scale(1)
        end = time.monotonic() + LATEST
        while len(client.scheduler_info(n_workers=-1)["workers"]) > 1:
            assert time.monotonic() < end
            time.sleep(0.02)
        np.testing.assert_array_equal(kept.compute(), CELLS * 2)
        np.testing.assert_array_equal(sent.compute(), CELLS + 1)


@pytest.mark.exhaustive  # a cluster that adapts has workers come and go too
def test_workers_that_come_and_go_by_hand(folder):
    with LocalCluster(n_workers=2, **OPTIONS) as cluster, Client(cluster) as client:
        going = True

        def scale():
            """Scale on the cluster's own loop: two threads may not change its specification."""
            while going:
                for count in (3, 1, 2):
                    cluster.loop.add_callback(cluster.scale, count)
                    time.sleep(0.4)

        scaling = Thread(target=scale)
        scaling.start()
        try:
            for name, (array, value) in jobs(folder).items():
                found = client.compute(array).result(LATEST)
                np.testing.assert_allclose(found, value, err_msg=name)
        finally:
            going = False
            scaling.join()


def test_a_cluster_without_workers_grows_when_it_is_asked(folder):
    """The plan is for the workers that the cluster would make, not for this machine."""
    with LocalCluster(n_workers=0, **OPTIONS) as cluster, Client(cluster) as client:
        cluster.adapt(minimum=0, maximum=2, **SWIFTLY)
        planned = current()
        assert (planned.workers, planned.threads, planned.memory) == (2, 1, 10**9)
        assert not planned.local
        array, value = jobs(folder)["memory"]
        np.testing.assert_array_equal(client.compute(array).result(LATEST), value)
        cluster.scale(1)
        assert current().workers <= 2, "it does not adapt any more"
