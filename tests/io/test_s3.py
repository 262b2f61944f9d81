"""Arrays on S3, by s3fs and by obstore: read, written, throttled, torn, refused."""

import numpy as np
import pytest
import zarr
from zarr.storage import FsspecStore

import dask_tapestry as dt
from dask_tapestry.io.stores import retry_policy, retrying_store
from dask_tapestry.io.stores.retries import forget_retries, retries
from dask_tapestry.io.tuning import REQUEST_ATTEMPTS
from tests.s3_server import HALF, KEY, RESET, s3_server

CELLS = np.arange(60 * 40.0).reshape(60, 40)
SHARDS = {"chunks": (10, 20), "shards": (20, 40)}
LAYOUTS = {"chunks": {"chunks": (20, 40)}, "shards": SHARDS, "version 2": {"zarr_format": 2}}
OBSTORE_DEBUG = "Debug source"


@pytest.fixture(scope="module")
def running():
    with s3_server() as server:
        yield server


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch):
    for module in (retry_policy, retrying_store):
        monkeypatch.setattr(module, "FIRST_WAIT_SECONDS", 1e-4)


@pytest.fixture
def server(running):
    running.calm()
    forget_retries()
    yield running
    running.calm()


class Way:
    """How a store on the server is given: as a URL, a store of fsspec's, or one of obstore's."""

    def __init__(self, kind, server, bucket=None, **options):
        self.kind, self.server, self.options = kind, server, options
        self.bucket = bucket or server.bucket()

    def __call__(self, name="x.zarr"):
        """Arguments that name a store."""
        if self.kind == "obstore":
            given = {"aws_access_key_id": self.options["key"]} if self.options else {}
            return {"store": self.server.object_store(self.bucket, name, **given)}
        options = self.server.options | self.options
        url = f"s3://{self.bucket}/{name}"
        if self.kind == "url":
            return {"store": url, "storage_options": options}
        return {"store": FsspecStore.from_url(url, storage_options=options)}

    def source(self, name="x.zarr"):
        return dt.from_zarr(**self(name))

    def write(self, x, name="x.zarr", **options):
        return dt.to_zarr(x, **self(name), **options)

    def keys(self, prefix="x.zarr"):
        found = self.server.client.list_objects_v2(Bucket=self.bucket, Prefix=prefix)
        return [one["Key"] for one in found.get("Contents", ())]


KINDS = ["url", "fsspec", "obstore"]


@pytest.fixture(params=KINDS)
def way(request, server):
    return Way(request.param, server)


@pytest.fixture
def fails(monkeypatch):
    """Have s3fs not ask again by itself, which takes seconds."""
    import s3fs

    monkeypatch.setattr(s3fs.S3FileSystem, "retries", 1)


@pytest.mark.few(4)  # each way and layout
@pytest.mark.parametrize("layout", LAYOUTS)
def test_what_is_written_is_read(way, layout):
    way.write(dt.asarray(CELLS), **LAYOUTS[layout])
    np.testing.assert_array_equal(way.source().compute(), CELLS)
    np.testing.assert_array_equal(way.source()[7:31, 3].compute(), CELLS[7:31, 3])
    np.testing.assert_array_equal(zarr.open_array(**way(), mode="r")[...], CELLS)


def test_groups_regions_and_appends(way):
    dt.to_zarr(dt.ones(4), **way("g"), component="a/b")
    dt.to_zarr(dt.zeros(2), **way("g"), component="a/b", append_dim=0)
    dt.to_zarr(dt.full(2, 7.0), **way("g"), component="a/b", region=(slice(1, 3),))
    found = dt.from_zarr(**way("g"))
    assert list(found) == ["a/b"]
    np.testing.assert_array_equal(found["a/b"].compute(), [1, 7, 7, 1, 0, 0])


def test_an_overwrite_replaces_and_needs_to_be_asked_for(way):
    way.write(dt.ones(6), chunks=2)
    with pytest.raises(dt.StoreError, match="give overwrite=True"):
        way.write(dt.zeros(6), chunks=3)
    way.write(dt.zeros(6), chunks=3, overwrite=True)
    np.testing.assert_array_equal(way.source().compute(), np.zeros(6))


def now_and_then(what, method, every=3):
    """A fault that every third of a kind of requests meets, of chunks and metadata."""
    seen = []

    def fault(request):
        if request["REQUEST_METHOD"] != method or request["QUERY_STRING"]:
            return None
        seen.append(1)
        return what if len(seen) % every == 0 else None

    return fault


@pytest.mark.few(4)  # each way and failure
@pytest.mark.parametrize("what", [500, 503, RESET, HALF])
@pytest.mark.parametrize("kind", ["url", "obstore"])
def test_reads_that_a_server_fails_now_and_then(server, kind, what, fails):
    way = Way(kind, server)
    way.write(dt.asarray(CELLS), chunks=(10, 20))
    server.fault = now_and_then(what, "GET")
    x = way.source()
    np.testing.assert_array_equal(x.compute(), CELLS)
    assert server.faults > 3
    if kind == "obstore":  # s3fs and the layers below it ask again by themselves
        p = x.plan()
        assert sum(found.times for found in retries().values()) >= server.faults
        assert "asked again" in p.explain()


@pytest.mark.few(3)  # each way and failure
@pytest.mark.parametrize("what", [500, 503, RESET])
@pytest.mark.parametrize("kind", ["url", "obstore"])
def test_writes_that_a_server_fails_now_and_then(server, kind, what, fails):
    way = Way(kind, server)
    server.fault = now_and_then(what, "PUT")
    way.write(dt.asarray(CELLS), chunks=(10, 20))
    assert server.faults > 3
    server.calm()
    np.testing.assert_array_equal(way.source().compute(), CELLS)


def test_a_server_that_stays_away_is_named_and_what_was_written_is_not_read(server, fails):
    way = Way("obstore", server)

    def fault(request):
        is_chunk = "/c/" in request["PATH_INFO"] and request["REQUEST_METHOD"] == "PUT"
        return 503 if is_chunk and request["PATH_INFO"].endswith("/c/3/0") else None

    server.fault = fault
    with pytest.raises(
        dt.StoreError, match=rf"cannot set c/3/0 of .* in {REQUEST_ATTEMPTS} attempts"
    ) as e:
        way.write(dt.asarray(CELLS), chunks=(10, 40))
    assert OBSTORE_DEBUG not in str(e.value)
    server.calm()
    with pytest.raises(dt.StoreError, match="is incomplete: a write"):
        way.source()
    way.write(dt.asarray(CELLS), chunks=(10, 40), overwrite=True)
    np.testing.assert_array_equal(way.source().compute(), CELLS)


def test_a_write_that_a_server_stopped_is_resumed(server, fails):
    way = Way("obstore", server)
    server.fault = lambda request: (
        503 if "/c/3/" in request["PATH_INFO"] and request["REQUEST_METHOD"] == "PUT" else None
    )
    with pytest.raises(dt.StoreError, match="in 5 attempts"):
        way.write(dt.asarray(CELLS), chunks=(10, 40), resume=True, scheduler="sync")
    server.calm()
    way.write(dt.asarray(CELLS), chunks=(10, 40), resume=True, scheduler="sync")
    np.testing.assert_array_equal(way.source().compute(), CELLS)


REFUSALS = ["key", "bucket", "read only"]


@pytest.mark.few(3)  # each way and store
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("why", REFUSALS)
def test_refusals_name_the_store_before_work_is_lost(server, kind, why):
    way = Way(kind, server)
    way.write(dt.asarray(CELLS), chunks=(10, 40))
    called = []

    def work(block):
        called.append(1)
        return block

    x = dt.map_blocks(work, dt.ones((40, 4), chunks=(10, 4)), dtype="f8")
    refused = way
    if why == "key":
        refused = Way(kind, server, way.bucket, key=f"not {KEY}")
    elif why == "bucket":
        refused = Way(kind, server, "no-such-bucket")
    else:
        server.fault = lambda request: (
            403 if request["REQUEST_METHOD"] in ("PUT", "POST", "DELETE") else None
        )
    if why != "read only":
        with pytest.raises(dt.StoreError, match=refused.bucket):
            refused.source()
    with pytest.raises(dt.StoreError, match=refused.bucket) as error:
        refused.write(x, "new.zarr")
    assert "exists" not in str(error.value)
    assert OBSTORE_DEBUG not in str(error.value)
    assert not called


def test_large_chunks_are_asked_for_side_by_side(server):
    way = Way("obstore", server)
    cells = np.random.default_rng(0).random((4, 2**17))  # of 4 MiB
    way.write(dt.asarray(cells), chunks=(1, 2**15), shards=(1, 2**17), compressors=None)
    server.calm()
    server.latency = 0.02
    np.testing.assert_array_equal(way.source().compute(), cells)
    assert server.most >= 3
    chunks = {key: n for key, n in server.objects.items() if "/c/" in key}
    assert set(chunks.values()) == {1}  # a shard that is wanted whole is one request


@pytest.mark.cluster
def test_workers_read_write_and_tell_what_they_asked_again(server, fails):
    from distributed import Client, LocalCluster

    way = Way("obstore", server)
    options = {"n_workers": 1, "threads_per_worker": 2, "dashboard_address": ":0"}
    with LocalCluster(processes=True, **options) as cluster, Client(cluster):
        way.write(dt.asarray(CELLS) + 0, chunks=(10, 20))
        x = way.source()
        server.fault = now_and_then(503, "GET")
        np.testing.assert_array_equal(x.compute(), CELLS)
        assert server.faults
        assert sum(found.times for found in retries().values()) >= server.faults - 1
        assert "asked again" in x.plan().explain()
