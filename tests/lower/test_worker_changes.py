"""Jobs that are planned again while they run, as their cluster grows or shrinks."""

import logging
import time
from threading import Thread

import numpy as np
import pytest
import zarr
from distributed import Client, LocalCluster

import dask_tapestry as dt
from dask_tapestry.lower import fetch, worker_changes
from dask_tapestry.lower.worker_changes import goes_on
from dask_tapestry.planner import replan

CELLS = np.arange(120_000.0).reshape(600, 200)


def slowly(block):
    time.sleep(block.size / 20_000)
    return block * 2


@pytest.fixture
def at_once(monkeypatch):
    """Workers are looked at all the time, and a second of work is long."""
    monkeypatch.setattr(worker_changes, "WORKERS_LOOK_SECONDS", 0.05)
    monkeypatch.setattr(worker_changes, "SETTLED_SECONDS", 0.3)
    monkeypatch.setattr(replan, "WORTH_REPLANNING_SECONDS", 0.0)


def doubled(place, resume=True):
    x = dt.map_blocks(slowly, dt.asarray(CELLS).rechunk((20, 100)), dtype="f8")
    return dt.to_zarr(x, place, chunks=(20, 100), resume=resume, compute=False)


def test_only_writes_that_are_resumed_go_on(tmp_path):
    write, other = doubled(tmp_path / "a"), doubled(tmp_path / "b", resume=False)
    assert goes_on(dt.plan(write).core)
    assert not goes_on(dt.plan(write, other).core)
    assert not goes_on(dt.plan(write, dt.ones(3)).core)
    zarr.create_array(tmp_path / "c", shape=(600, 200), chunks=(20, 100), dtype="f8")
    into = dt.store(dt.asarray(CELLS), zarr.open_array(tmp_path / "c"), resume=True, compute=False)
    assert goes_on(dt.plan(into).core)


@pytest.mark.few(1)  # either way it is planned anew
@pytest.mark.cluster
@pytest.mark.parametrize(("first", "then"), [(1, 3), (3, 1)])
def test_others_are_planned_for_and_what_is_written_stays(
    tmp_path, at_once, threads_never_pause, monkeypatch, caplog, first, then
):
    """Chunks of the first plan are not written again by the second, but those in flight."""
    usual, planned, seen = fetch.lower_plan, [], {}

    def noted(plan, *others):
        planned.append(plan.resources.workers)
        if len(planned) == 2:
            seen.update((p, p.stat().st_mtime_ns) for p in chunks(tmp_path / "y"))
        return usual(plan, *others)

    monkeypatch.setattr(fetch, "lower_plan", noted)
    options = {"threads_per_worker": 1, "memory_limit": "1 GB", "dashboard_address": ":0"}
    with LocalCluster(n_workers=first, processes=False, **options) as cluster, Client(cluster):
        change = Thread(target=when_begun, args=(tmp_path / "y", cluster, then))
        change.start()
        with caplog.at_level(logging.WARNING), dt.config(block_bytes="40 kB"):
            doubled(tmp_path / "y").compute()
        change.join()
    assert planned == [first, then]
    assert f"there are {then} workers, not the {first}" in caplog.text
    np.testing.assert_array_equal(zarr.open_array(tmp_path / "y")[...], CELLS * 2)
    assert len(seen) > 3
    assert sum(p.stat().st_mtime_ns != when for p, when in seen.items()) <= first


def chunks(place):
    return [p for p in (place / "c").rglob("*") if p.is_file() and "partial" not in p.name]


def when_begun(place, cluster, workers):
    """Have so many workers once some chunks are written, or after a minute."""
    latest = time.monotonic() + 60
    while len(chunks(place)) < 4 and time.monotonic() < latest:
        time.sleep(0.01)
    cluster.scale(workers)
