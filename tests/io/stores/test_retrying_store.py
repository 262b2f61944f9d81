import errno
import re
import time

import numpy as np
import pytest
import zarr
from zarr.storage import MemoryStore

import dask_tapestry as dt
from dask_tapestry.io.stores import retrying_store as module
from dask_tapestry.io.stores.retrying_store import is_transient
from dask_tapestry.io.tuning import REQUEST_ATTEMPTS
from tests.stores import DistantStore

CELLS = np.arange(120.0).reshape(10, 12)


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch):
    monkeypatch.setattr(module, "FIRST_WAIT_SECONDS", 1e-4)


@pytest.fixture
def distant():
    store = DistantStore(MemoryStore())
    zarr.create_array(store, data=CELLS, chunks=(3, 4), compressors=None)
    store.clear_counts()
    return store


class Refused(Exception):
    def __init__(self, status):
        super().__init__(f"status {status}")
        self.status = status


class ServerTimeoutError(Exception):
    """One of aiohttp's name."""


PASSING = [
    ConnectionResetError("reset"),
    TimeoutError(),
    OSError(errno.ENETUNREACH, "Network is unreachable"),
    Refused(503),
    ServerTimeoutError(),
]
LASTING = [PermissionError("no"), Refused(403), ValueError("bad"), OSError(errno.ENOSPC, "full")]


@pytest.mark.parametrize("error", PASSING, ids=repr)
def test_what_the_network_does_for_a_moment_is_tried_again(distant, error):
    distant.fails = lambda key, times: error if times < REQUEST_ATTEMPTS else None
    np.testing.assert_array_equal(dt.from_zarr(distant).compute(), CELLS)
    assert set(distant.reads.values()) == {REQUEST_ATTEMPTS}


@pytest.mark.parametrize("error", LASTING, ids=repr)
def test_what_lasts_is_not_tried_again(distant, error):
    distant.fails = lambda key, times: error if key == "c/1/2" else None
    key = "cannot get c/1/2 of .*" if isinstance(error, OSError) else ""
    named = rf"\[.*\] of the Zarr array .*: {key}{re.escape(str(error))}"
    with pytest.raises(dt.StoreError, match=named):
        dt.from_zarr(distant).compute()
    assert not is_transient(error)
    assert distant.reads["c/1/2"] == 1


def test_a_network_that_stays_away_is_named(distant):
    gone = ConnectionError("unplugged")
    distant.fails = lambda key, times: gone if key == "c/1/2" else None
    many = f"{REQUEST_ATTEMPTS} attempts"
    named = rf"cannot read \[.*\] of .*: cannot get c/1/2 of .* in {many}: .*unplugged"
    with pytest.raises(dt.StoreError, match=named):
        dt.from_zarr(distant).compute()
    assert distant.reads["c/1/2"] == REQUEST_ATTEMPTS


def test_writes_are_tried_again():
    store = DistantStore(MemoryStore())
    reset = ConnectionResetError("reset")
    store.fails = lambda key, times: reset if key.startswith("c/") and times < 3 else None
    dt.to_zarr(dt.asarray(CELLS), store, chunks=(3, 4))
    np.testing.assert_array_equal(zarr.open_array(store._store)[...], CELLS)
    assert set(store.writes.values()) == {3}


def test_a_write_that_fails_is_named_and_not_taken_for_complete():
    store = DistantStore(MemoryStore())
    gone = ConnectionError("unplugged")
    store.fails = lambda key, times: gone if key == "c/1/2" else None
    named = rf"cannot write \[.*\] to .*: cannot set c/1/2 of .* in {REQUEST_ATTEMPTS} attempts"
    with pytest.raises(dt.StoreError, match=named):
        dt.to_zarr(dt.asarray(CELLS), store, chunks=(3, 4))
    with pytest.raises(dt.StoreError, match="is incomplete"):
        dt.from_zarr(store._store)


def test_requests_of_a_block_are_made_at_once(distant):
    x = dt.from_zarr(distant)
    x.compute()  # imports and kernels
    distant.clear_counts()
    distant.latency = 0.05
    x = dt.from_zarr(distant)
    start = time.perf_counter()
    np.testing.assert_array_equal(x.compute(scheduler="sync"), CELLS)
    assert time.perf_counter() - start < 12 * 0.05
    assert distant.reads.total() == 12
    assert 4 <= distant.at_once <= 12
