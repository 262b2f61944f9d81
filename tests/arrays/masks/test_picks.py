import gc
import os
import subprocess
import sys

import dask
import numpy as np
import pytest
import zarr
from zarr.storage import MemoryStore

import dask_tapestry as dt
from dask_tapestry.arrays.core import dynamic_shape
from dask_tapestry.arrays.masks import picks
from dask_tapestry.teg import Graph
from dask_tapestry.teg.buckets import is_buckets
from tests.comparisons import same_bits
from tests.stores import CountingStore

SHAPE, CHUNK, CHUNKS = (2000, 300), (250, 100), 24


def stored(seed=0, chunk=CHUNK):
    """A store that counts requests, and its cells."""
    cells = np.random.default_rng(seed).standard_normal(SHAPE)
    store = CountingStore(MemoryStore())
    zarr.create_array(store, shape=SHAPE, chunks=chunk, dtype="f8")[...] = cells
    store.clear_counts()
    return store, cells


def asked(store):
    return [n for key, n in store.reads.items() if key.startswith("c/")]


def opened(store):
    x = dt.from_zarr(store)
    store.clear_counts()
    return x


WORKS = {
    "cells": lambda x, xp: x[x > 1],
    "no cells": lambda x, xp: x[x > 99],
    "all cells": lambda x, xp: x[x > -99],
    "a formula of them": lambda x, xp: x[x > 1] * 2 + 1,
    "two formulas": lambda x, xp: (lambda m: x[m] + (x * 2)[m])(x > 1),
    "rows": lambda x, xp: x[x.sum(axis=1) > 1],
    "rows by all": lambda x, xp: x[(x > -2).all(axis=1)],
    "first of them": lambda x, xp: x[x > 1][3:40:2],
    "extract": lambda x, xp: xp.extract(x > 1, x),
    "compress": lambda x, xp: xp.compress(x.max(axis=1) > 2, x, axis=0),
    "sorted": lambda x, xp: xp.sort(x[x > 1]),
}


@pytest.mark.few(6)  # as unlike as so many can be
@pytest.mark.parametrize("scheduler", ["threads", "sync"])
@pytest.mark.parametrize("name", WORKS)
def test_each_chunk_is_asked_for_once(name, scheduler):
    store, cells = stored()
    made = WORKS[name](opened(store), dt)
    with dask.config.set(scheduler=scheduler):
        assert np.array_equal(made.compute(), WORKS[name](cells, np))
    assert asked(store) == [1] * CHUNKS


def test_a_column_reads_whole_chunks():
    store, cells = stored(chunk=(250, 300))
    x = opened(store)
    assert np.array_equal(x[x[:, 3] > 1].compute(), cells[cells[:, 3] > 1])
    assert asked(store) == [1] * 8


def test_the_value_reads_nothing():
    """Whether counting reads twice what is fast to read is the plan's choice."""
    store, cells = stored()
    roots = dt.sqrt(abs(opened(store))) * 3
    picked, expected = roots[roots > 4], np.sqrt(abs(cells)) * 3
    assert picked.shape
    store.clear_counts()
    assert np.array_equal(picked.compute(), expected[expected > 4])
    assert not asked(store)


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 0, 2), (2, 1, 0)])
def test_arrays_of_one_mask_are_counted_together(order):
    (store, cells), (other, others) = stored(chunk=SHAPE), stored(1, chunk=SHAPE)
    x, y = opened(store), opened(other)
    mask = x > 1
    arrays = x[mask], y[mask], (x - 1)[mask]
    expected = cells[cells > 1], others[cells > 1], cells[cells > 1] - 1
    for n, found in zip(order, dt.compute(*[arrays[n] for n in order]), strict=True):
        assert np.array_equal(found, expected[n])
    assert asked(store) == asked(other) == [1]


def test_what_is_picked_is_written(tmp_path):
    store, cells = stored()
    x = opened(store)
    dt.to_zarr(x[x > 1], tmp_path / "x.zarr")
    assert np.array_equal(zarr.open_array(tmp_path / "x.zarr")[...], cells[cells > 1])
    assert asked(store) == [1] * CHUNKS


FOLDS = {
    "sum": lambda x: dt.Array(x.node).sum(),
    "sum of a part": lambda x: x[5:].sum(),
    "running sums": lambda x: dt.cumsum(x, axis=0),
    "standard deviation": lambda x: dt.Array((x * 2).node).std(axis=0),
}


@pytest.mark.few(4)  # as unlike as so many can be
@pytest.mark.parametrize("rows", [False, True])
@pytest.mark.parametrize("name", FOLDS)
def test_no_bit_and_no_chunk_depends_on_whether_it_is_picked(name, rows, monkeypatch):
    x = opened(stored()[0])
    mask = x.sum(axis=1) > 1 if rows else x > 1
    picked = x[mask]
    monkeypatch.setattr(picks, "are_worth_keeping", lambda *_: False)
    plain = x[mask]
    assert picked.deferred.picks
    assert not plain.deferred.picks
    assert same_bits(*[FOLDS[name](one).compute() for one in (picked, plain)])
    assert picked.chunks == plain.chunks
    assert picked.deferred is None
    assert not any(node.operator.name == "zarr" for node in Graph([picked.node]).nodes)


def test_it_is_picked_once_for_several_values():
    store, cells = stored()
    x = opened(store)
    picked = x[x > 1]
    assert picked.shape == (np.count_nonzero(cells > 1),)
    for _ in range(2):
        assert np.array_equal((picked * 2).compute(), cells[cells > 1] * 2)
    assert asked(store) == [1] * CHUNKS


def test_what_was_picked_goes_with_what_reads_it():
    store, _ = stored()
    x = opened(store)
    mask, before = x > 1, set(dynamic_shape._picked)
    picked = x[mask]
    assert picked.shape
    assert len(set(dynamic_shape._picked) - before) == 1
    del picked
    gc.collect()
    assert not set(dynamic_shape._picked) - before


def test_nothing_is_picked_that_may_not_fit(monkeypatch):
    store, cells = stored()
    monkeypatch.setattr(dynamic_shape, "free_memory", lambda: cells.nbytes)
    x = opened(store)
    picked = x[x > 1]
    assert picked.deferred.picks
    assert np.array_equal(picked.compute(), cells[cells > 1])
    assert min(asked(store)) == 2


def test_what_a_plan_cannot_hold_is_not_picked():
    """A refused run is tried again without what is picked, then without the mask."""
    store, cells = stored()
    x = opened(store)
    deferred, tried = x[x > 1].deferred, []

    def run(counts, keep):
        tried.append(len(keep))
        if len(keep) > 1:
            raise dt.MemoryLimitError("too much is kept")
        return dynamic_shape.CountRun(dt.Array(counts).compute(), tuple(keep))

    assert np.array_equal(dt.Array(deferred.resolve(run)).compute(), cells[cells > 1])
    assert tried == [2, 1]


def worth(x, mask):
    return picks.are_worth_keeping(x.node, mask.node)


def test_what_is_worth_keeping(tmp_path):
    x, y = opened(stored()[0]), opened(stored(1)[0])
    assert worth(x, x > 1)
    assert worth(x + 1, x + y > 1)
    assert worth(x, x[:, ::100].sum(axis=1) > 1)  # a column of each chunk
    assert not worth(y, x > 1)
    assert not worth(x, x[:, 0] > 1)  # a third of the chunks
    assert not worth(x + y, x > 1)
    assert not worth(dt.arange(2000), x.sum(axis=1) > 1)
    memory = dt.asarray(np.ones(SHAPE))
    assert not worth(memory, memory > 1)
    assert worth(x + memory, x > 1)
    plain = zarr.create_array(tmp_path / "x", shape=9, chunks=3, dtype="f8", compressors=None)
    plain[...] = 1
    file = dt.from_zarr(tmp_path / "x")
    assert not worth(file, file > 0)
    long = x
    for _ in range(300):
        long = dt.sort(long)
    assert not worth(long, long > 1)


def test_an_empty_array_has_nothing_to_pick():
    x = dt.from_zarr(zarr.create_array(MemoryStore(), shape=(0, 3), chunks=(2, 3), dtype="f8"))
    assert x[x > 1].compute().shape == (0,)
    assert x[x.sum(axis=1) > 1].compute().shape == (0, 3)


CLUSTER = """
import sys
import numpy as np, zarr, dask_tapestry as dt
from distributed import Client, LocalCluster
if __name__ == "__main__":
    path = sys.argv[1]
    cells = np.random.default_rng(0).standard_normal((400, 60))
    zarr.create_array(path, shape=(400, 60), chunks=(50, 20), dtype="f8")[...] = cells
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster),
    ):
        x = dt.from_zarr(path)
        for picked, expected in (
            (x[x > 1], cells[cells > 1]),
            (x[x.sum(axis=1) > 1] * 2, cells[cells.sum(axis=1) > 1] * 2),
        ):
            assert picked.deferred.picks
            assert np.array_equal(picked.compute(), expected)
            assert "store" not in dt.plan(picked).explain()
    print("picked")
"""


def test_workers_keep_what_is_picked(tmp_path):
    (tmp_path / "job.py").write_text(CLUSTER)
    path = os.pathsep.join(sys.path)
    done = subprocess.run(
        [sys.executable, tmp_path / "job.py", tmp_path / "x.zarr"],
        env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True, timeout=200,
    )  # fmt: skip
    assert "picked" in done.stdout, done.stderr


@pytest.mark.parametrize("least", [-99, 2.5, 99])
def test_what_was_picked_counts_as_the_bytes_that_it_has(least):
    store, _ = stored()
    x = opened(store)
    few = x[x > least]
    size = few.nbytes
    buckets = [node for node in Graph([few.node]).nodes if is_buckets(node.type)]
    assert buckets
    assert all(size <= node.type.nbytes <= size + 8 * node.type.size for node in buckets)
