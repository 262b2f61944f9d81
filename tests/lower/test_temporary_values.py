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
from dask_tapestry.lower.temporary_values import RUN_FOLDERS, RunFolder, lease_of_folder
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
    assert not list(folder.iterdir()), "nothing is left"


def exchanged(x, sides):
    """An array that goes through a store in chunks of these sides."""
    form = form_named(x.node, EXCHANGED, ())
    return dt.Array(form.make(x.node, number_of(sides, x.shape)))


def pencils(array, folder):
    x = exchanged(dt.from_zarr(array.store.root), (8, 16, 16))
    return x.to_zarr(folder / "pencils.zarr", chunks=(SHAPE[0], 8, 8), compute=False)


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
    RUN_FOLDERS.put(RunFolder("run", str(root)))
    RUN_FOLDERS.clear()
    assert not len(RUN_FOLDERS)


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
    with Client(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None):
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
        lease_of_folder(plan.core, object())
