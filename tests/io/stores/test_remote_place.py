"""Tables of references, and servers that have places of one name."""

import base64
import json

import fsspec
import icechunk
import numpy as np
import pytest
import zarr

import dask_tapestry as dt
from dask_tapestry.io.stores.remote_place import server_text
from dask_tapestry.io.stores.zarr_location import Location

CELLS = np.arange(48, dtype="<f4").reshape(6, 8)
HEAD = b"a header"


def old_file(path, cells=CELLS):
    path.write_bytes(HEAD + cells.tobytes())
    return str(path)


def references(file):
    """A table of an array in a file of another format, and of one within the table."""
    array = {
        "zarr_format": 2, "shape": [6, 8], "chunks": [2, 8], "dtype": "<f4", "order": "C",
        "compressor": None, "filters": None, "fill_value": None,
    }  # fmt: skip
    few = np.array([1, 2], "<f4").tobytes()
    return {
        ".zgroup": json.dumps({"zarr_format": 2}),
        "x/.zarray": json.dumps(array),
        "x/.zattrs": json.dumps({"_ARRAY_DIMENSIONS": ["time", "place"]}),
        **{f"x/{n}.0": [file, len(HEAD) + 64 * n, 64] for n in range(3)},
        "few/.zarray": json.dumps(array | {"shape": [2], "chunks": [2]}),
        "few/0": "base64:" + base64.b64encode(few).decode(),
    }


@pytest.fixture
def options(tmp_path):
    return {"fo": references(old_file(tmp_path / "old.bin"))}


def opened(options, name="x"):
    return dt.from_zarr("reference://", name, storage_options=options)


def test_references_are_read(options, tmp_path):
    x = opened(options)
    assert x.dims == ("time", "place")
    np.testing.assert_array_equal(x[1:5, ::3].compute(), CELLS[1:5, ::3])
    assert opened(options, "few").compute().tolist() == [1, 2]
    assert set(dt.from_zarr("reference://", storage_options=options)) == {"few", "x"}
    (tmp_path / "table.json").write_text(json.dumps({"version": 1, "refs": options["fo"]}))
    by_file = opened({"fo": str(tmp_path / "table.json")})
    assert float(by_file.sum()) == CELLS.sum()


@pytest.mark.parametrize("kind", ["mapper", "store", "array"])
def test_whatever_gives_the_references(options, kind):
    files = fsspec.filesystem("reference", asynchronous=kind != "mapper", **options)
    if kind == "mapper":
        x = dt.from_zarr(files.get_mapper(""), "x")
    else:
        store = zarr.storage.FsspecStore(files, read_only=True)
        x = dt.from_zarr(store, "x") if kind == "store" else dt.from_zarr(zarr.open(store)["x"])
    assert float(x.sum()) == CELLS.sum()


def test_processes_read_them(options):
    assert opened(options).sum().compute(scheduler="processes", num_workers=1) == CELLS.sum()


def test_a_file_that_is_gone_or_short_names_the_chunk(options, tmp_path):
    whole = (tmp_path / "old.bin").read_bytes()
    (tmp_path / "old.bin").write_bytes(whole[:150])
    with pytest.raises(dt.StoreError, match=r"chunk 2\.0: it holds 14 bytes, not 64"):
        opened(options).compute()
    (tmp_path / "old.bin").unlink()
    with pytest.raises(dt.StoreError, match=r"failed to fetch target .*old\.bin"):
        opened(options).compute()


WRITES = {
    "new": {},
    "overwrite": {"overwrite": True},
    "append": {"append_dim": 0},
    "region": {"region": {"time": slice(0, 6)}},
    "resume": {"resume": True},
}


@pytest.mark.parametrize("how", WRITES)
def test_nothing_is_written_into_a_table(options, how):
    name = "x" if how in ("append", "region", "overwrite") else "y"
    before = dict(options["fo"])
    with pytest.raises(dt.StoreError, match="is read alone: write to a folder"):
        dt.to_zarr(
            dt.ones((6, 8), dtype="f4"),
            "reference://",
            name,
            storage_options=options,
            **WRITES[how],
        )
    assert options["fo"] == before
    files = fsspec.filesystem("reference", **options)
    assert sorted(files.references) == sorted(before)


def test_an_array_of_references_is_no_target(options):
    array = zarr.open_array("reference://", path="x", storage_options=options, mode="r+")
    with pytest.raises(dt.StoreError, match="is read alone"):
        dt.store(dt.ones((6, 8)), array)


def test_a_job_of_other_references_is_another(options, tmp_path):
    def job(given):
        dt.to_zarr(opened(given) * 2, tmp_path / "twice.zarr", resume=True)

    job(options)
    job({"fo": dict(reversed(options["fo"].items()))})  # the same table
    elsewhere = {"fo": references(old_file(tmp_path / "new.bin", CELLS * 100))}
    with pytest.raises(dt.StoreError, match="the data 0"):
        job(elsewhere)
    np.testing.assert_array_equal(dt.from_zarr(tmp_path / "twice.zarr").compute(), CELLS * 2)


def test_references_of_other_arrays_are_of_no_concern(options, tmp_path):
    def job(given):
        dt.to_zarr(opened(given), tmp_path / "same.zarr", resume=True)

    job(options)
    changed = base64.b64encode(np.zeros(2, "<f4").tobytes()).decode()
    job({"fo": options["fo"] | {"few/0": f"base64:{changed}"}})


def test_mappings_of_fsspec_have_components(tmp_path):
    for mapping in (fsspec.get_mapper("memory://a-mapping"), fsspec.get_mapper(str(tmp_path))):
        dt.to_zarr(dt.arange(3), mapping, "inner/x")
        assert dt.from_zarr(mapping, "inner/x").compute().tolist() == [0, 1, 2]


def test_a_bucket_of_another_server_is_another_place():
    def place(url):
        options = {"key": "k", "secret": "s", "endpoint_url": url}
        return Location.of("s3://bucket/x", None, "n", options)

    here, there = place("http://127.0.0.1:1"), place("http://127.0.0.1:2")
    assert here.key != there.key
    assert here.key == place("http://127.0.0.1:1/").key
    assert server_text({"client_kwargs": {"endpoint_url": "http://a"}}) == "http://a/"
    assert server_text({"key": "k"}) == ""


def test_a_bucket_of_another_server_is_another_place_by_obstore_too():
    def place(url):
        store = zarr.storage.ObjectStore(obstore.S3Store("bucket", endpoint=url, region="r"))
        return Location.of(store, "x", "n")

    from obstore import store as obstore

    assert place("http://127.0.0.1:1").key != place("http://127.0.0.1:2").key


def test_virtual_chunks_of_icechunk(tmp_path):
    (tmp_path / "raw").mkdir()
    file = old_file(tmp_path / "raw" / "old.bin")
    where = f"file://{tmp_path}/raw/"
    config = icechunk.RepositoryConfig.default()
    config.set_virtual_chunk_container(
        icechunk.VirtualChunkContainer(where, icechunk.local_filesystem_store(f"{tmp_path}/raw"))
    )
    storage = icechunk.local_filesystem_storage(str(tmp_path / "ice"))
    repo = icechunk.Repository.create(
        storage,
        config=config,
        authorize_virtual_chunk_access=icechunk.containers_credentials({where: None}),
    )
    session = repo.writable_session("main")
    zarr.create_array(
        session.store, name="x", shape=(6, 8), chunks=(2, 8), dtype="f4", compressors=None
    )
    for n in range(3):
        at = len(HEAD) + 64 * n
        session.store.set_virtual_ref(f"x/c/{n}/0", f"file://{file}", offset=at, length=64)
    session.commit("references")
    x = dt.from_zarr(repo.readonly_session("main").store, "x")
    np.testing.assert_array_equal(x[1:5].compute(), CELLS[1:5])
    dt.to_icechunk(x * 2, repo.writable_session("main"), "twice", commit="twice")
    twice = dt.from_zarr(repo.readonly_session("main").store, "twice")
    assert float(twice.sum()) == 2 * CELLS.sum()
    others = icechunk.Repository.open(storage, config=config).readonly_session("main").store
    with pytest.raises(dt.StoreError, match="authorize"):
        dt.from_zarr(others, "x").compute()
