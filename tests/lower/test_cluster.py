"""Workers and schedulers in other processes."""

import os
import subprocess
import sys
from pathlib import Path

import dask
import numpy as np
import pytest
import zarr
from distributed import Client, LocalCluster, wait

import dask_tapestry as dt
from dask_tapestry.memory.process_memory import process_memory
from tests.covering import beyond

from .peaks import REFERENCES, SPARE, needs_counters, status
from .sources import Deadly, Failing, Recorded, causes

ROOT = Path(__file__).parents[2]
CELLS = np.arange(100.0).reshape(10, 10)

pytestmark = pytest.mark.cluster


def job():
    """An array whose plan has several steps, and its value."""
    x = (dt.asarray(CELLS) + 1).rechunk((5, 4))
    return x - x.mean(axis=0), CELLS - CELLS.mean(axis=0)


def everything(client, folder):
    """What must work on any cluster."""
    x, value = job()
    np.testing.assert_allclose(x.compute(), value, atol=1e-12)
    source = Recorded(CELLS, folder / "reads")
    y = dt.from_array(source)
    assert dask.compute(y.sum(), y.max()) == (CELLS.sum(), 99)
    assert len(source.reads) == 1
    held = client.persist(x)
    wait(held)
    np.testing.assert_allclose((held * 2).compute(), 2 * value, atol=1e-12)
    large = dt.asarray(np.arange(300_000.0))
    assert (large[::2] + 1).sum().compute() == np.arange(1, 300_000, 2.0).sum()
    dt.to_zarr(x, folder / "x.zarr", chunks=(3, 10))
    np.testing.assert_allclose(zarr.open_array(folder / "x.zarr")[:], value, atol=1e-12)
    assert "dask_tapestry" not in zarr.open_array(folder / "x.zarr").attrs
    np.testing.assert_allclose(dt.from_zarr(folder / "x.zarr")[2].compute(), value[2], atol=1e-12)
    with pytest.raises(OSError, match="on fire") as caught:
        dt.from_array(Failing((4, 2))).sum().compute()
    assert "while computing array(" in str(caught.value)
    with pytest.raises((dt.StoreError, TypeError)) as caught:
        dt.to_zarr(x, zarr.storage.MemoryStore())
    assert "another process" in causes(caught.value)


def test_the_multiprocessing_scheduler(tmp_path):
    x, value = job()
    np.testing.assert_allclose(x.compute(scheduler="processes"), value, atol=1e-12)
    source = Recorded(CELLS, tmp_path / "reads")
    y = dt.from_array(source)
    assert dask.compute(y.sum(), y.max(), scheduler="processes") == (CELLS.sum(), 99)
    assert len(source.reads) == 1
    with pytest.raises(dt.StoreError, match="another process"):
        dt.to_zarr(x, zarr.storage.MemoryStore(), scheduler="processes")


def test_a_local_cluster_of_processes(tmp_path):
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    with LocalCluster(**options) as cluster, Client(cluster) as client:
        everything(client, tmp_path)


def begin_anew():
    """Forget how much this worker has held; return how much it holds."""
    REFERENCES.write_text("5")
    return status("VmRSS")


@needs_counters
def test_small_workers_hold_what_the_plan_says(tmp_path):
    """The first jobs read 64 MB; kept memory is no more than a tenth of a worker's."""
    data = np.random.default_rng(0).random((2, 4000, 1000))
    for name, cells in zip("xy", data, strict=True):
        zarr.create_array(tmp_path / name, data=cells, chunks=(1000, 500), compressors=None)
    x, y = (dt.from_zarr(tmp_path / name) for name in "xy")
    differences = abs((x - y)[1:] - (x - y)[:-1]).max(axis=1)
    weights = np.random.default_rng(1).random((1000, 16_000))  # 128 MB, read whole: joined nowhere
    product = (x[:500] @ dt.asarray(weights)).max(axis=1)
    options = {"n_workers": 2, "threads_per_worker": 1, "memory_limit": "600 MB"}
    with LocalCluster(**options, dashboard_address=":0") as cluster, Client(cluster) as client:
        assert client.submit(process_memory).result() == 600 * 10**6
        for job, value in (
            (differences, abs(np.diff(data[0] - data[1], axis=0)).max(axis=1)),
            (dt.median(x, axis=0), np.median(data[0], axis=0)),
            (product, (data[0, :500] @ weights).max(axis=1)),
        ):
            predicted = dt.plan(job).cost["peak_worker_bytes"]
            before = client.run(begin_anew)
            np.testing.assert_allclose(job.compute(), value, rtol=1e-12)
            peaks = client.run(status, "VmHWM")
            assert max(peaks[w] - before[w] for w in peaks) < predicted + SPARE


@needs_counters
@pytest.mark.parametrize("read", ["both", beyond("one")])
def test_large_chunks_are_decoded_one_by_one(tmp_path, read):
    """Two of them, as stored and decoded, would not fit on a worker whose two threads are free."""
    rows = np.arange(4.0).repeat(500)
    shape, chunks = (2000, 48_000), (1000, 48_000)  # 384 MB a chunk, a few kB as stored
    stored = zarr.create_array(tmp_path / "x", shape=shape, chunks=chunks, dtype="f8")
    for chunk in range(0, 2000, 1000):
        stored[chunk : chunk + 1000] = np.broadcast_to(rows[chunk : chunk + 1000, None], chunks)
    x = dt.from_zarr(tmp_path / "x")
    options = {"n_workers": 1, "threads_per_worker": 2, "memory_limit": "1.3 GB"}
    with LocalCluster(**options, dashboard_address=":0") as cluster, Client(cluster) as client:
        job, value = {
            "one": (x[100:110], np.zeros((10, 48_000))),
            "both": (x[::400, :9].sum(axis=1), 9 * rows[::400]),
        }[read]
        plan = dt.plan(job)
        assert any(step.machine.alone for step in plan.core.steps.values())
        before = client.run(begin_anew)
        np.testing.assert_array_equal(job.compute(), value)
        peaks = client.run(status, "VmHWM")
        assert max(peaks[w] - before[w] for w in peaks) < plan.cost["peak_worker_bytes"] + SPARE


@pytest.fixture
def scheduler_file(tmp_path):
    """A scheduler and a worker that were started as programs, as on a batch cluster."""
    file = tmp_path / "scheduler.json"
    environment = os.environ | {"PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'kernels'}"}
    shared = ["--scheduler-file", str(file), "--no-dashboard"]
    commands = [
        ["distributed.cli.dask_scheduler", "--port", "0"],
        ["distributed.cli.dask_worker", "--nthreads", "2", "--no-nanny"],
    ]
    processes = [
        subprocess.Popen(
            [sys.executable, "-m", *command, *shared],
            env=environment,
            cwd=tmp_path,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for command in commands
    ]
    yield file
    for process in reversed(processes):
        process.terminate()
        process.wait(timeout=20)


def test_a_scheduler_and_a_worker_of_their_own(scheduler_file, tmp_path):
    with Client(scheduler_file=str(scheduler_file), timeout=60) as client:
        client.wait_for_workers(1, timeout=60)
        everything(client, tmp_path)


def test_a_worker_that_is_lost_loses_nothing_that_was_written(tmp_path):
    """Its tasks are done again, among them the one that makes the store ready."""
    options = {"n_workers": 1, "threads_per_worker": 1, "dashboard_address": ":0"}
    expected = CELLS[::-1] + CELLS
    with LocalCluster(**options) as cluster, Client(cluster), dt.config(block_bytes=160):
        for kind in ("new", "replaced", "grown"):
            path = tmp_path / kind
            x = dt.from_array(Deadly(CELLS, tmp_path / f"{kind}.dead"))
            if kind == "new":
                dt.to_zarr(x, path, chunks=(2, 10))
                np.testing.assert_array_equal(zarr.open_array(path)[...], CELLS)
                continue
            dt.to_zarr(CELLS, path, chunks=(2, 10))
            if kind == "replaced":
                dt.to_zarr(dt.from_zarr(path)[::-1] + x, path, chunks=(2, 10), overwrite=True)
                np.testing.assert_array_equal(zarr.open_array(path)[...], expected)
            else:
                dt.to_zarr(x, path, append_dim=0)
                np.testing.assert_array_equal(zarr.open_array(path)[...], [*CELLS, *CELLS])
            assert (tmp_path / f"{kind}.dead").exists()


@pytest.mark.parametrize("kept", [False, True])
def test_a_worker_that_is_lost_is_sent_its_part_of_an_array_again(kept, tmp_path):
    data = np.arange(600_000.0).reshape(600, 1000)
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    with LocalCluster(**options) as cluster, Client(cluster) as client:
        x = dt.asarray(data)
        if kept:
            x = (x + 0).persist()
            wait(x)
            holders = set().union(*client.who_has(x).values())
            assert holders
        dead = dt.from_array(Deadly(data, tmp_path / "dead"))
        np.testing.assert_array_equal((x[::-1] + dead).compute(), data[::-1] + data)
        assert (tmp_path / "dead").exists()


def test_what_is_persisted_is_optimized():
    options = {"n_workers": 2, "threads_per_worker": 1, "memory_limit": "1GB"}
    with LocalCluster(**options, dashboard_address=":0") as cluster, Client(cluster):
        x = dt.ones((4, 4), chunks=(2, 2)).persist()
        for given in ([x], [x, x.sum()], [x + 1, x]):
            found = dask.optimize(*given)
            for before, now in zip(given, found, strict=True):
                assert now.chunks == before.chunks
                np.testing.assert_array_equal(now.compute(), before.compute())
                np.testing.assert_array_equal((now + 1).compute(), before.compute() + 1)
                np.testing.assert_array_equal(*dask.compute(dask.optimize(now)[0], before))
