"""How often stored chunks are asked for: once each, in all works that fold, transpose or select."""

import numpy as np
import pytest
import zarr
from zarr.storage import LocalStore, MemoryStore

import dask_tapestry as dt
from dask_tapestry.io.chunks import zarr_direct
from tests.stores import CountingStore

SHAPE, CHUNK, CHUNKS = (4000, 4000), (500, 400), 80
WORKS = {
    "sum": lambda x, y: x.sum(),
    "mean of columns": lambda x, y: x.mean(axis=0),
    "maximum of rows": lambda x, y: x.max(axis=1),
    "standard deviation": lambda x, y: x.std(),
    "place of the least": lambda x, y: x.argmin(),
    "centred and scaled": lambda x, y: ((x - x.mean(axis=0)) / x.std(axis=0)).sum(axis=1),
    "deviation from the mean": lambda x, y: (x - x.mean(axis=0)).std(axis=0),
    "with a transpose": lambda x, y: x + y.T,
    "with a transpose, folded": lambda x, y: (x + y.T).sum(axis=0),
    "quadratic means": lambda x, y: dt.stack([(x * z).mean(axis=0) for z in (x, y)]),
    "rows to columns": lambda x, y: x.rechunk((4000, 250)),
    "histogram": lambda x, y: dt.histogram(x, bins=10, range=(0, 1))[0],
    "running totals": lambda x, y: dt.cumsum(x, axis=0),
    "sorted columns": lambda x, y: dt.sort(x, axis=0),
    "some rows and columns": lambda x, y: (x + y)[::7, ::11].mean(axis=0),
    "gram": lambda x, y: x.T @ x,
    "all cells": lambda x, y: x,
    "differences": lambda x, y: abs(dt.diff(x, axis=0)).max(axis=1),
}


def counted(shape=SHAPE, chunks=CHUNK, **options):
    """A store of an array without chunks: requests for them are counted, and cost nothing."""
    store = CountingStore(MemoryStore())
    zarr.create_array(store, shape=shape, chunks=chunks, dtype="f8", fill_value=1, **options)
    return store


@pytest.mark.few(9)  # what is counted is the same for all
@pytest.mark.parametrize("name", WORKS)
def test_each_chunk_is_asked_for_once(name):
    stores = counted(), counted()
    work = WORKS[name](*map(dt.from_zarr, stores))
    with dt.config(block_bytes=2**24):
        work.compute()
    used = [store.reads for store in stores if store.reads]
    assert [len(reads) for reads in used] == [CHUNKS] * len(used)
    assert [reads.total() for reads in used] == [CHUNKS] * len(used)


def test_few_cells_take_few_chunks():
    store = counted()
    x = dt.from_zarr(store)
    (x[:3] + 1).compute()
    assert sorted(store.reads) == sorted(f"c/0/{n}" for n in range(10))
    store.clear_counts()
    x[-1, -1].compute()
    assert dict(store.reads) == {"c/7/9": 1}


def test_an_array_is_opened_by_its_metadata_alone():
    store = counted()
    store.clear_counts()
    x = dt.from_zarr(store)
    assert set(store.metadata.values()) == {1}  # of either version of the format
    assert not store.reads
    x.sum().compute()
    assert set(store.metadata.values()) == {1}


def test_chunks_are_written_once():
    store = CountingStore(MemoryStore())
    dt.to_zarr(dt.ones((900, 800)), store, chunks=(200, 300), compressors=None)
    assert len(store.writes) == 15
    assert set(store.writes.values()) == {1}
    assert not store.reads


def test_of_a_shard_only_the_inner_chunks_that_are_needed_are_read():
    store = CountingStore(MemoryStore())
    cells = np.random.default_rng(0).random((400, 400))
    array = zarr.create_array(store, shape=(400, 400), chunks=(50, 50), shards=(200, 200),
                              dtype="f8", compressors=None)  # fmt: skip
    array[...] = cells
    store.clear_counts()
    found = dt.from_zarr(store)[10:60, 30:40].compute()
    np.testing.assert_array_equal(found, cells[10:60, 30:40])
    index = 16 * 16 + 4
    assert dict(store.read_bytes) == {"c/0/0": 2 * 50 * 50 * 8 + index}


def test_files_of_chunks_are_opened_once(tmp_path, monkeypatch):
    cells = np.random.default_rng(0).random((900, 800))
    zarr.create_array(LocalStore(tmp_path), data=cells, chunks=(200, 300), compressors=None)
    opened = []
    system = zarr_direct.os.open
    monkeypatch.setattr(
        zarr_direct.os, "open", lambda path, *rest: opened.append(path) or system(path, *rest)
    )
    np.testing.assert_array_equal(dt.from_zarr(tmp_path).compute(scheduler="sync"), cells)
    chunks = [path for path in map(str, opened) if path.startswith(str(tmp_path))]
    assert len(chunks) == len(set(chunks)) == 15


@pytest.mark.filterwarnings("ignore:Consolidated metadata")
def test_consolidated_metadata_spare_requests():
    store = CountingStore(MemoryStore())
    group = zarr.open_group(store, mode="w")
    for number in range(20):
        group.create_array(f"part/{number}", data=np.full(5, number))
    zarr.consolidate_metadata(store)
    store.clear_counts()
    arrays = dt.from_zarr(store)
    assert store.metadata.total() < len(arrays) == 20
    np.testing.assert_array_equal(arrays["part/7"].compute(), np.full(5, 7))
    assert type(arrays["part/7"].node.operator.location.store) is CountingStore
