"""Every kind of store keeps such objects alike."""

from uuid import uuid4

import fsspec
import numpy as np
import pytest
import zarr

import dask_tapestry as dt
from dask_tapestry.io.stores.stored_objects import FOLDER, FolderObjects, objects_of
from dask_tapestry.io.stores.zarr_location import Location
from tests.stores import CountingStore

KINDS = {
    "folder": lambda p: p / "x",
    "a wrapped folder": lambda p: zarr.storage.LoggingStore(zarr.storage.LocalStore(p / "x")),
    "a file URL": lambda p: f"local://{p}/x",
    "memory": lambda p: zarr.storage.MemoryStore(),
    "counted memory": lambda p: CountingStore(zarr.storage.MemoryStore()),
    "a dictionary": lambda p: {},
    "a URL": lambda p: f"memory://{uuid4().hex}",
    "a mapping of files": lambda p: fsspec.get_mapper(f"memory://{uuid4().hex}"),
}


@pytest.fixture(params=[(kind, part) for kind in KINDS for part in ("", "a/b")], ids=str)
def place(request, tmp_path):
    kind, part = request.param
    if kind == "a mapping of files" and part:
        pytest.skip("zarr takes no path within one")
    return Location.of(KINDS[kind](tmp_path), part, uuid4().hex)


def test_objects_are_created_listed_read_and_deleted(place):
    objects = objects_of(place)
    assert objects.names() == frozenset()
    assert objects.read("one") is None
    objects.create("one", b"1")
    objects.create("two", b"22")
    assert objects.names() == {"one", "two"}
    assert (objects.read("two"), objects.existing(["one", "three"])) == (b"22", {"one"})
    objects.delete(["one", "not there"])
    objects.delete([])
    assert objects.names() == {"two"}


def test_metadata_are_told_apart(place):
    objects = objects_of(place)
    assert objects.metadata() is None
    made = {"name": place.component or None, **place.arguments}
    zarr.create_array(data=np.arange(3), **made)
    first = objects.metadata()
    assert first == objects.metadata()
    zarr.create_array(data=np.arange(4), overwrite=True, **made)
    assert objects.metadata() not in (None, first)


def test_all_but_some_objects_is_cleared(place):
    made = {"name": place.component or None, **place.arguments}
    objects = objects_of(place)
    zarr.create_array(data=np.arange(9), chunks=(2,), **made)
    for name in ("one", "two"):
        objects.create(name, b"")
    objects.clear(frozenset(["one"]))
    assert objects.metadata() is None
    assert objects.names() == {"two"}
    zarr.create_array(shape=(9,), chunks=(2,), dtype="i8", **made)
    path = place.component or None
    assert not zarr.open_array(path=path, **place.arguments)[...].any()
    for _ in range(2):
        objects.clear(frozenset(["two"]))
    assert not objects.names()


def test_only_an_array_is_cleared(tmp_path):
    """And nothing that its links lead to."""
    for name in ("a", "ab"):
        dt.to_zarr(dt.ones(3), tmp_path / "g", name)
    (tmp_path / "kept").write_text("mine")
    (tmp_path / "g" / "a" / "link").symlink_to(tmp_path)
    FolderObjects(tmp_path / "g" / "a").clear(frozenset())
    assert (tmp_path / "kept").read_text() == "mine"
    assert list(dt.from_zarr(tmp_path / "g")) == ["ab"]


def test_a_zip_file_has_none(tmp_path):
    assert objects_of(Location.of(tmp_path / "x.zip", None, uuid4().hex)) is None


def test_what_a_writer_has_not_finished_is_not_listed(tmp_path):
    objects = FolderObjects(tmp_path)
    objects.create("one", b"1")
    (tmp_path / FOLDER / ".5f").write_bytes(b"half")
    assert objects.names() == {"one"}


def test_a_folder_that_takes_no_file_is_named(tmp_path):
    (tmp_path / FOLDER).write_text("no folder")
    with pytest.raises(dt.StoreError, match="cannot write"):
        FolderObjects(tmp_path).create("one", b"1")
    assert FolderObjects(tmp_path).names() == frozenset()
