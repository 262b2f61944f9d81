import time
from itertools import product

import numpy as np
import pytest
import zarr
from zarr.codecs import BloscCodec, BytesCodec, ShardingCodec, TransposeCodec, ZstdCodec
from zarr.storage import MemoryStore

import dask_tapestry as dt
from dask_tapestry.io.chunks.zarr_remote import RemoteArray, concurrent_requests
from tests.stores import DistantStore

CELLS = np.arange(7 * 12 * 4, dtype="i4").reshape(7, 12, 4)
SHARDS = {"chunks": (3, 2, 2), "shards": (3, 4, 4)}
LAYOUTS = {
    "plain": {"compressors": None},
    "blosc": {"compressors": BloscCodec()},
    "transposed, zstd": {"filters": [TransposeCodec(order=(2, 0, 1))], "compressors": "auto"},
    "version 2": {"zarr_format": 2, "order": "F", "dtype": ">i4"},
    "shards": SHARDS | {"compressors": None},
    "shards, zstd": SHARDS,
    "shards, index first": {
        "chunks": (3, 4, 4),
        "compressors": None,
        "serializer": ShardingCodec(
            chunk_shape=(1, 2, 2), codecs=[BytesCodec(), ZstdCodec()], index_location="start"
        ),
    },
}


def stored(cells=CELLS, **options):
    store = DistantStore(MemoryStore())
    usual = {"shape": cells.shape, "dtype": cells.dtype, "chunks": (3, 4, 2)}
    zarr.create_array(store, **usual | options)[...] = cells
    store.clear_counts()
    return store


def remote(store):
    return RemoteArray.of(zarr.open_array(store, mode="r"))


@pytest.mark.few(4)  # as unlike as so many can be
@pytest.mark.parametrize("layout", LAYOUTS)
def test_any_box(layout):
    array = remote(stored(**LAYOUTS[layout]))
    spans = [[(0, n), (1, n - 1), (0, 1), (1, 1)] for n in CELLS.shape]
    for part in product(*spans):
        selection = tuple(slice(*span) for span in part)
        out = np.empty(CELLS[selection].shape, "i4")
        array.read(selection, out)
        np.testing.assert_array_equal(out, CELLS[selection])


@pytest.mark.parametrize("layout", LAYOUTS)
def test_what_is_not_there_holds_the_fill_value(layout):
    cells = np.full_like(CELLS, 5)
    cells[3:5, 4:6] = CELLS[3:5, 4:6]
    store = stored(cells, fill_value=5, **LAYOUTS[layout])
    np.testing.assert_array_equal(dt.from_zarr(store).compute(), cells)


@pytest.mark.parametrize("cells", [np.array(3.0), np.empty((0, 4)), np.empty((3, 0))])
def test_small_shapes(cells):
    store = stored(cells, chunks=[max(1, n) for n in cells.shape])
    np.testing.assert_array_equal(dt.from_zarr(store).compute(), cells)


def test_of_a_shard_all_or_what_is_needed_is_asked_for():
    store = stored(**SHARDS)
    array = remote(store)
    array.read(np.s_[0:3, 0:4, 0:4], np.empty((3, 4, 4), "i4"))
    assert dict(store.reads) == {"c/0/0/0": 1}
    store.clear_counts()
    array.read(np.s_[0:3, 1:3, 0:1], np.empty((3, 2, 1), "i4"))
    assert dict(store.reads) == {"c/0/0/0": 2}  # the index, and two inner chunks side by side


def test_inner_chunks_are_asked_for_at_once():
    store = stored(chunks=(1, 1, 1), shards=(7, 12, 4))
    array, out = remote(store), np.empty((1, 10, 4), "i4")
    array.read(np.s_[0:1, 1:11, 0:4], out)
    store.latency = 0.02
    array = remote(store)
    start = time.perf_counter()
    array.read(np.s_[0:1, 1:11, 0:4], out)
    assert time.perf_counter() - start < 40 * 0.02
    np.testing.assert_array_equal(out, CELLS[:1, 1:11])
    assert store.at_once <= concurrent_requests()


def test_no_more_is_in_hand_than_is_allowed():
    store = stored(chunks=(1, 2, 2))
    store.latency = 0.002
    with zarr.config.set({"async.concurrency": 3}):
        np.testing.assert_array_equal(dt.from_zarr(store).compute(scheduler="sync"), CELLS)
        assert dt.from_zarr(store).node.operator.in_hand.chunks == 3
    assert store.at_once == 3


@pytest.mark.parametrize("layout", ["plain", "blosc", "shards", "shards, zstd"])
def test_a_truncated_object_is_named_and_ends_the_reading(layout):
    store = stored(**LAYOUTS[layout])
    inner = store._store._store_dict
    inner["c/1/1/0"] = inner["c/1/1/0"][:30]
    with pytest.raises(dt.StoreError, match=r"cannot read \[.*\] of .*: .* chunk c/1/1/0: "):
        dt.from_zarr(store).compute()


def test_after_an_error_no_more_is_asked_for():
    store = stored(chunks=(1, 1, 1))
    array = remote(store)
    array.path.store.fails = lambda key, times: ValueError("broken")
    store.clear_counts()
    with pytest.raises(dt.StoreError, match="broken"):
        array.read(np.s_[0:7, 0:12, 0:4], np.empty(CELLS.shape, "i4"))
    assert store.reads.total() <= concurrent_requests()


def test_stores_of_this_process_are_not_remote():
    array = zarr.create_array(MemoryStore(), data=CELLS)
    assert RemoteArray.of(array) is None
