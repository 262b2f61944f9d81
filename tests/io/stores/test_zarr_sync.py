import asyncio
import gc
import subprocess
import sys
import threading
import warnings
from concurrent.futures import Future, ThreadPoolExecutor

import numpy as np
import pytest
import zarr

import dask_tapestry as dt
from dask_tapestry.io.stores import zarr_sync
from dask_tapestry.io.stores.zarr_sync import InlineExecutor, inside_loop, run_inline


def here():
    return threading.get_ident()


async def elsewhere():
    """The thread that work handed to the default executor runs in."""
    return await asyncio.to_thread(here)


def test_work_stays_in_the_thread_that_asks():
    assert run_inline(elsewhere()) == here()
    with ThreadPoolExecutor(3) as pool:
        found = list(pool.map(lambda _: (run_inline(elsewhere()), here()), range(9)))
    assert all(a == b for a, b in found)


def test_errors_come_through():
    async def fail():
        await asyncio.to_thread(int, "no number")

    with pytest.raises(ValueError, match="no number"):
        run_inline(fail())


def test_an_executor_runs_what_it_is_given_at_once():
    executor = InlineExecutor(max_workers=1)
    future = executor.submit(here)
    assert future.done()
    assert future.result() == here()
    assert isinstance(executor.submit(int, "x").exception(), ValueError)


def test_a_loop_ends_with_its_thread():
    thread = threading.Thread(target=lambda: run_inline(elsewhere()))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        thread.start()
        thread.join()
        del thread
        gc.collect()
    assert not [w for w in caught if issubclass(w.category, ResourceWarning)]


def test_a_loop_that_is_kept_is_closed_before_modules_go():
    program = """
import atexit
atexit.register(lambda: print(kept.loop.is_closed()))  # after those that are registered later
from dask_tapestry.io.stores import zarr_sync
from tests.io.stores.test_zarr_sync import elsewhere
zarr_sync.run_inline(elsewhere())
kept = zarr_sync._local.own
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "True\n", "")


def test_within_a_running_loop_no_other_can_be_run():
    async def ask():
        return inside_loop()

    assert not inside_loop()
    assert asyncio.run(ask())


def test_stores_are_read_and_written_within_a_running_loop(tmp_path):
    async def work():
        dt.to_zarr(dt.arange(10), tmp_path / "x", chunks=3, scheduler="sync")
        return dt.from_zarr(tmp_path / "x").compute(scheduler="sync")

    np.testing.assert_array_equal(asyncio.run(work()), np.arange(10))
    assert zarr.open_array(tmp_path / "x").chunks == (3,)


def test_an_interrupt_of_an_executor_is_no_other_error(monkeypatch):
    class Interrupted(Future):
        """A future during whose last statement Ctrl-C is pressed."""

        def set_result(self, result):
            super().set_result(result)
            raise KeyboardInterrupt

    monkeypatch.setattr(zarr_sync, "Future", Interrupted)
    with pytest.raises(KeyboardInterrupt):
        InlineExecutor(max_workers=1).submit(here)
