import pickle
from uuid import uuid4

import fsspec
import numpy as np
import pytest
import zarr
from fsspec.implementations.asyn_wrapper import AsyncFileSystemWrapper

import dask_tapestry as dt
from dask_tapestry.io.stores.zarr_location import Location


def location(store, component=None, **options):
    return Location.of(store, component, uuid4().hex, **options)


def test_a_location_is_a_path_and_what_is_within(tmp_path):
    group = zarr.open_group(tmp_path / "g", mode="w")
    inner = group.create_group("a")
    assert location(tmp_path).store == str(tmp_path)
    assert location(group, "b").component == "b"
    assert location(inner, "b").component == "a/b"
    assert location(inner.create_array("c", shape=(1,), dtype="i4")).component == "a/c"
    assert str(location("s3://bucket", "x/y")) == "s3://bucket/x/y"


@pytest.mark.parametrize("given", [None, 3, np.zeros(3), dt.zeros(3), ["a"]])
def test_what_names_no_place_is_refused(given):
    """Also where it is what was to be written, and the place was given in its place."""
    with pytest.raises(dt.ArgumentTypeError, match="store must be a path or URL"):
        location(given)
    with pytest.raises(dt.ArgumentTypeError, match="store must be a path"):
        dt.to_zarr("a.zarr", given, overwrite=True)
    with pytest.raises(dt.ArgumentTypeError, match="store must be a path"):
        dt.from_zarr(given)


def test_only_the_memory_of_this_process_is_in_memory(tmp_path):
    assert location(zarr.storage.MemoryStore()).is_in_memory
    assert location({}).is_in_memory
    assert not location(tmp_path).is_in_memory
    assert not location(zarr.storage.LocalStore(tmp_path)).is_in_memory
    assert location("memory://data/x").is_in_memory


def test_a_file_url_is_a_path(tmp_path):
    assert location((tmp_path / "a b").as_uri()).store == str(tmp_path / "a b")


def test_a_local_url_is_a_path_as_fsspec_reads_it(tmp_path):
    assert location(f"local://{tmp_path}/a%20b").store == str(tmp_path / "a%20b")


def test_a_path_that_ends_in_zip_is_a_zip_file_unless_it_is_a_folder(tmp_path):
    assert location(tmp_path / "x.zip").is_zip
    assert "one process" in location(tmp_path / "x.zip").local_only
    (tmp_path / "y.zip").mkdir()
    assert not location(tmp_path / "y.zip").is_zip


@pytest.mark.parametrize("store", ["/data/x", "s3://bucket/x"])
def test_a_path_or_url_travels_as_text_with_its_options(store):
    place = location(store, "a", options={"anon": True})
    far = pickle.loads(pickle.dumps(place))
    assert (far, far.store, far.options) == (place, store, {"anon": True})
    assert "anon" not in repr(place) + str(place)


def test_a_store_of_zarr_travels(tmp_path):
    place = location(zarr.storage.LocalStore(tmp_path), "a")
    far = pickle.loads(pickle.dumps(place))
    assert (far, far.store) == (place, place.store)


def test_one_place_has_one_key_however_it_is_named(tmp_path):
    group = zarr.open_group(tmp_path / "g", mode="w")
    array = group.create_array("a/b", data=np.arange(3))
    places = [
        location(array),
        location(group, "a/b"),
        location(tmp_path / "g", "a/b"),
        location(tmp_path / "g" / "a", "b"),
        location(zarr.storage.LocalStore(tmp_path / "g" / "a" / "b")),
    ]
    assert len({place.key for place in places}) == 1
    assert location(tmp_path / "g").key != places[0].key


@pytest.mark.parametrize("root", ["file:///t", "memory://t"])
def test_file_systems_that_pass_calls_on_lead_to_one_place(root):
    files, path = fsspec.core.url_to_fs(root)
    inner = fsspec.filesystem("dir", path=path, fs=files)
    wrapped = fsspec.filesystem("dir", path="a", fs=inner)
    store = zarr.storage.FsspecStore(AsyncFileSystemWrapper(wrapped, asynchronous=True), path="b")
    places = [
        location(f"{root}/a/b"),
        location(f"{root}/a", "b"),
        location(f"{root}/a/b/"),
        location(f"simplecache::{root}/a/b"),
        location(store),
        location(zarr.storage.LoggingStore(store)),
        location(zarr.storage.StorePath(store)),
        location(files.get_mapper(f"{root}/a/b")),
    ]
    assert len({place.key for place in places}) == 1
    assert {place.is_in_memory for place in places} == {root.startswith("memory")}


def test_a_folder_under_copies_is_not_replaced(tmp_path):
    url = f"simplecache::file://{tmp_path}/x"
    assert location(url).replaceable is None
    assert location(zarr.storage.FsspecStore.from_url(url)).replaceable is None


def test_a_url_that_leads_nowhere_has_a_key():
    assert location("nowhere://a/b").key != location("nowhere://a/c").key


def test_two_stores_in_memory_are_two_places():
    first, second, plain = zarr.storage.MemoryStore(), zarr.storage.MemoryStore(), {}
    assert len({location(store).key for store in (first, second, plain)}) == 3
    assert location(first, "a").key == location(first, "a").key


def test_what_only_this_process_sees_says_so(tmp_path):
    assert location(tmp_path).local_only is None
    assert "another process" in location("memory://x").local_only
    with pytest.raises(dt.StoreNotFoundError):
        dt.from_zarr("memory://nothing/here")
