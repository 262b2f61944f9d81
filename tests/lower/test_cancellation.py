import pickle
from concurrent.futures import Executor
from functools import partial
from threading import Event
from time import monotonic

import dask
import numpy as np
import pytest
from dask.callbacks import Callback
from distributed import Client

import dask_tapestry as dt
from dask_tapestry.lower import cancellation as module
from dask_tapestry.lower.cancellation import (
    Cancellation,
    CancellationCallback,
    WorkerCancellation,
    is_watched,
)
from dask_tapestry_kernels.stopping import stop_if_asked

OPTIONS = {"processes": False, "dashboard_address": ":0", "n_workers": 1, "threads_per_worker": 1}
BEGUN, STOPPED = Event(), Event()


def lasting(block):
    """A function that runs until its block is not wanted any more."""
    BEGUN.set()
    try:
        while True:
            stop_if_asked()
    finally:
        STOPPED.set()


def failing(block):
    """A function that fails once another block has begun."""
    assert BEGUN.wait(60)
    raise OSError("on fire")


class Looking(CancellationCallback):
    """One that is told when a compute begins."""

    def _start(self, dsk):
        self.seen = dsk


@pytest.fixture(autouse=True)
def _nothing_has_begun():
    BEGUN.clear()
    STOPPED.clear()


def test_blocks_that_begin_later_stop_until_another_compute_begins():
    stop = Cancellation()
    before = stop.stop_check()
    assert not before()
    stop.ask()
    late = stop.stop_check()
    assert before()
    assert late()
    stop.begin()
    assert before()
    assert late()
    assert not stop.stop_check()()
    assert type(pickle.loads(pickle.dumps(stop))) is WorkerCancellation


def test_nobody_asks_where_there_is_no_worker():
    assert WorkerCancellation().stop_check() is None


@pytest.mark.parametrize("compute", [dt.compute, dask.compute])
def test_when_a_block_fails_the_others_stop(compute):
    lasts = dt.ones(4, chunks=4).map_blocks(lasting, dtype=float)
    fails = dt.ones(5, chunks=5).map_blocks(failing, dtype=float)
    with pytest.raises(OSError, match="on fire"), dask.config.set(num_workers=2):
        compute(lasts, fails)
    assert STOPPED.wait(60)


def test_the_others_stop_though_threads_have_lost_callbacks(monkeypatch):
    """Of two computes that overlap, the one that ends last puts back what the other put aside."""
    monkeypatch.setattr(Callback, "active", set())
    lasts = dt.ones(6, chunks=6).map_blocks(lasting, dtype=float)
    fails = dt.ones(7, chunks=7).map_blocks(failing, dtype=float)
    with pytest.raises(OSError, match="on fire"), dask.config.set(num_workers=2):
        dt.compute(lasts, fails)
    assert STOPPED.wait(10)


def test_what_was_stopped_is_computed_again():
    tries = []

    def once(block):
        tries.append(0)
        if len(tries) == 1:
            raise OSError("on fire")
        return block

    x = dt.ones(4, chunks=4).map_blocks(once, dtype=float).to_delayed()
    with pytest.raises(OSError, match="on fire"):
        dask.compute(x[0])
    np.testing.assert_array_equal(dask.compute(x[0])[0], np.ones(4))


class Interrupted(Executor):
    """A pool of threads whose compute is interrupted before a thread begins its first task."""

    _max_workers = 1

    def submit(self, function, *arguments):
        self.begin_late = partial(function, *arguments)
        raise KeyboardInterrupt


def wanted(block):
    stop_if_asked()
    return block


def test_what_threads_have_yet_to_begin_is_stopped():
    pool = Interrupted()
    x = dt.ones(8, chunks=8).map_blocks(wanted, dtype=float).to_delayed()
    with pytest.raises(KeyboardInterrupt):
        dask.compute(x[0], scheduler="threads", pool=pool)
    ((_, _, failed),) = pool.begin_late()
    assert failed
    np.testing.assert_array_equal(dask.compute(x[0])[0], np.ones(8))


def test_a_worker_stops_what_is_not_wanted():
    with Client(**OPTIONS) as client:
        future = client.compute(dt.ones(4, chunks=4).map_blocks(lasting, dtype=float))
        assert BEGUN.wait(60)
        del future
        assert STOPPED.wait(60)
        assert dt.arange(5).sum().compute() == 10


def test_a_worker_that_closes_stops():
    with Client(**OPTIONS) as client:
        future = client.compute(dt.ones(4, chunks=4).map_blocks(lasting, dtype=float))
        assert BEGUN.wait(60)
        begun = monotonic()
    assert STOPPED.wait(60)
    assert monotonic() - begun < 60
    assert future.status == "cancelled"


def test_ours_is_no_callback_that_watches():
    assert Callback.active >= module._OURS
    assert not is_watched()
    with Callback():
        assert is_watched()
    with Looking().looking():
        assert not is_watched()


def test_onlookers_that_other_threads_put_back_are_taken_away():
    over, other = Looking(), Looking()
    with over.looking():
        aside = set(Callback.active)
    Callback.active.update(aside)
    assert not is_watched()
    with other.looking():
        pass
    assert not Callback.active & {over._callback, other._callback}
