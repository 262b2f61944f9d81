"""Computes that write for themselves: on threads, on a cluster, failing, killed."""

import gc
import os
import signal
import time
from functools import partial
from threading import Thread

import dask
import numpy as np
import pytest
import zarr

import dask_tapestry as dt
from dask_tapestry.io.stores.temporary_folder import claim
from dask_tapestry.lower.temporary_values import (
    REMOVER,
    RUN_FOLDERS,
    RunFolder,
    lease_of_folder,
)
from dask_tapestry.planner.rewriting.exchanged_values import EXCHANGED, number_of
from dask_tapestry.planner.rewriting.rule_choices import form_named

SHAPE = (96, 120, 128)  # 12 MB of float64


@pytest.fixture
def maps(tmp_path):
    cells = np.random.default_rng(0).random(SHAPE)
    array = zarr.create_array(tmp_path / "maps.zarr", data=cells, chunks=(1, *SHAPE[1:]))
    return array, cells


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "temporary"
    folder.mkdir()
    with dt.config(temporary_store=folder):
        yield folder
    gc.collect()  # an error keeps what failed as long as it is there itself
    end = time.monotonic() + 10
    while list(folder.iterdir()) and time.monotonic() < end:
        time.sleep(0.05)  # another thread removes
    assert not list(folder.iterdir()), "nothing is left"


def exchanged(x, sides):
    """An array that goes through a store in chunks of these sides."""
    form = form_named(x.node, EXCHANGED, ())
    return dt.Array(form.make(x.node, number_of(sides, x.shape)))


def pencils(array, folder):
    x = exchanged(dt.from_zarr(array.store.root), (8, 16, 16))
    return x.to_zarr(folder / "pencils.zarr", chunks=(SHAPE[0], 8, 8), compute=False)


@pytest.mark.few(2)  # as unlike as so many can be
@pytest.mark.parametrize("scheduler", ["threads", "sync", "processes"])
def test_maps_become_pencils(maps, root, tmp_path, scheduler):
    array, cells = maps
    with dask.config.set(scheduler=scheduler):
        pencils(array, tmp_path).compute()
    np.testing.assert_array_equal(zarr.open_array(tmp_path / "pencils.zarr")[:], cells)


def test_a_compute_that_fails_leaves_nothing(maps, root, tmp_path):
    array, _ = maps

    def fails(block):
        raise ZeroDivisionError("never")

    x = exchanged(dt.from_zarr(array.store.root), (8, 16, 16))
    turned = dt.map_blocks(fails, x, dtype=x.dtype)
    with pytest.raises(ZeroDivisionError, match="never"):
        turned.to_zarr(tmp_path / "o.zarr")


def test_computes_at_the_same_time_do_not_meet(maps, root, tmp_path):
    array, cells = maps
    for number in range(2):
        (tmp_path / str(number)).mkdir()
    writes = [pencils(array, tmp_path / str(number)) for number in range(2)]
    threads = [Thread(target=write.compute) for write in writes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number in range(2):
        there = zarr.open_array(tmp_path / str(number) / "pencils.zarr")[:]
        np.testing.assert_array_equal(there, cells)


def test_the_end_of_the_process_removes_what_is_left(root):
    claim(str(root), "run", "owner")
    REMOVER.start()
    lease = RUN_FOLDERS.lease()
    RUN_FOLDERS.put(RunFolder("run", str(root)), lease)
    RUN_FOLDERS.clear()
    assert not len(RUN_FOLDERS)


def test_no_thread_is_started_where_garbage_is_collected(root, monkeypatch):
    """CPython 3.11's start holds a lock that a start within it would wait for."""
    claim(str(root), "run", "owner")
    REMOVER.start()
    lease = RUN_FOLDERS.lease()
    RUN_FOLDERS.put(RunFolder("run", str(root)), lease)
    started = []
    with monkeypatch.context() as patch:
        patch.setattr(Thread, "start", lambda thread: started.append(thread))
        del lease
        gc.collect()
    assert not len(RUN_FOLDERS)
    assert not started


def killed(path):
    """Kill the worker that computes this, the first time."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return
    os.kill(os.getpid(), signal.SIGKILL)


def killing(block, path):
    killed(path)
    return block


@pytest.mark.few(1)  # what was lost is written again in both
@pytest.mark.slow
@pytest.mark.parametrize("where", ["before", "after"])
def test_a_worker_that_dies_between_writing_and_reading(maps, root, tmp_path, where):
    from distributed import Client

    array, cells = maps
    die = partial(killing, path=str(tmp_path / "died"))
    x = dt.from_zarr(array.store.root)
    if where == "before":
        x = -dt.map_blocks(die, -x, dtype=x.dtype)
    x = exchanged(x, (8, 16, 16))
    if where == "after":
        x = dt.map_blocks(die, x, dtype=x.dtype)
    with Client(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"):
        x.to_zarr(tmp_path / "o.zarr")
        assert (tmp_path / "died").exists()
        end = time.monotonic() + 20
        while len(RUN_FOLDERS) and time.monotonic() < end:
            time.sleep(0.1)
    np.testing.assert_array_equal(zarr.open_array(tmp_path / "o.zarr")[:], cells)


def test_workers_on_several_machines_need_a_place(maps, tmp_path, monkeypatch):
    array, _ = maps
    plan = dt.plan(pencils(array, tmp_path))
    module = "dask_tapestry.lower.temporary_values"
    monkeypatch.setattr(f"{module}.has_temporary_store", lambda client: False)
    with pytest.raises(dt.StoreError, match="'temporary-store' names a folder or a URL"):
        lease_of_folder(plan.core.for_run("run"), object())


def test_what_both_ends_read_is_computed_before_either():
    """The write waits for it, and so does the result: no store is made ready in a circle."""
    x = dt.ones((40, 30)) + dt.arange(30)
    read_by_both = dt.sort(x, axis=1)
    value = exchanged(read_by_both * 2, (8, 8))
    np.testing.assert_array_equal((value + read_by_both).compute(), np.sort(x.compute()) * 3)


def test_what_both_ends_read_of_a_write(root, tmp_path):
    x = dt.sort(dt.ones((40, 30)) + dt.arange(30), axis=1)
    (exchanged(x * 2, (8, 8)) + x).to_zarr(tmp_path / "o.zarr")
    expected = np.sort(np.ones((40, 30)) + np.arange(30), axis=1) * 3
    np.testing.assert_array_equal(zarr.open_array(tmp_path / "o.zarr")[:], expected)


def test_a_small_compute_has_its_stores_made_ready(root):
    """What is small enough for no scheduler may be too large for the memory that it is given."""
    x = dt.sin(dt.arange(4e5)).reshape(400, 1000)
    with dt.config(resources=dt.Resources(workers=1, threads=2, memory="4 MB")):
        found = abs(dt.fft.fft2(x)).max(axis=0).compute()
    np.testing.assert_allclose(found, abs(np.fft.fft2(x.compute())).max(axis=0))


def test_a_graph_that_somebody_else_runs(root):
    x = exchanged(dt.ones((40, 30)) + 1, (8, 8)).sum(axis=0)
    graph = dt.plan(x).graph()
    keys = [key for name in graph.layers for key in graph.layers[name] if "gather" in name]
    assert dask.threaded.get(dict(graph), keys)[0].sum() == 2 * 40 * 30
    del graph


@pytest.mark.cluster
def test_runs_that_share_a_value_have_folders_of_their_own(root):
    from distributed import Client

    value = exchanged(dt.arange(1200.0).reshape(40, 30) + 1, (8, 8))
    sums, most = value.sum(axis=0), value.max(axis=1)
    with Client(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=":0") as c:
        first = dt.plan(sums + 1).persist()
        time.sleep(0.5)
        second = dt.plan(most + 1).persist()
        np.testing.assert_array_equal(second.compute(), np.arange(29.0, 1200, 30) + 2)
        np.testing.assert_array_equal(first.compute(), value.compute().sum(axis=0) + 1)
        parts = (sums * 3).to_delayed()
        future = c.compute(dask.delayed(np.concatenate)(list(parts.ravel())))
        del parts
        gc.collect()
        np.testing.assert_array_equal(future.result(), value.compute().sum(axis=0) * 3)
        del first, second, future
        end = time.monotonic() + 20
        while len(RUN_FOLDERS) and time.monotonic() < end:
            gc.collect()
            time.sleep(0.1)
