"""Large objects come by several requests at once, and inner chunks that are neighbours by one."""

import random
from itertools import accumulate

import numpy as np
import pytest
import zarr
from zarr.storage import FsspecStore

import dask_tapestry as dt
from dask_tapestry.io.chunks import request_sizes, zarr_remote
from dask_tapestry.io.chunks.request_sizes import neighbours, rest_in_parts
from dask_tapestry.io.stores import retry_policy, retrying_store
from dask_tapestry.io.stores.retries import forget_retries
from dask_tapestry.io.tuning import GAP_BYTES, LARGEST_REQUEST_BYTES, REQUEST_BYTES
from tests.s3_server import HALF, s3_server
from tests.stores import CountingStore

CELLS = np.random.default_rng(0).integers(0, 2**60, (700, 500))
SHARDS = {"chunks": (10, 50), "shards": (700, 500)}


@pytest.fixture(scope="module")
def running():
    with s3_server() as server:
        yield server


@pytest.fixture
def server(running, monkeypatch):
    for module in (retry_policy, retrying_store):
        monkeypatch.setattr(module, "FIRST_WAIT_SECONDS", 1e-4)
    for module in (request_sizes, zarr_remote):  # a hundredth: 2.8 MB stand for 280
        monkeypatch.setattr(module, "LARGEST_REQUEST_BYTES", LARGEST_REQUEST_BYTES // 100)
        monkeypatch.setattr(module, "REQUEST_BYTES", REQUEST_BYTES // 100, raising=False)
    running.calm()
    forget_retries()
    yield running
    running.calm()


@pytest.fixture(params=["s3fs", "obstore"])
def store(request, server):
    bucket = server.bucket()
    if request.param == "obstore":
        return server.object_store(bucket)
    return FsspecStore.from_url(f"s3://{bucket}", storage_options=server.options)


def written(store, server, **layout):
    options = {"chunks": CELLS.shape, "compressors": None, **layout}
    array = zarr.create_array(store, name="x", shape=CELLS.shape, dtype="i8", **options)
    array[...] = CELLS
    server.calm()


def cells(store, select=np.s_[:, :]):
    x = dt.from_zarr(store, "x")
    np.testing.assert_array_equal(x[select].compute(scheduler="sync"), CELLS[select])


def test_parts_are_of_five_to_fifteen_megabytes_and_cover_all():
    for seed in range(2000):
        total = random.Random(seed).randint(REQUEST_BYTES, 10**9)
        parts = rest_in_parts(REQUEST_BYTES, total)
        ends = [REQUEST_BYTES, *[hi for _, hi in parts]]
        assert [lo for lo, _ in parts] == ends[:-1]
        assert ends[-1] == total
        sizes = [hi - lo for lo, hi in parts]
        assert all(size <= LARGEST_REQUEST_BYTES for size in sizes)
        assert len(sizes) < 2 or min(sizes) >= REQUEST_BYTES // 2


def test_groups_hold_each_chunk_once_and_are_no_longer_than_a_request():
    for seed in range(300):
        chance = random.Random(seed)
        items = []
        for number in range(chance.randint(1, 80)):
            first = chance.randint(0, 10**8)
            items.append(
                (first, first + chance.choice([0, 100, 10**5, 2 * LARGEST_REQUEST_BYTES]), number)
            )
        groups = list(neighbours(items))
        assert sorted(one[2] for group in groups for one in group) == list(range(len(items)))
        for group in groups:
            span = max(end for _, end, _ in group) - group[0][0]
            assert len(group) == 1 or span <= LARGEST_REQUEST_BYTES
            ends = accumulate((end for _, end, _ in group), max)
            assert all(b[0] - end <= GAP_BYTES for end, b in zip(ends, group[1:], strict=False))


def test_a_large_chunk_comes_by_several_requests_at_once(store, server):
    written(store, server)
    server.latency = 0.05
    cells(store)
    (gets,) = [n for name, n in server.objects.items() if name.endswith("/c/0/0")]
    assert gets == CELLS.nbytes * 100 // REQUEST_BYTES
    assert server.most > 3


def test_a_small_chunk_comes_by_one(store, server):
    written(store, server, chunks=(70, 50))
    cells(store, np.s_[:70, :50])
    assert [n for name, n in server.objects.items() if "/c/" in name] == [1]


@pytest.mark.parametrize("compressors", [None, "auto"])
def test_a_whole_shard_comes_in_parts_too(store, server, compressors):
    written(store, server, **SHARDS, compressors=compressors)
    cells(store)
    (gets,) = [n for name, n in server.objects.items() if name.endswith("/c/0/0")]
    assert 20 < gets < 40


def test_neighbours_in_a_shard_come_by_few_requests(store, server):
    written(store, server, **SHARDS)
    cells(store, np.s_[:, 50:150])  # 140 inner chunks, of 700
    (gets,) = [n for name, n in server.objects.items() if name.endswith("/c/0/0")]
    assert gets < 30


def test_a_part_that_comes_torn_is_asked_for_again(store, server):
    written(store, server)
    seen = []

    def fault(environ):
        if environ["REQUEST_METHOD"] == "GET" and environ["PATH_INFO"].endswith("/c/0/0"):
            seen.append(environ.get("HTTP_RANGE"))
            return HALF if len(seen) == 4 else None
        return None

    server.fault = fault
    cells(store)
    assert server.faults == 1


def test_a_chunk_that_is_short_or_gone_is_an_error_or_the_fill_value(store, server):
    written(store, server)
    bucket = server.client.list_buckets()["Buckets"][-1]["Name"]
    name = next(iter(key for key in keys(server, bucket) if key.endswith("c/0/0")))
    whole = server.client.get_object(Bucket=bucket, Key=name)["Body"].read()
    for length in (1, REQUEST_BYTES // 100, REQUEST_BYTES // 100 + 1, len(whole) - 1):
        server.client.put_object(Bucket=bucket, Key=name, Body=whole[:length])
        with pytest.raises(dt.StoreError, match=f"it holds {length} bytes, not {len(whole)}"):
            cells(store)
    server.client.delete_object(Bucket=bucket, Key=name)
    assert not dt.from_zarr(store, "x").compute(scheduler="sync").any()


def keys(server, bucket):
    return [one["Key"] for one in server.client.list_objects_v2(Bucket=bucket)["Contents"]]


def test_stores_that_do_not_tell_sizes_are_asked_once(server):
    store = CountingStore(zarr.storage.MemoryStore())
    written(store, server)
    store.clear_counts()
    cells(store)
    assert store.reads["x/c/0/0"] == 1


def test_a_damaged_neighbour_is_read_again_and_named(store, server):
    layout = {**SHARDS, "compressors": [zarr.codecs.ZstdCodec(), zarr.codecs.Crc32cCodec()]}
    written(store, server, **layout)
    cells(store, np.s_[:20, :100])
    bucket = server.client.list_buckets()["Buckets"][-1]["Name"]
    name = next(iter(key for key in keys(server, bucket) if key.endswith("c/0/0")))
    body = bytearray(server.client.get_object(Bucket=bucket, Key=name)["Body"].read())
    body[100] ^= 255
    server.client.put_object(Bucket=bucket, Key=name, Body=bytes(body))
    with pytest.raises(dt.StoreError, match="cannot read chunk c/0/0"):
        cells(store)
